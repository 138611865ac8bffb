"""
Second
======

It notes each of its runs.
"""

from pathlib import Path

with Path("../../runs").open("a") as runs:
    runs.write("second\n")
print("second")
