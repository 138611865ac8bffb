"""
The other page
==============

It has one sentence.
"""

print("other")
