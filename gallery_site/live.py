"""Serve one language, and build it again after each saved edit."""

from __future__ import annotations

import functools
import io
import os
import socket
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import uvicorn
from sphinx_autobuild.__main__ import _create_app  # type: ignore[import-untyped]
from sphinx_autobuild.filter import IgnoreFilter  # type: ignore[import-untyped]

from gallery_intl.files import only_one
from gallery_run.run import run_gallery
from gallery_site.checks import catalog_findings
from gallery_site.languages import build_source, explain, import_once
from gallery_site.messages import make_pages
from gallery_site.project import BuildError, Site, read_site
from po_check_cjk.check import glossary_or_finding

# An editor's copies, and files of no interest to a page.
IGNORED = [
    r"(^|/)[.#][^/]*$",
    r"~$",
    r"/(?:_build|\.venv|__pycache__|\.git)/",
    r"\.mo$",
]


def live(site: Site, language: str, port: int, runs: bool) -> None:
    """Serve one language until Ctrl-C; without ``runs`` no script is run."""
    site.known([language])
    listener = listen(port)
    import_once(site)
    out = site.out / ("live" if runs else "preview")
    with only_one(out, lambda: print("another live view is open here", flush=True)):
        build = functools.partial(rebuild, site.srcdir, language, out, runs)
        # like those that follow, in a process of its own: gettext reads a file once
        with ProcessPoolExecutor(1) as pool:
            pool.submit(build).result()
        ignored = IgnoreFilter([site.out, *site.generated], IGNORED)
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        pages = out / "stage" / language
        app = _create_app([site.srcdir], ignored, build, pages, address)
        print(f"http://{address}/  (stop with Ctrl-C)", flush=True)
        config = uvicorn.Config(app, log_level="error")
        uvicorn.Server(config).run(sockets=[listener])


def listen(port: int) -> socket.socket:
    """Return a socket at a port, before the first build takes its time."""
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        reason = f"port {port}: {error.strerror}"
        raise BuildError(f"{reason} (choose another: make live-ko PORT=8001)") from None


def rebuild(
    srcdir: Path,
    language: str,
    out: Path,
    runs: bool,
    changed_paths: Sequence[Path] = (),
) -> None:
    """Build what has changed; print how it went, and what edited catalogs lack."""
    start, output = time.monotonic(), io.StringIO()
    try:
        site = read_site(srcdir)
        if runs:
            run_gallery(srcdir, srcdir)
        else:
            make_pages(site, out / "pages")
            site = read_site(out / "pages")
        build_source(site._replace(out=out), language, [], output, is_live=True)
    except Exception as error:  # the next edit may correct it
        print(explain(error), file=output)
    glossary, _findings = glossary_or_finding(srcdir / "locales" / "glossary.csv")
    for path in changed_paths:
        if path.suffix == ".po" and path.is_file():
            for finding in catalog_findings(path, glossary):
                print(finding, file=output)
    seconds = time.monotonic() - start
    text = output.getvalue().replace(f"{srcdir}{os.sep}", "")
    print(f"{text}built in {seconds:.1f} s", flush=True)
