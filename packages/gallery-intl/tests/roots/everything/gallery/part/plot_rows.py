"""
Rows on each device
===================

Ten rows, two devices.
"""

import matplotlib.pyplot as plt

seconds = 0.25
places = ["first", "last"]
# %%
# The devices share the rows.
fig, ax = plt.subplots(
    figsize=(7, 3),
    label='Bars: "first" <b> *has* \\ 6 rows & '
    "last has 4.",
)
ax.bar(places, [6, 4], label="rows on the device")
ax.axhline(5, color="C1", label=f"took {seconds} s")
ax.set(xlabel="all_reduce", ylabel="Rows")
ax.text(0, 1, "two\nlines")
ax.text(1, 1, "as it is", gid="kept")
ax.legend(loc="upper right")
# %%
# A figure without a name.
_ = plt.subplots()
# %%
# Two figures, each with its words.
#
# .. alt-text:: The first has
#    no line.
#
# .. alt-text:: Nobody translated this.
_ = plt.subplots()
plt.subplots()[1].set(title="a title")
print("drawn")
