"""
===================
 Segments of images
===================

.. meta::
   :keywords: segments, images

This example compares three ways.  It follows [1]_ and [Otsu1979]_, and [#later]_
says more.  The last [#]_ is about speed.

.. image:: /picture.svg
   :alt: A small picture

.. [1] Felzenszwalb and Huttenlocher,
   "Efficient segmentation".  IJCV, 2004.
   :doi:`10.1023/B:VISI`

.. [Otsu1979] Otsu, "A threshold selection method".

.. [#later] Another note.

.. [#] A note without a name.
"""

# Authors: The image developers
#          Jane Roe <jane@example.org>
# SPDX-License-Identifier: BSD-3-Clause

# Copyright (c) 2020 The image developers. All rights reserved.
# License: BSD 3 clause

import math

# This shows the threshold.  See the long explanation at
# https://example.org/a/very/long/address/that/does/not/fit/beside/words/at/all/threshold.html
threshold = math.pi

# %%
# 1. Choose a threshold
# ---------------------
#
# Two spaces end this sentence.  The next paragraph is a table:
#
# ========= ================ =====
# Method    What it does     Speed
# ========= ================ =====
# Otsu      Splits the       fast
#           histogram
# Graph     Merges regions   slow
# \         No name          ``0``
# ========= ================ =====
#
# .. table:: Errors of the methods
#    :align: center
#
#    +---------+-----------------+
#    | Method  | Errors          |
#    |         +--------+--------+
#    |         | Area   | Border |
#    +=========+========+========+
#    | Otsu    | few    | - one  |
#    |         |        | - two  |
#    +---------+--------+--------+
#    | Both of them     | many   |
#    +------------------+--------+
#
# ===== ===== ======
#   Inputs    Output
# ----------- ------
#   A     B   Answer
# ===== ===== ======
# False True  maybe
# ===== ===== ======
#
# Text after the tables [1]_, and `a link <https://example.org/>`_.
#
# .. math::
#
#    y = x^2
#
# .. code-block:: bash
#
#    %%bash
#    ls
#
# .. code-block:: none
#
#    A picture in words

print(threshold)  # the number.  Two spaces here, too.
# :alt: a comment that looks like a field

# %%
# .. rubric:: References
#
# A last paragraph, see [Otsu1979]_.
