"""Say in the reader's language on which machine outputs were made."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from functools import cache

from babel import UnknownLocaleError
from babel.dates import format_date
from docutils import nodes
from sphinx.locale import _

from gallery_run.machine import Machine


def interface_line(*children: nodes.Node, name: str) -> nodes.paragraph:
    """Give a line that is in no page's catalog and in no search result."""
    return nodes.paragraph(
        "", "", *children, translatable=False, classes=[name, "no-search"]
    )


def short(machine: Machine) -> str:
    """Say it in a few words: the device, and how many processes."""
    return " · ".join([machine.label, *processes(machine)])


def facts(machine: Machine, language: str) -> list[nodes.Node]:
    """Say all that is known: device, processes, versions, date."""
    versions = (
        ("torch", machine.torch.partition("+")[0]),  # "+cpu" says what stands before
        ("CUDA", machine.cuda),
        ("NCCL", machine.nccl),
        ("Python", machine.python),
    )
    texts = [
        *([] if machine.gpu else [_("CPU cores: %d") % machine.cores]),
        *processes(machine),
        *(f"{name} {version}" for name, version in versions if version),
        *([long_date(machine.date, language)] if machine.date else []),
    ]
    times = f"{machine.gpus} × " if machine.gpu else ""  # noqa: RUF001
    # a product's name, which no language translates
    name = nodes.literal("", machine.device, classes=["device"])
    return [nodes.Text(times), name, nodes.Text(" · ".join(["", *texts]))]


def processes(machine: Machine) -> Iterator[str]:
    """Say how many processes there were, if the page asks for several."""
    if machine.ranks != machine.asked:
        values = {"started": machine.ranks, "asked": machine.asked}
        yield _("%(started)d of %(asked)d processes") % values
    elif machine.ranks > 1:
        yield _("%d processes") % machine.ranks


@cache
def long_date(date: str, language: str) -> str:
    """Write a date such as 2026-11-20 in words of a language."""
    try:
        day = datetime.date.fromisoformat(date)
        return str(format_date(day, "long", locale=language))
    except (ValueError, UnknownLocaleError):
        return date
