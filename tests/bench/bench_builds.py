"""Print how long builds take compared with stock Sphinx, as a table of ratios.

    PYTHONPATH=.:tests/tools python tests/bench/bench_builds.py [pages [more pages]]

The project's gallery must have been run. Both sides of a line are measured in turn in
this one run, three times, and the medians count: the machine may do other things too.
Stock Sphinx has Sphinx-Gallery, the theme, copybutton and sphinx-design, and builds the
same pages in Korean with nothing of ours.
"""

from __future__ import annotations

import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import bench_gallery
import psutil
from paths import PROJECT

from gallery_intl.catalogs import po

LEFT_OUT = shutil.ignore_patterns("_build", ".git", ".venv", ".*cache")
STOCK = '''
import sys
from docutils import nodes
from docutils.parsers.rst import Directive, directives
extensions = ["sphinx.ext.intersphinx", "sphinx_gallery.gen_gallery",
              "sphinx_copybutton", "sphinx_design"]
sphinx_gallery_conf = {"examples_dirs": [], "gallery_dirs": []}
html_theme = "pydata_sphinx_theme"
intersphinx_mapping = {"torch": ("https://docs.pytorch.org/docs/", "torch.inv")}
locale_dirs, gettext_compact, language = ["locales"], False, "ko"
exclude_patterns = ["tutorials/index.rst", "out", "doctrees"]

class Nothing(Directive):
    """Stands for a directive that stock Sphinx does not know."""
    has_content, optional_arguments, final_argument_whitespace = True, 9, True
    option_spec = {"picture": directives.unchanged, "parts": directives.unchanged}
    def run(self):
        return []

def setup(app):
    for name in ("alt-text", "diff", "gallery", "parts", "answer", "drawing", "try-it",
                 "contact", "words", "names-used", "translation-status"):
        app.add_directive(name, Nothing)
'''


def run(source: Path, *words: str | Path) -> tuple[float, float]:
    """Run a module of Python; return the seconds it took, and those of a processor."""
    began, used = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", *map(str, words)],
        cwd=source,
        env=os.environ | {"PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{words}\n{done.stdout}{done.stderr}")
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    return time.monotonic() - began, processor


def row(measure: str, ours: float, against: float, aim: float, unit: str = "s") -> str:
    """Return a line of the table; ``aim`` is the ratio that is allowed."""
    ratio = ours / against
    met = "yes" if ratio <= aim else "**no**"
    sides = f"{ours:.2f} {unit} | {against:.2f} {unit}"
    return f"| {measure} | {sides} | {ratio:.2f} | {aim:.2f} | {met} |"


def forget(source: Path, *names: str) -> None:
    for name in names:
        shutil.rmtree(source / name, ignore_errors=True)


def medians(*measures: Callable[[], float]) -> list[float]:
    """Measure in turn, three times; return the median of each."""
    rounds = [[measure() for measure in measures] for _ in range(3)]
    return [statistics.median(times) for times in zip(*rounds, strict=True)]


def stock(source: Path) -> Path:
    """Return the same pages as a project without anything of ours."""
    target = source.with_name("stock")
    target.mkdir()
    for name in ("tutorials", "locales"):
        shutil.copytree(source / name, target / name)
    for page in source.glob("*.rst"):
        shutil.copy(page, target)
    shutil.copy(source / "inventories" / "torch.inv", target)
    (target / "conf.py").write_text(STOCK, encoding="utf-8")
    return target


def languages(source: Path) -> Iterator[str]:
    """One language and four, all pages read anew, compared with one of stock Sphinx."""
    plain = stock(source)
    run(source, "gallery_site", "html", "ko")  # the gallery is as it was run

    def ours(*names: str) -> tuple[float, float]:
        forget(source, "_build")
        return run(source, "gallery_site", "html", *names)

    def theirs() -> tuple[float, float]:
        forget(plain, "out", "doctrees")
        return run(plain, "sphinx", "-q", "-b", "html", "-d", "doctrees", ".", "out")

    pair = medians(lambda: ours("ko")[1], lambda: theirs()[1])
    yield row("one language / stock Sphinx, processor", *pair, 1.35)
    pair = medians(lambda: ours()[0], lambda: theirs()[0])
    yield row("four languages / one of stock Sphinx", *pair, 2.7)


def edits(source: Path) -> Iterator[str]:
    """One changed sentence, with the command that the live view calls."""
    path = po.po_path(source / "locales", "ko", "tutorials/start/hello_ranks")
    catalog, before = po.read(path), path.read_bytes()

    def edit() -> float:
        catalog[3].msgstr += "가"
        po.write(path, catalog)
        return run(source, "gallery_site", "html", "ko")[0]

    edit()
    yield row("one changed sentence, html-ko / 1.5 s", medians(edit)[0], 1.5, 1.0)
    path.write_bytes(before)


def clean_trees(source: Path) -> Iterator[str]:
    """All from nothing, scripts too, compared with a clean tree for each language."""
    forget(source, "_build", "tutorials")
    ours = run(source, "gallery_site", "html")[0]
    forget(source, "_build")
    one = run(source, "gallery_site", "html", "ko")[0]
    forget(source, "_build", "tutorials")
    with_scripts = run(source, "gallery_site", "html", "ko")[0]
    alone = len(bench_gallery.LANGUAGES) * max(with_scripts, one)
    yield row("four languages with scripts / 4 clean trees", ours, alone, 0.27)


def growth(folder: Path, counts: list[int]) -> str:
    """A page of a large gallery compared with one of a small one."""
    milliseconds = []
    for count in counts:
        source = bench_gallery.write(folder / str(count), count)
        bench_gallery.translate(source)
        forget(source, "_build")
        milliseconds.append(1000 * run(source, "gallery_site", "html")[1] / count)
    small, large = milliseconds
    name = f"a page of {counts[1]} / of {counts[0]}, four languages"
    return row(name, large, small, 1.0, "ms")


def main(counts: list[int]) -> None:
    memory = psutil.virtual_memory().total / 2**30
    python = f"Python {platform.python_version()}"
    print(f"{platform.machine()}, {os.cpu_count()} cores, {memory:.0f} GiB, {python}")
    print("\n| measure | ours | against | ratio | aim | met |")
    print("|---|---:|---:|---:|---:|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "site")
        shutil.copytree(PROJECT, source, ignore=LEFT_OUT)
        for measure in (languages, edits, clean_trees):
            print(*measure(source), sep="\n", flush=True)
        print(growth(Path(folder), counts))


if __name__ == "__main__":
    main([int(count) for count in sys.argv[1:]] or [100, 1000])
