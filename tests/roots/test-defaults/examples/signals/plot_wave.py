"""
A wave
======

Three points of a wave. They are drawn.
"""

# sphinx_gallery_tags = ["waves", "first steps"]

import json

import matplotlib.pyplot as plt

# the points
plt.plot([0, 1, 0])
plt.title("One wave")
print(json.dumps([0, 1, 0]))

# %%
# The end comes as text.
