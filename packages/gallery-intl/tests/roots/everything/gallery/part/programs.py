"""
Two programs
============

Words.
"""
from pathlib import Path
folder = Path()

# %%
# The first program.

# language=Python
(folder / "one.py").write_text("""\
import os

seed(0)

# Every sample, in a new order.
samples = load("<samples>")
shuffle(samples)  # in place

model = Model()


for epoch in range(5):
    step(model, samples)
save(model)
""", encoding="utf-8")

# %%
# What changes
# ------------
#
# .. diff:: one.py two.py
#
#    Who am I?
#       The starter gives each process its ``RANK``. It is a number, and the first of
#       them is zero.
#
#    A share of the samples
#       Each process takes every second one.
#
#    One model
#       They average their gradients.
#
#       And this is a second paragraph.
#
#    One file
#       Only one process writes.

# %%
# The second program.

# language=Python
(folder / "two.py").write_text("""\
import os

rank = int(os.environ["RANK"])
seed(0)

# My samples, in a new order.
samples = load("<samples>")[rank::2]
shuffle(samples)  # in place

model = Model()
model = Average(model)


for epoch in range(5):
    step(model, samples)
if rank == 0:  # the first
    save(model)
""", encoding="utf-8")
