"""
First
=====

It notes each of its runs.
"""

from pathlib import Path

with Path("../../runs").open("a") as runs:
    runs.write("first\n")
print("first")
