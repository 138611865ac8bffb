"""A name leads to what it means on its page."""

import pytest

from gallery_intl.page.names import Names

CODE = """
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

def gather(outputs, output_device):
    return torch.cat(outputs)

def all_reduce(total):
    dist.all_reduce(total)

class Model(nn.Module):
    pass

device = torch.device("cpu")
model = DDP(Model().to(device))
dist.send(model.state, dst=1)
torch.cuda.device_count() or torch.accelerator.device_count()
"""


def names(*codes: str) -> Names:
    return Names(codes)


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        ("dist.send", "torch.distributed.send"),
        ("nn.Module", "torch.nn.Module"),
        ("torch.device", "torch.device"),
        ("DDP", "torch.nn.parallel.DistributedDataParallel"),
        ("nn", "torch.nn"),
    ],
)
def test_a_name_means_what_was_imported(name: str, meaning: str) -> None:
    assert names(CODE).full(name) == meaning
    assert names(CODE).in_text(name) == meaning


@pytest.mark.parametrize("name", ["device", "model.state", "Model", "gather", "total"])
def test_what_a_page_defines_itself_means_nothing_else(name: str) -> None:
    assert names(CODE).full(name) == ""
    assert names(CODE).in_text(name) == name


def test_the_text_may_name_the_last_part_of_what_the_code_uses() -> None:
    assert names(CODE).in_text("send") == "torch.distributed.send"
    assert names(CODE).in_text("cat") == "torch.cat"
    # an own function, two functions, and one that the code does not use
    for name in ("all_reduce", "device_count", "recv"):
        assert names(CODE).in_text(name) == name


def test_a_full_name_needs_no_import() -> None:
    assert names().in_text("torch.chunk") == "torch.chunk"


def test_a_relative_import_means_nothing() -> None:
    assert names("from . import nn\nfrom .nn import Linear").full("nn.Linear") == ""


@pytest.mark.parametrize(
    "other",
    [
        "nn = 5",
        "def f(nn): pass",
        "async def nn(): pass",
        "class nn: pass",
        "try:\n    1\nexcept E as nn:\n    2",
        "from other import nn",
        "for nn in range(3): pass",
    ],
)
def test_a_name_with_two_meanings_means_nothing(other: str) -> None:
    assert names(CODE).full("nn.Linear") == "torch.nn.Linear"
    assert names(CODE, other).full("nn.Linear") == ""
