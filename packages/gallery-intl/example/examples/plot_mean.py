"""
The mean of many numbers
========================

A mean of more numbers has a smaller error.
"""

import matplotlib.pyplot as plt

# 1 to 100 numbers
counts = range(1, 101)
errors = [1 / count**0.5 for count in counts]

plt.figure(label="A line that falls quickly, then slowly.")
plt.plot(counts, errors)
plt.xlabel("Numbers")
plt.ylabel("Error")

# %%
# For half the error, take four times as many numbers.
print(errors[99])
