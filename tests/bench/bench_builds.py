"""Print how long builds take beside the plain way, as a table with ratios.

    PYTHONPATH=.:tests/tools python tests/bench/bench_builds.py [pages [more pages]]

The project's gallery must have been run. Each pair is measured in turn in this one
run, and the best of its tries counts: the machine may do other things as well.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import bench_gallery
import bench_search
import browser
import psutil
from bench_table import HEAD, Row, machine
from paths import PROJECT
from playwright.sync_api import sync_playwright

from gallery_intl.catalogs import po as catalogs

LEFT_OUT = shutil.ignore_patterns("_build", ".git", ".venv", ".*cache")
LANGUAGES = list(bench_gallery.LANGUAGES)
TRIES = 3
EDITS = 5


def run(command: list[str], cwd: Path) -> float:
    """Run to the end without a word; give the seconds."""
    start = time.monotonic()
    done = subprocess.run(
        command,
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(PROJECT)},
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return time.monotonic() - start


def intl(source: Path, *arguments: str) -> float:
    return run([sys.executable, "-m", "gallery_site", *arguments], source)


def sphinx(source: Path, out: str, *arguments: str) -> float:
    """Build one language in the plain way, into ``_build/<out>``."""
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", *arguments]
    return run([*command, "-d", f"_build/d-{out}", ".", f"_build/{out}"], source)


# Sphinx's own way with Chinese leaves it out of the index without the package jieba.
STOCK_SEARCH = {"zh_CN": ["html_search_language=en"]}
READ_ONLY = ("-D", "gallery_intl_run=0")


def forget(source: Path, *names: str) -> None:
    """Put folders aside, which are deleted when all is measured.

    ext4 makes new files more slowly for a while after many were deleted, and a build
    with more files would pay for that.
    """
    for name in names:
        if (source / name).exists():
            aside = tempfile.mkdtemp(prefix="gone-", dir=source.parent)
            (source / name).rename(Path(aside, name))


def best(*measures: Callable[[], float], tries: int = TRIES) -> list[float]:
    """Measure in turn, several times; give the best of each."""
    rounds = [[measure() for measure in measures] for _ in range(tries)]
    return [min(times) for times in zip(*rounds, strict=True)]


@contextmanager
def copy() -> Iterator[Path]:
    """A copy of the project with the gallery as it was run."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(shutil.copytree(PROJECT, Path(folder) / "site", ignore=LEFT_OUT))


def languages(source: Path) -> Iterator[Row]:
    """Four languages against one in the plain way, all from nothing."""

    def ours() -> float:
        forget(source, "_build")
        return intl(source, "html")

    def plain() -> float:
        forget(source, "_build")
        return sphinx(source, "ko", "-D", "language=ko", *READ_ONLY)

    yield Row("4 languages, gallery run / 1 plain build", *best(ours, plain), 2.2)


def from_clean(source: Path) -> Iterator[Row]:
    """All with the scripts, against a clean tree for each language."""

    def ours() -> float:
        forget(source, "_build", "tutorials")
        return intl(source, "html")

    def plain() -> float:
        seconds = 0.0
        for language in LANGUAGES:
            forget(source, "_build", "tutorials")
            seconds += sphinx(source, language, "-D", f"language={language}")
        return seconds

    yield Row(
        "4 languages with scripts / 4 clean trees", *best(ours, plain, tries=1), 0.35
    )


def edits(source: Path) -> Iterator[Row]:
    """One line of a catalog edited: our command against Sphinx's."""
    po = catalogs.po_path(source / "locales", "ko", "tutorials/ranks/hello_ranks")
    catalog, before = catalogs.read(po), po.read_bytes()

    def edit() -> None:
        catalog[0].msgstr += "가"
        catalogs.write(po, catalog)

    def ours() -> float:
        edit()
        return intl(source, "html", "ko")

    def plain() -> float:
        edit()
        return sphinx(source, "plain", "-D", "language=ko", *READ_ONLY)

    ours(), plain()
    yield Row(
        "one .po line, html-ko / sphinx-build", *best(ours, plain, tries=EDITS), 1.3
    )
    po.write_bytes(before)  # what is checked next has no slips


def commands(source: Path) -> Iterator[Row]:
    """The translators' commands against those of others."""
    gettext = [sys.executable, "-m", "sphinx", "-q", "-E", "-b", "gettext", *READ_ONLY]
    update = [sys.executable, "-m", "sphinx_intl", "update", "-p", "_build/gettext"]
    names = [f"-l{language}" for language in LANGUAGES]
    lint = [sys.executable, "-m", "sphinxlint", "--enable=all", "-j1", "locales"]

    def plain() -> float:
        seconds = run([*gettext, ".", "_build/gettext"], source)
        return seconds + run([*update, "-d", "locales", *names], source)

    def checked_by_others() -> float:
        start = time.monotonic()
        subprocess.run(lint, cwd=source, check=False, capture_output=True)
        return time.monotonic() - start

    ours, against = best(lambda: intl(source, "catalogs"), plain)
    yield Row("make catalogs / gettext and sphinx-intl", ours, against, 1.0)
    ours, against = best(lambda: intl(source, "check"), checked_by_others)
    yield Row("make check (aim: 5 s) / sphinx-lint", ours, against, 5 / against)


def generated(folder: Path, pages: int) -> Path:
    """A gallery of plain pages that was run and translated."""
    source = bench_gallery.write(folder / str(pages), pages)
    bench_gallery.translate(source)
    return source


def stock(source: Path) -> Path:
    """The same gallery without our extension; it has been run."""
    target = source.with_name(f"{source.name}-stock")
    shutil.copytree(source, target, ignore=LEFT_OUT)
    settings = bench_gallery.SETTINGS + bench_gallery.PLAIN
    (target / "conf.py").write_text(settings, encoding="utf-8")
    return target


def without_us(source: Path) -> Iterator[Row]:
    """What our extension adds to one language."""
    plain = stock(source)
    sphinx(plain, "first", "-D", "language=ko")  # looks whether scripts have changed

    def ours() -> float:
        forget(source, "_build")
        return sphinx(source, "ko", "-D", "language=ko")

    def theirs() -> float:
        forget(plain, "_build")
        return sphinx(plain, "ko", "-D", "language=ko")

    yield Row(
        "one language with / without our extension",
        *best(ours, theirs, tries=EDITS),
        1.25,
    )


class Watch:
    """The most memory that one process of ours had meanwhile, in MiB."""

    def __enter__(self) -> Watch:
        self.peak = 0.0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.look)
        self.thread.start()
        return self

    def look(self) -> None:
        this = psutil.Process()
        while not self.over.wait(0.1):
            for process in this.children(recursive=True):
                try:
                    size = process.memory_info().rss / 2**20
                except psutil.Error:
                    continue
                self.peak = max(self.peak, size)

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()


def growth(few: Path, many: Path, counts: list[int]) -> Iterator[Row]:
    """Many pages against few, and against one plain build of many."""
    forget(few, "_build")
    small = intl(few, "html")
    forget(many, "_build")
    plain = sphinx(many, "ko", "-D", "language=ko", *READ_ONLY)
    forget(many, "_build")
    with Watch() as watch:
        large = intl(many, "html")
    per_page = [
        1000 * t / n for t, n in zip((large, small), reversed(counts), strict=True)
    ]
    yield Row(
        f"a page of {counts[1]} / of {counts[0]}, 4 languages", *per_page, 1.2, "ms"
    )
    yield Row(f"{counts[1]} pages, 4 languages / 1 plain build", large, plain, 2.6)
    yield Row("memory of the largest process / 1.5 GiB", watch.peak, 1536, 1.0, "MiB")


def searching(many: Path, count: int) -> Iterator[Row]:
    """The index of the pages that `growth` built, and how soon it answers."""
    plain = stock(many)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=browser.find(window=True), args=browser.ARGUMENTS
        )
        for language, query in bench_search.QUERIES.items():
            settings = [f"language={language}", *STOCK_SEARCH.get(language, [])]
            options = [word for setting in settings for word in ("-D", setting)]
            sphinx(plain, language, *options)
            site = many / "_build" / "html" / language
            stock_index = plain / "_build" / language / "searchindex.js"
            paths = (site / bench_search.INDEX, stock_index)
            sizes = zip(*map(bench_search.sizes, paths), strict=True)
            for kind, (ours, theirs) in zip(("raw", "gzip"), sizes, strict=True):
                name = f"search index of {count} pages, {language}, {kind} / stock"
                yield Row(name, ours, theirs, 2.0, "kB")
            soon = bench_search.first_result(chromium, site, query)
            name = f"first result among {count} pages, {language} / 300 ms"
            yield Row(name, soon, 300, 1.0, "ms")
        chromium.close()


def main(counts: list[int]) -> None:
    print(f"Measured on: {machine()}\n")
    print(HEAD, flush=True)
    with copy() as source:
        for measure in (languages, edits, commands, from_clean):
            for row in measure(source):
                print(row, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        few, many = (generated(Path(folder), count) for count in counts)
        for row in without_us(few):
            print(row, flush=True)
        for row in growth(few, many, counts):
            print(row, flush=True)
        for row in searching(many, counts[1]):
            print(row, flush=True)


if __name__ == "__main__":
    main([int(count) for count in sys.argv[1:]] or [100, 1000])
