"""
A wave
======

A sine wave, its samples and its period.
"""

# %%
# The samples
# -----------
#
# One period has **sixteen** samples; see :doc:`/index`.

import math

# from zero to two pi
samples = [math.sin(2 * math.pi * i / 16) for i in range(17)]
print(f"largest: {max(samples):.1f}")

# %%
# A picture of it
# ---------------

import matplotlib.pyplot as plt

plt.plot(samples, marker="o")
plt.xlabel("sample")
plt.show()
