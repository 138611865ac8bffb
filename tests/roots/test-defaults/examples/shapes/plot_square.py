"""
A square
========

Four equal sides.
"""

print(4)
