# SPDX-License-Identifier: BSD-3-Clause
"""
Choose a width
==============

The wider the window, the smoother the signal. See
:ref:`sphx_glr_auto_examples_filters_plot_smooth.py` first.
"""

import signals

for width in (1, 3, 5):  # odd, so that there is a middle
    print(width, signals.smooth([1.0, 2.0, 9.0, 2.0, 1.0], width))
