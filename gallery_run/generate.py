"""Run the gallery's scripts: the child process behind `gallery_run.run`.

A process of its own can be ended when a page hangs, and whatever a script does to its
process ends with it. It tells its parent what it does in lines of JSON, and ends when
the parent does. One process at a time holds the lock of the generated folder.
"""

from __future__ import annotations

import io
import json
import os
import re
import resource
import shutil
import signal
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from sphinx.application import Sphinx
from sphinx.errors import SphinxError
from sphinx.util.console import (  # type: ignore[attr-defined]
    strip_escape_sequences,
)
from sphinx_gallery import gen_gallery, gen_rst  # type: ignore[import-untyped]
from sphinx_gallery.scrapers import (  # type: ignore[import-untyped]
    clean_modules,
)
from sphinx_gallery.utils import get_md5sum  # type: ignore[import-untyped]

from gallery_intl.script.source import world_size
from gallery_run import fingerprint, machine, processes
from gallery_run.outcomes import script_line, script_traceback

LOCK = ".lock"
Tell = Callable[..., None]


class PageError(SphinxError):
    """A page of the gallery did not run to its end."""


def is_done(source: Path, target: Path) -> bool:
    """Tell whether Sphinx-Gallery would leave the script out: it ran, as it now is."""
    md5 = Path(f"{target}.md5")
    return md5.exists() and md5.read_text() == get_md5sum(source, mode="t")


def forget_unfinished(target: Path) -> None:
    """Make a page run again whose run did not end, or whose page is gone.

    Sphinx-Gallery notes the script as done before it writes the page.
    """
    if note(target).exists() or not target.with_suffix(".rst").exists():
        Path(f"{target}.md5").unlink(missing_ok=True)


def note(target: Path) -> Path:
    """Return the file that is there while a page runs."""
    return Path(f"{target}.running")


def remove_figures(target: Path) -> None:
    """Remove a page's figures: the next run may draw fewer, or in another format."""
    name = re.escape(f"sphx_glr_{target.stem}_")
    figure = re.compile(rf"{name}(\d{{3,}}(_\d+_\d+x)?|thumb)(\.new)?\.\w+")
    for file in (target.parent / "images").rglob("sphx_glr_*"):
        if figure.fullmatch(file.name):
            file.unlink()


def remove_page(target: Path) -> None:
    """Remove everything that was generated from a script that is gone."""
    remove_figures(target)
    for file in target.parent.glob(f"{target.stem}.*"):
        file.unlink()


def scripts(srcdir: Path, gallery: dict[str, Any]) -> Iterator[tuple[Path, Path]]:
    """Yield (script, its copy in the generated folder) in the order of the gallery."""
    for examples, generated in fingerprint.gallery_dirs(srcdir, gallery):
        for section in ["", *sections(srcdir, examples, gallery)]:
            folder = examples / section
            for name in sorted(gen_rst._collect_gallery_files([folder], gallery)):
                yield folder / name, generated / section / name


def sections(srcdir: Path, examples: Path, gallery: dict[str, Any]) -> list[str]:
    """Return the folders of a gallery that are sections of it."""
    header = gen_rst._get_gallery_header(examples, gallery, raise_error=False)
    names: list[str] = gen_gallery.get_subsections(
        srcdir, examples, gallery, check_for_header=header is not None
    )
    return names


def prune(srcdir: Path, gallery: dict[str, Any], targets: set[Path]) -> None:
    """Remove pages and sections that have no script any more, and half-written files.

    Their reST would stay in the documentation as pages outside any toctree.
    """
    for examples, generated in fingerprint.gallery_dirs(srcdir, gallery):
        for new in [*generated.rglob("*.new"), *generated.rglob("*.new.*")]:
            new.unlink()
        keep = {*sections(srcdir, examples, gallery), "images"}
        for folder in generated.iterdir():
            if folder.is_dir() and folder.name not in keep:
                shutil.rmtree(folder)
        for script in generated.rglob("*.py"):
            if script not in targets:
                remove_page(script)


def describe(error: BaseException, source: Path, srcdir: Path) -> str:
    """Say where a script failed and how, without the frames of Sphinx-Gallery."""
    within: BaseException | None = error
    while within:
        if isinstance(within, SphinxError):  # a feature's own words
            return str(within)
        within = within.__context__
    page = os.path.relpath(source, srcdir)
    if line := script_line(error, source):
        page = f"{page}:{line}"
    return f"{page}: the script failed\n\n{script_traceback(error, source)}"


def note_machine(source: Path, target: Path) -> None:
    """Note beside a page the machine that its outputs came from."""
    script = source.read_text(encoding="utf-8")
    machine.write(target, machine.take(script, world_size(script) or 0))


class Pages:
    """Sphinx-Gallery's function that makes a page, made safe to interrupt.

    It stands in place of `gen_rst.generate_file_rst`. Sphinx-Gallery has no event for
    the beginning and the end of a page, and calls no reset function after a script
    that aborts the build.
    """

    def __init__(self, srcdir: Path, tell: Tell) -> None:
        self.srcdir, self.tell = srcdir, tell
        self.make_page = gen_rst.generate_file_rst

    def __call__(self, name: str, target_dir: Path, source_dir: Path, conf: Any) -> Any:
        source, target = Path(source_dir, name), Path(target_dir, name)
        if is_done(source, target) or not gen_rst.executable_script(source, conf):
            return self.make_page(name, target_dir, source_dir, conf)
        page = source.relative_to(self.srcdir).as_posix()
        note(target).touch()
        remove_figures(target)
        began = time.monotonic()
        self.tell("start", page=page)
        try:
            compile(source.read_bytes(), str(source), "exec")
            made = self.run(name, target_dir, source_dir, conf)
            note_machine(source, target)
        except BaseException as error:
            Path(f"{target}.md5").unlink(missing_ok=True)
            raise PageError(describe(error, source, self.srcdir)) from error
        note(target).unlink()
        self.tell("end", page=page, seconds=time.monotonic() - began)
        return made

    def run(self, name: str, target_dir: Path, source_dir: Path, conf: Any) -> Any:
        try:
            return self.make_page(name, target_dir, source_dir, conf)
        except BaseException:
            clean_modules(conf, name, "after")
            raise


def prepare(srcdir: Path, gallery: dict[str, Any], tell: Tell) -> None:
    """Bring the generated folder into a state from which Sphinx-Gallery goes right."""
    pairs = list(scripts(srcdir, gallery))
    prune(srcdir, gallery, {target for _, target in pairs})
    for _, target in pairs:
        forget_unfinished(target)
    done = sum(is_done(source, target) for source, target in pairs)
    tell("plan", run=len(pairs) - done, unchanged=done)


def install(srcdir: Path, tell: Tell) -> None:
    """Put our two functions in place of Sphinx-Gallery's."""
    prepare_dirs = gen_gallery._prepare_sphx_glr_dirs

    def prepare_first(gallery: dict[str, Any], root: Path) -> Any:
        prepare(srcdir, gallery, tell)
        return prepare_dirs(gallery, root)

    gen_gallery._prepare_sphx_glr_dirs = prepare_first
    gen_rst.generate_file_rst = Pages(srcdir, tell)


def generate(srcdir: Path, confdir: Path, overrides: dict[str, Any], tell: Tell) -> str:
    """Generate the pages of the gallery; return Sphinx's warnings."""
    warnings = io.StringIO()
    install(srcdir, tell)
    with tempfile.TemporaryDirectory() as out:
        app = Sphinx(
            srcdir,
            confdir,
            out,
            out,
            "dummy",
            confoverrides={**overrides, "gallery_intl_generate": True},
            status=None,
            warning=warnings,
        )
        gen_gallery.summarize_failing_examples(app, None)
    return strip_escape_sequences(warnings.getvalue())


def generate_changed(
    srcdir: Path, confdir: Path, overrides: dict[str, Any], tell: Tell
) -> None:
    """Generate what changed since the last run, and leave its fingerprint."""
    gallery = fingerprint.read_settings(confdir, overrides).gallery
    dirs = fingerprint.gallery_dirs(srcdir, gallery)
    with locked(dirs[0][1], tell):
        last = fingerprint.read(dirs[0][1])
        now = fingerprint.take(srcdir, gallery)
        if fingerprint.is_current(last, now):
            return
        if last is None or last.environment != now.environment:
            for _, generated in dirs:
                for md5 in generated.rglob("*.md5"):
                    md5.unlink()
        fingerprint.write(dirs[0][1], now._replace(files="", pages=[]))
        warnings = generate(srcdir, confdir, overrides, tell)
        tell("warnings", text=warnings)
        if not warnings:
            pages = fingerprint.take(srcdir, gallery).pages
            fingerprint.write(dirs[0][1], now._replace(pages=pages))


def locked(folder: Path, tell: Tell) -> FileLock:
    """Wait until no other process runs the gallery, and hold the lock."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        tell("waiting")
        lock.acquire(poll_interval=0.2)
    tell("locked")
    return lock


def end_with_parent(alive: int) -> None:
    """Wait until the parent is gone, then end this process and all below it."""
    os.read(alive, 1)
    processes.send(processes.descendants(os.getpid()), signal.SIGKILL)
    shutil.rmtree(os.environ["TMPDIR"], ignore_errors=True)  # the parent's, for us
    processes.kill_tree(os.getpid())
    os._exit(1)


def main(request: dict[str, Any]) -> int:
    """Run the gallery as `gallery_run.run` asks for; return the exit status."""

    def tell(kind: str, **values: Any) -> None:
        os.write(request["events"], (json.dumps([kind, values]) + "\n").encode())

    alive = request["alive"]
    threading.Thread(target=end_with_parent, args=(alive,), daemon=True).start()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    processes.adopt_orphans()
    srcdir, confdir = Path(request["srcdir"]), Path(request["confdir"])
    try:
        generate_changed(srcdir, confdir, request["overrides"], tell)
    except SphinxError as error:
        tell("failed", text=strip_escape_sequences(str(error)))
        return 1
    except BaseException:
        tell("failed", text=traceback.format_exc())
        return 1
    finally:
        processes.send(processes.descendants(os.getpid()), signal.SIGKILL)
    tell("done")
    return 0
