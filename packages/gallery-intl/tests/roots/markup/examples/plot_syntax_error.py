"""
A script that fails
===================
"""

print("never"
