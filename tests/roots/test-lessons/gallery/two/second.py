"""
Second
======

:Card: Another line.
:Picture: ring

Its text.
"""

x = 1
