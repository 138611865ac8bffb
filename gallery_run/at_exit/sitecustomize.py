"""Let Gloo's threads free their tensors before Python shuts down.

A thread that frees one later aborts the process (torch 2.13, pytorch/pytorch#190489);
on a busy machine that happens to every tenth program that ends right after a
collective. Python imports this module in all programs that a page starts.
"""

import atexit
import sys
import time


@atexit.register
def _wait_for_gloo() -> None:
    if "torch.distributed" in sys.modules:
        time.sleep(0.1)
