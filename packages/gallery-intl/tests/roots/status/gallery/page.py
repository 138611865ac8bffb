"""
Sums
====

One paragraph.
"""

# the sum of both
print(1 + 2)

# %%
# The end.
