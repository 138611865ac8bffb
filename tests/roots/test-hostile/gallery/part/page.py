r"""
A page
======

Call ``step`` as in `the docs <https://docs.pytorch.org/>`__ and *think*.
"""

# %%
# A heading
# ---------
#
# One paragraph.
#
# See :doc:`/index` first.

# A comment.
total = 1 + 1  # beside code
print("the output", total)
