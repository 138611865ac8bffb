# Licence: public domain
"""
The title
=========

The overview.
"""

# %%
#
# A step
# ------
#
# Text before the code, which says ``x``
# on two lines.
#
# - an item
# - an item that
#   goes on


# A comment that is
# two lines long.
x = [1, 2]  # (batch, features)
y = "# no comment"  # beside the code  # noqa: E501

# sphinx_gallery_thumbnail_number = 1
# sphinx_gallery_start_ignore
# hidden
# sphinx_gallery_end_ignore
if x:
    # beside the code
    y += "."

# %%
# An item that
# is a paragraph.
#
# .. code-block:: python
#
#    z = 1  # in the text
#
# .. note::
#
#    A note.
x += [3]
