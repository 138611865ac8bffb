"""Put the extension into a project of others, and see whether it still works.

    PYTHONPATH=tests/tools:. python tests/torture/foreign.py FOLDER [--docs doc]

FOLDER is the source of a project with a gallery, and the Python that runs this has what
its conf.py asks for. Everything happens in a copy: its pages are built as they are, the
extension is added, every message translated by a machine into marked text, and both
languages built. Then its scripts run again, which may change no catalog. Its own
conf.py gets some lines at its end, and nothing else changes.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
import polib
from paths import PROJECT

from gallery_intl.catalogs import po
from gallery_intl.script.source import is_valid_python, same_program
from gallery_intl.text.cjk import end_markup_at_cjk
from po_check_cjk.check import broken_forms, messages_of
from po_check_cjk.glossary import Glossary
from po_check_cjk.message import GUARDS

LINES = """
extensions = [*extensions, "gallery_intl"]
gallery_intl_languages = {"en": "English", "ja": "日本語"}
locale_dirs = ["locales"]
gettext_compact = False
"""
START, END = "⟦訳", "文⟧"  # around each translation
UNPLACED = re.compile(r"WARNING: .*(?:cannot be put|would be read as)")
ALT_TEXT = "alt text"  # in what a catalog says above one
PACKAGES = os.pathsep.join(map(str, (PROJECT / "packages").iterdir()))


def run(source: Path, *arguments: str | Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *map(str, arguments)],
        cwd=source,
        env=os.environ | {"PYTHONPATH": PACKAGES, "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        print(done.stdout[-3000:], file=sys.stderr)
        raise SystemExit(f"failed: {' '.join(map(str, arguments))}")
    return done.stdout


def forget(source: Path) -> int:
    """Have the next build run all scripts again; return how many are to run."""
    sums = [*source.rglob("*.py.md5")]
    for path in sums:
        path.unlink()
    return len(sums)


def marked(entry: polib.POEntry, path: Path) -> str:
    """Return an entry as a translator would leave it: formulas stay as in English."""
    text = re.sub(r"::$", "", entry.msgid)
    entry.msgstr = f"{START}{text}{END}{entry.msgid[len(text) :]}"
    messages = messages_of(entry, "ja", Glossary(), path.stem in po.NO_PAGE)
    return entry.msgid if broken_forms(messages, GUARDS) else entry.msgstr


def translate(locale: Path) -> str:
    """Translate all messages; return how many have a translation."""
    end_markup_at_cjk()  # as the extension does in a build
    found = done = 0
    for path in locale.rglob("*.po"):
        catalog = po.read(path)
        for entry in catalog:
            entry.msgstr = marked(entry, path)
            done += START in entry.msgstr
        po.write(path, catalog)
        found += len(catalog)
    return f"{done} of {found}"


def pages(source: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the gallery's scripts, and their names in the catalogs."""
    for script in sorted(set(source.rglob("*.py")) - set(source.glob("_build/**/*"))):
        page = script.relative_to(source).with_suffix("")
        made = (script.with_suffix(kind) for kind in (".rst", ".ipynb"))
        if all(path.is_file() for path in made):
            yield script, page


def downloads(source: Path, language: str) -> dict[str, list[Path]]:
    """Return the files that are offered, by their names."""
    found: dict[str, list[Path]] = {}
    for path in (source / "_build" / "html" / language / "_downloads").rglob("*.*"):
        found.setdefault(path.name, []).append(path)
    return found


def is_same(script: Path, downloads: list[Path]) -> bool:
    own = script.read_text(encoding="utf-8")
    texts = [path.read_text(encoding="utf-8") for path in downloads]
    if not is_valid_python(own):
        return own in texts
    return any(not same_program(own, text, docstring=False) for text in texts)


def is_notebook(path: Path) -> bool:
    try:
        nbformat.validate(nbformat.read(path, as_version=4))
    except nbformat.ValidationError:
        return False
    return True


def placed(source: Path, page: Path, scripts: list[Path]) -> tuple[int, int]:
    """Return how many messages of a page are in its script, and how many it has."""
    known = po.po_path(source / "locales", "ja", page.as_posix())
    entries = po.active(po.read(known)) if known.is_file() else []
    # the text of a figure is on its page only
    entries = [e for e in entries if START in e.msgstr and ALT_TEXT not in e.comment]
    texts = [script.read_text(encoding="utf-8") for script in scripts]
    marks = max((text.count(START) for text in texts), default=0)
    return min(marks, len(entries)), len(entries)


def report_downloads(source: Path) -> Iterator[tuple[str, object]]:
    scripts, found = [*pages(source)], downloads(source, "ja")
    same = valid = done = total = 0
    for script, page in scripts:
        programs = found.get(script.name, [])
        notebooks = found.get(f"{script.stem}.ipynb", [])
        same += is_same(script, programs)
        valid += bool(notebooks) and all(map(is_notebook, notebooks))
        in_script, in_catalog = placed(source, page, programs)
        done += in_script
        total += in_catalog
    yield "same program", f"{same} of {len(scripts)}"
    yield "valid notebooks", f"{valid} of {len(scripts)}"
    yield "messages placed in scripts", f"{done} of {total}"


def catalogs(source: Path) -> tuple[int, dict[Path, bytes]]:
    """Bring the catalogs up; return the fuzzy messages in them, and what they hold."""
    run(source, "gallery_intl", "catalogs", "--run")
    files = {path: path.read_bytes() for path in (source / "locales").rglob("*.po")}
    fuzzy = sum(len(polib.pofile(str(path)).fuzzy_entries()) for path in files)
    return fuzzy, files


def pictures(source: Path, site: str) -> set[str]:
    """Return the images of a build; an SVG of ours has a digest, and no larger copy."""
    folder = source / "_build" / site / "_images"
    names = {path.name for path in folder.glob("*")}
    return {re.sub(r"_\d_\d\dx(?=\.svg)|-[0-9a-f]{8}(?=\.svg)", "", x) for x in names}


def warnings(said: str) -> set[str]:
    """Return the warnings without their places: the extension names better ones."""
    return set(re.findall(r"WARNING: .*", said))


def report(source: Path) -> Iterator[tuple[str, object]]:
    plain = ("-d", "_build/doctrees", ".", "_build/plain/en")
    before = run(source, "sphinx", "-b", "html", *plain)
    with (source / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write(LINES)
    catalogs(source)
    yield "messages translated", translate(source / "locales" / "ja")
    _fuzzy, first = catalogs(source)
    english = run(source, "gallery_intl", "build", "en")
    japanese = run(source, "gallery_intl", "build", "ja")
    scripts = forget(source)
    fuzzy, second = catalogs(source)
    again = len([*source.rglob("*.py.md5")])
    changed = [path for path in second if second[path] != first.get(path)]
    yield "scripts run again", f"{again} of {scripts}"
    yield "catalogs changed by it, fuzzy", f"{len(changed)}, {fuzzy}"
    new = warnings(english) - warnings(before)
    yield "new warnings in the source language", len(new)
    new_in_ja = warnings(japanese) - warnings(english)
    yield "new warnings in the other", len(new_in_ja)
    unplaced = [line for line in warnings(japanese) if UNPLACED.search(line)]
    yield "warnings of texts that are not placed", len(unplaced)
    shown = pictures(source, "plain/en")
    for language in ("en", "ja"):
        there = pictures(source, f"html/{language}") & shown
        yield f"images in {language}", f"{len(there)} of {len(shown)}"
    yield from report_downloads(source)
    print(*sorted(new | new_in_ja), sep="\n", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--docs", default="doc", help="the folder of conf.py, in it")
    parser.add_argument("--work", type=Path, help="where the copy is made, and stays")
    options = parser.parse_args()
    work = (options.work or Path(tempfile.mkdtemp())).resolve()
    shutil.copytree(options.folder, work, dirs_exist_ok=True, symlinks=True)
    for name, value in report(work / options.docs):
        print(f"{name}: {value}", flush=True)


if __name__ == "__main__":
    main()
