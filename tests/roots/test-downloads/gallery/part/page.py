# Licence: public domain
"""The title
=========

The overview has ``code`` and *emphasis* on
two lines.

.. code-block:: bash

   torchrun --standalone --nproc-per-node=2 page.py
"""

# %%
# A step
# ------
#
# See :doc:`/tutorials/part/other` and `a link <https://example.org/>`__.
#
# - First item
# - Second item that
#   goes on
#
# .. note::
#
#    Take note.
#
# .. list-table:: A caption
#    :header-rows: 1
#
#    * - Name
#      - Value
#    * - ``x``
#      - A number
#
# .. math:: y = x^2
#
# .. code-block:: python
#
#    z = 1  # a sketch

# A comment.
x = 1  # (batch, features)


def f():
    """A docstring is code."""
    return "A comment."


print(x)
# %%
# The last words.
