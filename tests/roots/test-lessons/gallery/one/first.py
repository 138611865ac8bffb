"""
First: what it is
=================

:Card: A line for the card.
:Learn: You will know more.
:Picture: ranks

The first sentence. The second.

   torchrun --standalone --nproc-per-node=4 first.py
"""

import numpy
