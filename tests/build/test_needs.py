"""What a page needs stands on it, and in its notebook, if the runner is there."""

from __future__ import annotations

import re

from gallery_run.needs import uses_gpus, world_size
from gallery_run.notebook import ranks_cell

RANKS = '''"""
Title
=====

.. code-block:: bash

   torchrun --standalone --nproc-per-node=4 page.py
"""
import os
import torch.distributed as dist
from numpy.linalg import norm
if True:
    import matplotlib.pyplot as plt
device = torch.accelerator.current_accelerator()
'''


def test_what_a_page_needs_is_read_off_its_script() -> None:
    plain = '"""A plain page."""\nimport sys\n'

    assert (world_size(RANKS), uses_gpus(RANKS)) == (4, True)
    assert (world_size(plain), uses_gpus(plain)) == (None, False)


def test_a_plain_page_that_hides_gpus_runs_on_none() -> None:
    hides = 'import torch\nenv = {"CUDA_VISIBLE_DEVICES": ""}\ntorch.accelerator\n'

    assert not uses_gpus(f'"""A page."""\n{hides}')
    assert uses_gpus(f"{RANKS}{hides}")  # of another program that it starts


def test_the_cell_for_ranks_is_python_without_its_magic_lines() -> None:
    lines = ranks_cell(4, []).source.split("\n")

    assert '"%%px\\n"' in lines[-1]
    assert len(lines) <= 24
    assert re.findall(r"\b4\b", "\n".join(lines)) == ["4"]
    compile("\n".join(x for x in lines if not x.startswith("%")), "cell", "exec")


def test_the_cell_for_ranks_says_what_it_does() -> None:
    source = ranks_cell(3, ["Why.", "긴 설명 " * 20]).source

    assert source.startswith("# Why.\n# 긴 설명")
