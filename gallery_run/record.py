"""Record what pages print and draw on this machine, for readers who have no such GPU.

A page that asks for several ranks runs under torchrun, with one rank for each GPU (as
many as it asks for on a machine without any). It needs the standard library, torch and
matplotlib, and no Sphinx: a machine with GPUs is often borrowed.
"""

from __future__ import annotations

import argparse
import re
import runpy
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from gallery_intl.script.source import normalize_newlines
from gallery_run import machine, records
from gallery_run.machine import Machine
from gallery_run.record_run import (
    Page,
    RecordingError,
    RefusalError,
    gpus_here,
    run,
)
from gallery_run.records import RecordError


class Site(NamedTuple):
    """What conf.py says that concerns recording."""

    srcdir: Path
    records: Path
    deadline: float
    pages: list[Page]


def read_site(srcdir: Path) -> Site:
    """Read conf.py as what it is, a Python file."""
    try:
        conf = runpy.run_path(str(srcdir / "conf.py"))
        gallery = conf["sphinx_gallery_conf"]
    except (OSError, ImportError, KeyError) as error:
        raise RecordingError(
            f"{srcdir / 'conf.py'}:1: cannot be read here: {error!r} (record from a"
            " folder whose conf.py imports nothing that this machine lacks)"
        ) from None
    folders = gallery.get("examples_dirs", "../examples")
    folders = [folders] if isinstance(folders, str) else folders
    pattern = gallery.get("filename_pattern", r"[\\/]plot")
    found = [page for one in folders for page in pages(srcdir / one, pattern)]
    return Site(
        srcdir,
        srcdir / conf.get("gallery_intl_records", records.FOLDER),
        float(conf.get("gallery_intl_deadline", 120)),
        found,
    )


def pages(folder: Path, pattern: str) -> Iterator[Page]:
    """Give the scripts of a gallery that Sphinx-Gallery would run."""
    for script in sorted(folder.rglob("*.py")):
        if re.search(pattern, str(script)) and script.name != "__init__.py":
            name = script.relative_to(folder).with_suffix("").as_posix()
            text = normalize_newlines(script.read_text(encoding="utf-8"))
            yield Page(name, script.resolve(), text)


def choose(site: Site, names: list[str]) -> list[Page]:
    """Give the pages that were named, else all that use a GPU."""
    if not names:
        return [page for page in site.pages if page.uses_gpus]
    known = {page.name: page for page in site.pages}
    wanted = [Path(name).with_suffix("").as_posix() for name in names]
    chosen = [
        next((p for n, p in known.items() if f"/{one}".endswith(f"/{n}")), None)
        for one in wanted
    ]
    for name, page in zip(names, chosen, strict=True):
        if page is None:
            raise RecordingError(f"no page {name!r}; there are {', '.join(known)}")
    return [page for page in chosen if page]


def profile(here: Machine) -> str:
    """Name a machine's records: ``2x-h200``, or its CPU."""
    return slug(here.label.replace(" × ", "x-") if here.gpu else here.cpu)  # noqa: RUF001


def slug(text: str) -> str:
    """Make a name that any file system and URL takes."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "cpu"


def expected(page: Page, gpu: str, gpus: int) -> Machine:
    """Tell on what a page will run if it accepts all that is here."""
    used = (page.rank_counts(gpus)[0] or gpus) if gpus and page.uses_gpus else 0
    return Machine(machine.cpu_name(), 0, gpu if used else "", used)


def is_current(path: Path, page: Page) -> bool:
    """Tell whether a record is there, whole and of the page's code."""
    try:
        return records.read(path).code == records.code_hash(page.text)
    except (RecordError, SyntaxError):
        return False


def record_pages(site: Site, names: list[str], name: str | None = None) -> bool:
    """Record pages, the named ones anew and else what is not current.

    Tells whether all went well.
    """
    gpu, gpus = gpus_here()
    chosen = choose(site, names)
    well = True
    for page in chosen:
        known = name or profile(expected(page, gpu, gpus))
        if not names and is_current(site.records / page.name / f"{known}.json", page):
            print(f"{page.name}: recorded already", flush=True)
            continue
        well = record_page(site, page, gpus, name) and well
    return well


def record_page(site: Site, page: Page, gpus: int, name: str | None) -> bool:
    """Record one page, or say why not; it may refuse, which is no failure."""
    began = time.monotonic()
    print(f"{page.name} ... ", end="", flush=True)
    try:
        made, refusals = run(page, gpus, site.deadline)
    except RefusalError as error:
        print("not recorded", *str(error).split("\n"), sep="\n  ", flush=True)
        return True
    except RecordingError as error:
        print("failed", flush=True)
        print(f"{error}\n", file=sys.stderr, flush=True)
        return False
    path = site.records / page.name / f"{name or profile(made.machine)}.json"
    records.write(path, made)
    print(f"{time.monotonic() - began:.1f} s, {made.machine.label}: {path}", flush=True)
    ranks, asked = made.machine.ranks, made.machine.asked
    if ranks < asked:
        print(f"  it asks for {asked} ranks and ran with {ranks}", flush=True)
    for said in refusals:
        print(f"  {said}", flush=True)
    return True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command line may say."""
    parser.add_argument("page", nargs="*", help="such as part/page; default: not done")
    parser.add_argument("--profile", help="name of the records; default: the GPUs")


def main(arguments: list[str]) -> int:
    """Run the command; give its exit status."""
    parser = argparse.ArgumentParser(prog="python -m gallery_run")
    parser.add_argument("--source", type=Path, default=Path(), help="folder of conf.py")
    add_arguments(parser)
    options: Any = parser.parse_args(arguments)
    try:
        site = read_site(options.source.resolve())
        name = slug(options.profile) if options.profile else None
        return 0 if record_pages(site, options.page, name) else 1
    except RecordingError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nstopped; no record was changed", file=sys.stderr)
        return 130
