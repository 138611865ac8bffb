"""
Smooth a signal
===============

A moving mean takes the noise away, and the edges with it.
"""

# sphinx_gallery_tags = ["noise"]

import matplotlib.pyplot as plt

import signals

# five values, one of them far off
values = [1.0, 2.0, 9.0, 2.0, 1.0]
smooth = signals.smooth(values)
plt.plot(values, label="measured")
plt.plot(smooth, label="smooth")
plt.title("A signal and its mean")
plt.legend()
plt.show()

# %%
# The far value is spread over its neighbours:

print(max(smooth))
