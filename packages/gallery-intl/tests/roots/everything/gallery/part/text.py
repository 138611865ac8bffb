# Licence: public domain
# Authors: Jane Roe <jane@example.org>
"""
===============================
 All forms of text in ``reST``
===============================

.. meta::
   :description: What it is about

The overview has ``code`` and *emphasis*.  Two spaces before this sentence, which is on
two lines, and a note [#]_ below.

.. [#] The note at the end.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=2 text.py
"""

# %%
# A step
# ------
#
# See :doc:`/tutorials/part/plain` and `a link <https://example.org/>`__.
#
# - First item
# - Second item that
#   goes on
#
# 1. A numbered item
#
# .. note::
#
#    Take note.
#
# .. admonition:: A title of its own
#
#    Its text.
#
# .. list-table:: A caption
#    :header-rows: 1
#
#    * - Name
#      - Value
#    * - ``x``
#      - A number
#
# A term
#    And what it means.
#
# .. math:: y = x^2
#
# .. code-block:: python
#
#    z = 1  # a sketch

# A comment that is
# two lines long.
x = [1, 2]  # (batch, features)
y = "# no comment"  # beside the code  # noqa: E501

# sphinx_gallery_thumbnail_number = 1
# sphinx_gallery_start_ignore
hidden = "not shown"  # of no page
# sphinx_gallery_end_ignore
if x:
    # beside the code
    y += "."


def f():
    """A docstring is code."""
    # - an item
    # - an item that stays English
    return "A comment."


# See `the paper
# <https://example.org/a/very/long/address/that/takes/nearly/a/line/of/its/own/in/it>`__
# for more.
x += [3]

# %%
# .. rubric:: A small heading
#
# Nobody has translated this.
print(x)
# %%
# The last words.
