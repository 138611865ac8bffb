"""Wait for Gloo's threads before Python shuts down.

A collective that runs during backward, such as DDP's, keeps a Python object: autograd
stores a context for its threads, and Gloo's work copies it. Gloo's thread frees it, for
which it needs the GIL. If Python is shutting down by then, the thread is ended inside a
destructor, and the process aborts with "terminate called without an active exception"
(torch 2.13, pytorch/pytorch#190489). On a busy machine one program in ten does. Python
imports this module in all programs that a page starts.
"""

import atexit
import sys
import time


@atexit.register
def _wait_for_gloo() -> None:
    if "torch.distributed" in sys.modules:
        time.sleep(0.1)
