"""
A page
======

:Learn: You will see records.

It prints and draws.
"""

# %%
# A heading
# ---------
#
# One paragraph.
from __future__ import annotations

import sys

# A comment.
print("printed\tby", __name__)
print("\033[1mbold\033[0m")

# %%
# Nothing is printed here, and no cuda is asked for.
import matplotlib.pyplot as plt

silent: Unknown = None

# %%
# A figure, and a line below it.
fig, ax = plt.subplots(label="Two bars.")
ax.bar(["first", "last"], [6, 4])
ax.set(ylabel="Rows")
print(sys.argv[1:], __name__)
