"""
.. _notes:

Running with notes of all kinds
===============================

.. contents::
   :local:

.. versionadded:: 0.3
   The way over bytes.

.. deprecated:: 0.4

   Use another way, or one of these.

- one way

  .. versionchanged:: 0.5
     It is fast now.

.. todo:: Compare the ways.

.. image:: /picture.svg
   :alt: A way out
   :target: https://example.org/way/
"""

# %%
# The first way
# -------------
#
# It has a result.

# sphinx_gallery_line_numbers = True
# sphinx_gallery_start_ignore
hidden = 1
# sphinx_gallery_end_ignore

# one result
print(1)

# %%
# The second way
# --------------
#
# It has another result.
print(2)
