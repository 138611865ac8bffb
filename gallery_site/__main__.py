"""The project's commands; ``python -m gallery_site --help`` lists them."""

from __future__ import annotations

import argparse
import functools
import shutil
import sys
from pathlib import Path

from sphinx.errors import SphinxError

from gallery_intl.catalogs import merge as update
from gallery_intl.catalogs import progress as counting
from gallery_intl.catalogs.po import CatalogError, po_path
from gallery_intl.files import remove_unfinished
from gallery_intl.interface.words import fill_from_sphinx
from gallery_intl.rules import check as checking
from gallery_site.build import build_site, only_one, run_scripts
from gallery_site.languages import explain, run_sphinx
from gallery_site.offline import pack
from gallery_site.project import BuildError, read_site


def html(options: argparse.Namespace) -> None:
    """Build the site, or only the languages named."""
    front = build_site(options.source, options.language)
    print(f"the site is in {front.parent}: open {front}, or run: make serve")


def zip_(options: argparse.Namespace) -> None:
    """Pack the built languages, or only those named, to be read offline."""
    site = read_site(options.source)
    for path in pack(site, options.language or list(site.languages)):
        print(path)


def run(options: argparse.Namespace) -> None:
    """Run the gallery's scripts that changed."""
    run_scripts(options.source)


def catalogs(options: argparse.Namespace) -> None:
    """Bring the catalogs of all languages up to the scripts."""
    site = read_site(options.source)
    templates, doctrees = site.out / "gettext", site.doctrees("gettext")
    with only_one(site):
        remove_unfinished(site.locale_dir)
        run_scripts(site.srcdir)
        for folder in (templates, doctrees):
            shutil.rmtree(folder, ignore_errors=True)
        values = {"gallery_intl_run": False}
        if run_sphinx(site.srcdir, "gettext", templates, doctrees, values, sys.stderr):
            raise BuildError("no messages collected; the catalogs are as they were")
        changed = [*update.update(templates, site.locale_dir, list(site.languages))]
        for language in site.languages:
            path = po_path(site.locale_dir, language, "sphinx")
            if fill_from_sphinx(path, language) and path not in changed:
                changed.append(path)
        for path in changed:
            print(path.relative_to(site.srcdir))


def progress(options: argparse.Namespace) -> None:
    """Show how much of each page each language has."""
    site = read_site(options.source)
    languages = list(site.languages)
    rows = counting.table(site.locale_dir, languages)
    if options.json:
        print(counting.as_json(rows))
    else:
        print("\n".join(counting.as_text(rows, languages)))


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


def check(options: argparse.Namespace) -> None:
    """Check every rule that a translation must keep."""
    if options.rules:
        print("\n".join(checking.manual()))
    elif not checking.check(
        options.paths, read_site(options.source).locale_dir, options.format
    ):
        sys.exit(1)


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    top = argparse.ArgumentParser(prog="python -m gallery_site", description=__doc__)
    top.add_argument("--source", type=Path, default=Path(), help="folder of conf.py")
    commands = top.add_subparsers(required=True, metavar="command")
    made = (html, zip_, run, catalogs, check, progress, serve, live)
    for function in made:
        name = function.__name__.removesuffix("_")
        command = commands.add_parser(name, help=function.__doc__)
        command.set_defaults(function=function)
        if function in (html, zip_):
            command.add_argument("language", nargs="*", help="default: all")
        if function is check:
            command.add_argument("paths", type=Path, nargs="*", help="default: all")
            command.add_argument("--format", choices=("text", "github"), default="text")
            command.add_argument("--rules", action="store_true", help="the manual")
        if function is progress:
            command.add_argument("--json", action="store_true", help="for programs")
        if function in (serve, live):
            command.add_argument("--port", type=int, default=8000)
        if function is live:
            command.add_argument("language", help="such as ko")
            command.add_argument(
                "--no-run",
                dest="run",
                action="store_false",
                help="leave out what the scripts show; needs no torch",
            )
    return top


def main() -> int:
    """Run a command; give its exit status."""
    options = parser().parse_args()
    options.source = options.source.resolve()
    try:
        options.function(options)
    except (BuildError, CatalogError, SphinxError) as error:
        category = getattr(error, "category", "Error")
        print(f"{category}: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"Error: {explain(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
