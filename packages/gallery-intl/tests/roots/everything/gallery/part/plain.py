r"""The other page
==============

It has one sentence.
"""

# The only block.
print("other")
