"""
A page
======

A page has ``code``. And a second sentence.
"""

# %%
# A heading
# ---------
#
# One paragraph.
import os

# A comment.
with open(os.environ["RUNS"], "a") as file:
    print("page ran", file=file)
print("the output")
