"""
Sums
====

Add two numbers.
"""

# the sum of both
print(1 + 2)
