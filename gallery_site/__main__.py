"""The project's commands; ``python -m gallery_site --help`` lists them."""

from __future__ import annotations

import argparse
import functools
import sys
from pathlib import Path

from gallery_intl.__main__ import (
    command_line,
    merged,
    progress,
    reviewed,
    todo,
)
from gallery_intl.__main__ import run as run_command
from gallery_intl.catalogs.own import folders_in
from gallery_intl.files import remove_unfinished
from gallery_site import unix  # noqa: F401 - before what Windows cannot import

# isort: split
from gallery_site.build import build_site, only_one, run_scripts
from gallery_site.checks import check
from gallery_site.languages import explain
from gallery_site.messages import collect
from gallery_site.offline import pack
from gallery_site.project import BuildError, read_site


def html(options: argparse.Namespace) -> None:
    """Build the site, or only the languages named."""
    front = build_site(options.source, options.language)
    print(f"the site is in {front.parent}: open {front}, or run: make serve")


def zip_(options: argparse.Namespace) -> None:
    """Pack the built site into a zip to be read offline."""
    print(pack(read_site(options.source)))


def run(options: argparse.Namespace) -> None:
    """Run the gallery's scripts that changed."""
    run_scripts(read_site(options.source))


def catalogs(options: argparse.Namespace) -> None:
    """Bring the catalogs of all languages up to the scripts; run none of them."""
    site = read_site(options.source)
    with only_one(site):
        own = folders_in(site.srcdir)
        for folder in (site.locale_dir, *own):
            remove_unfinished(folder)
        languages = list(site.languages)
        for path in merged(collect(site), site.locale_dir, languages, own):
            print(path.relative_to(site.srcdir))


def serve(options: argparse.Namespace) -> None:
    """Serve the built site on this machine."""
    import http.server  # which no other command needs

    folder = read_site(options.source).html
    if not folder.is_dir():
        raise BuildError(f"{folder} is not there yet (build it: make html)")
    handler = functools.partial(
        http.server.SimpleHTTPRequestHandler, directory=str(folder)
    )
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", options.port), handler)
    except OSError as error:
        raise BuildError(
            f"port {options.port}: {error.strerror} (choose another: make serve"
            " PORT=8001)"
        ) from None
    print(f"http://127.0.0.1:{server.server_port}/  (stop with Ctrl-C)", flush=True)
    server.serve_forever()


def live(options: argparse.Namespace) -> None:
    """Serve one language, and show each saved edit at once."""
    from gallery_site.live import live  # a server, which no other command needs

    live(read_site(options.source), options.language, options.port, options.run)


def parser() -> argparse.ArgumentParser:
    made = [html, zip_, run, serve, live, catalogs, check, todo, progress, reviewed]
    top, commands = command_line("gallery_site", __doc__, made)
    commands["html"].add_argument("language", nargs="*", help="default: all")
    for name in ("serve", "live"):
        commands[name].add_argument("--port", type=int, default=8000)
    commands["check"].add_argument("paths", type=Path, nargs="*", help="default: all")
    commands["check"].add_argument(
        "--format", choices=("text", "github"), default="text"
    )
    commands["check"].add_argument("--rules", action="store_true", help="the manual")
    commands["live"].add_argument("language", help="such as ko")
    commands["live"].add_argument(
        "--no-run",
        dest="run",
        action="store_false",
        help="leave out what the scripts show; needs no torch",
    )
    return top


def main() -> int:
    return run_command(parser(), BuildError, explain=explain)


if __name__ == "__main__":
    sys.exit(main())
