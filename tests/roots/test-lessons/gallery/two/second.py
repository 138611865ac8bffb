"""
Second
======

:Card: Another line.
:Picture: unknown

Its text.
"""

x = 1
