"""Run the gallery's scripts: the child process behind `gallery_run.run`.

A process of its own can be ended when a page hangs, and whatever a script does to its
process ends with it. It tells its parent what it does, and ends when the parent does.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import resource
import shutil
import signal
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import SphinxError
from sphinx.util.console import (  # type: ignore[attr-defined]
    strip_escape_sequences,
)

from gallery_run import fingerprint, machine, processes, upstream
from gallery_run.needs import world_size
from gallery_run.outcomes import script_error

Tell = Callable[..., None]


def note(target: Path) -> Path:
    """Return the file that is there while a page runs."""
    return Path(f"{target}.running")


def remove_figures(target: Path) -> None:
    """Remove a page's figures: the next run may draw fewer, or in another format."""
    for figure in list(upstream.figures(target)):
        figure.unlink()


def copies(srcdir: Path, gallery: dict[str, Any]) -> Iterator[tuple[Path, Path]]:
    """Yield each file of the gallery with the place of its copy."""
    for examples, generated in fingerprint.gallery_dirs(srcdir, gallery):
        for path in fingerprint.files_in(examples):
            yield examples / path, generated / path


def to_make(srcdir: Path, gallery: dict[str, Any]) -> set[str]:
    """Return what a run may make, as far as it is known before: pages, other files."""
    made = set[Path]()
    for _, copy in copies(srcdir, gallery):
        made |= {copy, copy.with_name("index.rst")}
        if copy.suffix == ".py":
            made.add(copy.with_suffix(".rst"))
    return {os.path.relpath(path, srcdir) for path in made}


def prune(srcdir: Path, gone: Iterable[str]) -> None:
    """Remove what an earlier run made and this one will not, nobody's own files."""
    for path in [Path(srcdir, name) for name in gone]:
        path.unlink(missing_ok=True)
        if path.suffix == ".py":
            remove_figures(path)
            own = [note(path), machine.path_of(path)]
            for file in [*own, *upstream.page_files(path)]:
                file.unlink(missing_ok=True)
        images = path.parent / "images"
        for folder in (images / "thumb", images, path.parent):
            with contextlib.suppress(OSError):  # it is gone, or holds other files
                folder.rmdir()


def describe(error: BaseException, source: Path, srcdir: Path) -> str:
    """Return where a script failed and how, without the frames of Sphinx-Gallery."""
    within: BaseException | None = error
    while within:
        if isinstance(within, SphinxError):  # a feature's own words
            return str(within)
        within = within.__context__
    page = os.path.relpath(source, srcdir)
    line, text = script_error(error, source)
    place = f"{page}:{line}" if line else page
    return f"{place}: the script failed\n\n{text}"


def make_page(
    make: upstream.PageMaker,
    srcdir: Path,
    tell: Tell,
    name: str,
    target_dir: Path,
    source_dir: Path,
    conf: dict[str, Any],
) -> Any:
    """Make a page as Sphinx-Gallery does with `make`, and tell the parent of it."""
    source, target = Path(source_dir, name), Path(target_dir, name)
    if upstream.is_done(source, target) or not upstream.is_run(source, conf):
        return make(name, target_dir, source_dir, conf)
    note(target).touch()
    remove_figures(target)
    began = time.monotonic()
    tell("start", page=source.relative_to(srcdir).as_posix())
    script = source.read_text(encoding="utf-8")
    try:
        compile(source.read_bytes(), str(source), "exec")
        made = make(name, target_dir, source_dir, conf)
        machine.write(target, machine.take(script, world_size(script) or 0))
    except BaseException as error:
        upstream.forget(target)
        # Sphinx-Gallery leaves it out after a script that aborts the build
        upstream.clean_modules(conf, name, "after")
        raise SphinxError(describe(error, source, srcdir)) from error
    note(target).unlink()
    tell("end", seconds=time.monotonic() - began)
    return made


def prepare(srcdir: Path, gallery: dict[str, Any], tell: Tell, *, anew: bool) -> None:
    """Bring the generated folder into a state from which Sphinx-Gallery goes right."""
    pairs = [pair for pair in copies(srcdir, gallery) if pair[0].suffix == ".py"]
    for _, target in pairs:
        # Sphinx-Gallery notes a script as done before it writes the page
        if anew or note(target).exists() or not target.with_suffix(".rst").exists():
            upstream.forget(target)
    run = sum(
        upstream.is_run(source, gallery) and not upstream.is_done(source, target)
        for source, target in pairs
    )
    tell("plan", run=run, unchanged=len(pairs) - run)


def generate_changed(
    tell: Tell, srcdir: Path, confdir: Path, overrides: dict[str, Any], folder: Path
) -> str:
    """Generate what changed since the last run; return what Sphinx warns of.

    ``folder`` is where the run's fingerprint is.
    """
    gallery = fingerprint.read_settings(confdir, overrides).sphinx_gallery_conf
    last, now = fingerprint.read(folder), fingerprint.take(srcdir, gallery)
    # a build of written sources does not generate by itself
    warnings, values = io.StringIO(), {**overrides, "gallery_intl_project": str(srcdir)}
    with tempfile.TemporaryDirectory() as out:
        app = Sphinx(srcdir, confdir, out, out, "dummy", values, None, warnings)
        gallery = app.config.sphinx_gallery_conf
        made, known = to_make(srcdir, gallery), set(last.made if last else ())
        prune(srcdir, known - made)
        anew = last is None or last.environment != now.environment
        prepare(srcdir, gallery, tell, anew=anew)
        # of no files, so that it stands for no gallery if this run does not end
        fingerprint.write(folder, now._replace(files="", made=sorted(made)))
        upstream.make_pages_with(
            lambda make: functools.partial(make_page, make, srcdir, tell)
        )
        upstream.generate(app)
    said = strip_escape_sequences(warnings.getvalue())
    if not said:
        there = sorted(name for name in made if Path(srcdir, name).exists())
        fingerprint.write(folder, now._replace(made=there))
    return said


def end_with(parent: Connection) -> None:
    """Wait until the parent is gone, then end this process and all below it."""
    with contextlib.suppress(EOFError, OSError):
        parent.recv()
    processes.send(processes.descendants(os.getpid()), signal.SIGKILL)
    shutil.rmtree(os.environ["TMPDIR"], ignore_errors=True)  # the parent's, for us
    processes.kill_tree(os.getpid())


def main(pipe: int) -> int:
    """Run the gallery as `gallery_run.run` asks for; return the exit status."""
    parent = Connection(pipe)
    request = parent.recv()

    def tell(kind: str, **values: Any) -> None:
        parent.send((kind, values))

    threading.Thread(target=end_with, args=(parent,), daemon=True).start()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    processes.adopt_orphans()
    try:
        warnings = generate_changed(tell, *request)
    except SphinxError as error:
        tell("failed", text=strip_escape_sequences(str(error)))
        return 1
    except BaseException:
        tell("failed", text=traceback.format_exc())
        return 1
    finally:
        processes.send(processes.descendants(os.getpid()), signal.SIGKILL)
    tell("done", warnings=warnings)
    return 0
