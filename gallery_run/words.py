"""Say in the reader's language what a page needs, and on which machines it ran."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from babel import UnknownLocaleError
from babel.dates import format_date
from docutils import nodes
from sphinx.locale import _

from gallery_intl.text.sentences import joined
from gallery_run.machine import Machine
from gallery_run.needs import uses_gpus, world_size

NOTEBOOK_PACKAGES = ("jupyter", "ipyparallel")

Word = Callable[[str], str]  # gives a text of the interface in the reader's language


def started(script: str) -> str:
    """Return in words as how many processes a page is started, and with what."""
    if ranks := world_size(script):
        return _("%d processes, started with torchrun") % ranks
    return _("One process, started with python")


def devices(script: str) -> str:
    """Return on which devices a page runs, as a sentence."""
    if uses_gpus(script):
        return _("Runs on a CPU, and on GPUs where there are any")
    return _("Runs on a CPU")


def notebook_needs(script: str) -> list[str]:
    """Return what the cell that starts ranks needs, if a page's notebook has one."""
    if not world_size(script):
        return []
    return [_("The notebook also needs: %s") % _(", ").join(NOTEBOOK_PACKAGES)]


def made_on(here: Machine, others: Iterable[Machine]) -> str:
    """Return where the outputs of a page were made."""
    made = _made_here(here)
    if names := " · ".join(one.name for one in others):
        made = joined(made, _("Tabs show those of other machines: %s.") % names)
    return made


def _made_here(here: Machine) -> str:
    version = here.torch.partition("+")[0]  # "+cpu" says what stands before
    where = _made_by(here)
    if not version:
        return _("Outputs on this page: %s.") % where
    values = {"machine": where, "version": version}
    return _("Outputs on this page: %(machine)s, PyTorch %(version)s.") % values


def _made_by(machine: Machine) -> str:
    if machine.gpu:
        return " · ".join([machine.name, *processes(machine, _)])
    return _("%d ranks on one CPU") % machine.ranks if machine.ranks else _("one CPU")


def interface_line(*children: nodes.Node, name: str) -> nodes.paragraph:
    """Return a line that is in no page's catalog and in no search result."""
    return nodes.paragraph(
        "", "", *children, translatable=False, classes=[name, "no-search"]
    )


def facts(machine: Machine, language: str, _: Word) -> tuple[str, str, str]:
    """Return all that is known: "2 × ", the device, and processes, versions, date."""  # noqa: RUF002
    versions = (
        ("torch", machine.torch.partition("+")[0]),  # "+cpu" says what stands before
        ("CUDA", machine.cuda),
        ("NCCL", machine.nccl),
        ("Python", machine.python),
    )
    texts = [
        *([] if machine.gpu else [_("CPU cores: %d") % machine.cores]),
        *processes(machine, _),
        *(f"{name} {version}" for name, version in versions if version),
        *([long_date(machine.date, language)] if machine.date else []),
    ]
    times = f"{machine.gpus} × " if machine.gpu else ""  # noqa: RUF001
    return times, machine.gpu or machine.cpu, " · ".join(["", *texts])


def processes(machine: Machine, _: Word) -> Iterator[str]:
    """Yield how many processes there were, if the page asks for several."""
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
