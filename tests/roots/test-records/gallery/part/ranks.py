"""
Ranks
=====

.. code-block:: bash

   torchrun --standalone --nproc-per-node=2 ranks.py
"""
import os

import torch

gpus = torch.accelerator.device_count()
if os.environ["RANK"] == "0":
    print("ranks:", os.environ["WORLD_SIZE"], "GPUs:", gpus)
