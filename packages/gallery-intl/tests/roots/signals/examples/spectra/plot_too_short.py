"""
A signal that is too short
==========================

What the error looks like.
"""

import signals

signals.smooth([1.0])
