"""Build the whole site: run the gallery once, then all languages side by side.

Each language is a plain Sphinx build that only reads what the run made. The site is put
in place when every language is done, so a failed build leaves the old one standing.
"""

from __future__ import annotations

import contextlib
import io
import json
import multiprocessing
import os
import re
import shutil
import threading
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import NamedTuple, TextIO, cast

from filelock import FileLock, Timeout
from jinja2 import Environment, FileSystemLoader
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import SphinxError
from sphinx.util.console import nocolor
from sphinx.util.docutils import docutils_namespace, patch_docutils
from sphinx.util.tags import Tags

from gallery_intl import catalogs, records
from gallery_intl.content_policy import pages, write_policies
from gallery_intl.fingerprint import gallery_dirs, read_settings
from gallery_intl.languages import language_tag
from gallery_intl.run import run_gallery
from gallery_intl.status import broken_catalogs

HERE = Path(__file__).parent
# What every language build imports; done once, in the process they are forked from.
PRELOAD = ["gallery_intl.build", "sphinx_gallery.gen_gallery"]
# As in cards; one with inline markup is none.
SENTENCE = re.compile(r"[^`*|]+?(?:[.!?](?=\s|\Z)|[。！？])")  # noqa: RUF001


class BuildError(Exception):
    """The site cannot be built; the text is all that a reader needs."""


class Site(NamedTuple):
    """What conf.py says that concerns all languages, and where things are built."""

    srcdir: Path
    title: str
    languages: dict[str, str]
    locale_dir: Path
    out: Path
    icon: str | None
    first_page: str  # the docname
    generated: list[Path]  # the folders that Sphinx-Gallery writes its pages to
    records: Path  # what pages printed on other machines

    @property
    def html(self) -> Path:
        return self.out / "html"

    def stage(self, language: str) -> Path:
        """Give where a language is built; Sphinx works on it again next time."""
        return self.out / "stage" / language

    def doctrees(self, language: str) -> Path:
        return self.out / "doctrees" / language


class Built(NamedTuple):
    """How the build of one language ended."""

    language: str
    status: int
    output: str
    seconds: float


def read_site(srcdir: Path) -> Site:
    """Read conf.py without starting Sphinx."""
    config = Config.read(srcdir, overrides={}, tags=Tags())
    config.add("gallery_intl_languages", {}, "html", dict)
    config.add("html_favicon", None, "html", str)
    config.add("gallery_intl_records", records.FOLDER, "env", str)
    gallery = read_settings(srcdir, {}).gallery
    return Site(
        srcdir,
        config.project,
        config.gallery_intl_languages,
        srcdir / config.locale_dirs[0],
        srcdir / "_build",
        config.html_favicon,
        config.root_doc,
        [pages for _scripts, pages in gallery_dirs(srcdir, gallery)],
        srcdir / config.gallery_intl_records,
    )


@contextlib.contextmanager
def only_one(site: Site) -> Iterator[None]:
    """Wait until no other build works in the same folder."""
    site.out.mkdir(parents=True, exist_ok=True)
    lock = FileLock(site.out / ".lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        print("another build is running here; waiting for it", flush=True)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def build_site(srcdir: Path, only: list[str] | None = None) -> Path:
    """Build the languages (all, or only some) and give the page to open first."""
    site = read_site(srcdir)
    languages = only or list(site.languages)
    for language in languages:
        if language not in site.languages:
            known = ", ".join(site.languages)
            raise BuildError(f"no language {language!r}; the site has {known}")
    with only_one(site):
        compile_catalogs(site, languages)
        run_scripts(srcdir)
        check_records(site)
        build_languages(site, languages)
        publish(site, languages)
    return site.html / "index.html"


def run_scripts(srcdir: Path) -> None:
    """Run the scripts that changed; a warning stops, as everywhere."""
    if warnings := run_gallery(srcdir, srcdir):
        raise BuildError("\n".join(["the gallery ran with warnings:", *warnings]))


def check_records(site: Site) -> None:
    """Name the records that pages do not show; an edited one stops."""
    try:
        for line in records.stale(site.records, site.generated):
            print(line, flush=True)
    except records.RecordError as error:
        raise BuildError(str(error)) from None


def compile_catalogs(site: Site, languages: list[str]) -> None:
    """Compile all catalogs, or name every broken one with file and line."""
    folders = [site.locale_dir / language / "LC_MESSAGES" for language in languages]
    if broken := list(broken_catalogs(folders)):
        raise BuildError("\n".join(broken))
    for language, folder in zip(languages, folders, strict=True):
        if not folder.is_dir():
            raise BuildError(f"{folder}: no catalogs (make them: make catalogs)")
        catalogs.compile_language(site.locale_dir, language)


def build_languages(site: Site, languages: list[str]) -> None:
    """Build languages side by side; show each as it ends, and all that went wrong."""
    print(f"building {', '.join(languages)} ...", flush=True)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOAD)
    builds = [start_build(context, site, language) for language in languages]
    try:
        results = [show(built) for built in as_completed(builds)]
    finally:
        for build in builds:
            build.process.kill()
    if failed := sorted(built.language for built in results if built.status):
        raise BuildError(f"not built: {', '.join(failed)}; the site is as it was")


class Build(NamedTuple):
    """The process that builds a language, and the line on which its result comes.

    A pool of processes would want semaphores, which not every machine has.
    """

    language: str
    process: BaseProcess
    line: Connection

    def result(self) -> Built:
        """Give how it ended, also if it was killed."""
        try:
            return cast(Built, self.line.recv())
        except EOFError:
            self.process.join()
            said = f"its process ended with status {self.process.exitcode}"
            return Built(self.language, 1, said, 0.0)


def start_build(context: ForkServerContext, site: Site, language: str) -> Build:
    line, end = context.Pipe(duplex=False)
    process = context.Process(target=report_build, args=(site, language, end))
    process.start()
    end.close()  # the process has its own
    return Build(language, process, line)


def as_completed(builds: list[Build]) -> Iterator[Built]:
    """Give the results in the order in which they come."""
    running = {build.line: build for build in builds}
    while running:
        for line in wait(list(running)):
            yield running.pop(cast(Connection, line)).result()


def show(built: Built) -> Built:
    """Print how a language went."""
    result = "failed" if built.status else f"{built.seconds:.1f} s"
    print(f"  {built.language:6} {result}", flush=True)
    if text := built.output.strip():
        print("\n".join(f"    {line}" for line in text.splitlines()), flush=True)
    return built


def report_build(site: Site, language: str, line: Connection) -> None:
    """Build a language in this process, unless the one that asked for it dies."""
    threading.Thread(target=end_with_parent, daemon=True).start()
    line.send(build_language(site, language))


def end_with_parent() -> None:
    """Leave nobody behind who would write into the next build."""
    if parent := multiprocessing.parent_process():
        wait([parent.sentinel])
        os._exit(1)


def build_language(site: Site, language: str) -> Built:
    """Run Sphinx for one language, in this process."""
    start = time.monotonic()
    doctrees, stage = site.doctrees(language), site.stage(language)
    status, output = 1, io.StringIO()
    nocolor()
    try:
        marker = doctrees / ".complete"
        sources = source_pages(site)
        start_afresh(marker, sources, doctrees, stage)
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            status = run_sphinx(site, language, output)
        if status == 0:
            marker.write_text(json.dumps(sources), encoding="utf-8")
    except SphinxError as error:
        print(f"{error.category}: {error}", file=output)
    except OSError as error:  # what Sphinx warned of before is its echo
        output = io.StringIO(f"Error: {explain(error)}")
    return Built(language, status, output.getvalue(), time.monotonic() - start)


def run_sphinx(site: Site, language: str, warnings: TextIO) -> int:
    """Build one language as plain Sphinx does; give its exit status."""
    with patch_docutils(site.srcdir), docutils_namespace():
        app = Sphinx(
            srcdir=site.srcdir,
            confdir=site.srcdir,
            outdir=site.stage(language),
            doctreedir=site.doctrees(language),
            buildername="html",
            confoverrides={"language": language, "gallery_intl_run": False},
            status=None,
            warning=warnings,
            warningiserror=True,
        )
        app.build()
        return app.statuscode


def explain(error: Exception) -> str:
    """Say in one line what went wrong; a copied tree has many errors in one."""
    if isinstance(error, shutil.Error) and error.args and error.args[0]:
        return str(error.args[0][0][-1])
    return str(error)


def source_pages(site: Site) -> list[str]:
    """Give the generated pages that Sphinx will find."""
    pages = (page for folder in site.generated for page in folder.rglob("*.rst"))
    return sorted(page.relative_to(site.srcdir).as_posix() for page in pages)


def start_afresh(marker: Path, sources: list[str], *folders: Path) -> None:
    """Drop what an unfinished build left, or one that had pages that are gone.

    Sphinx trusts what it finds: after a warning the page would be taken for right,
    after an interruption the page of an edited catalog would not be written again.
    """
    try:
        finished = set(json.loads(marker.read_text(encoding="utf-8"))) <= set(sources)
    except (OSError, ValueError):
        finished = False
    if not finished:
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.unlink(missing_ok=True)


def publish(site: Site, languages: list[str]) -> None:
    """Put the new pages in place in one step, beside the languages not built now."""
    new, old = site.out / "html.new", site.out / "html.old"
    for folder in (new, old):
        shutil.rmtree(folder, ignore_errors=True)
    for language in site.languages:
        source = site.stage(language) if language in languages else site.html / language
        if source.is_dir():
            shutil.copytree(
                source, new / language, ignore=shutil.ignore_patterns(".buildinfo*")
            )
    write_front(site, new)
    protect_front(site, new)
    if site.html.exists():
        site.html.rename(old)
    new.rename(site.html)
    shutil.rmtree(old, ignore_errors=True)


def write_front(site: Site, folder: Path) -> None:
    """Write the page that offers the languages; it redirects nobody."""
    choices = [
        {
            "tag": language_tag(language),
            "href": f"{language}/index.html",
            "name": name,
            "title": translated_title(site, language),
            "about": first_sentence(site, language),
        }
        for language, name in site.languages.items()
        if (folder / language).is_dir()
    ]
    environment = Environment(loader=FileSystemLoader(HERE / "front"), autoescape=True)
    page = environment.get_template("index.html.jinja").render(
        title=site.title, choices=choices, icon=icon(site, folder)
    )
    (folder / "index.html").write_text(page, encoding="utf-8")
    shutil.copyfile(HERE / "front" / "front.css", folder / "front.css")
    (folder / ".nojekyll").touch()


def protect_front(site: Site, folder: Path) -> None:
    """Give the pages of no language the policy that the others have already."""
    names = {*site.languages}
    own = [p for p in pages(folder) if p.relative_to(folder).parts[0] not in names]
    for path, _script in write_policies(own):
        raise BuildError(f"{path}: an inline script (put it into a file)")


def translated_title(site: Site, language: str) -> str:
    """Give the site's title in one language."""
    interface = catalogs.po_path(site.locale_dir, language, "sphinx")
    return catalogs.translations(interface).get(site.title, site.title)


def first_sentence(site: Site, language: str) -> str:
    """Give what the first page says first, if it is translated and has no markup."""
    path = catalogs.po_path(site.locale_dir, language, site.first_page)
    found = catalogs.active(catalogs.read(path)) if path.is_file() else []
    first = next((entry for entry in found if entry.comment == "paragraph"), None)
    if first is None or not catalogs.is_translated(first):
        return ""
    sentence = SENTENCE.match(first.msgstr)
    return sentence[0] if sentence else ""


def icon(site: Site, folder: Path) -> str | None:
    """Give the path of the favicon, which each language has."""
    if not site.icon:
        return None
    found = folder.glob(f"*/_static/{Path(site.icon).name}")
    return next((path.relative_to(folder).as_posix() for path in sorted(found)), None)
