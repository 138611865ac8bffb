"""Make a gallery of any number of plain pages, in four languages, to measure with."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import polib
from paths import PROJECT

LANGUAGES = {"en": "English", "ko": "한국어", "zh_CN": "简体中文", "ja": "日本語"}
A_PART = 25  # pages that stand side by side in the navigation
MARKUP = set("`*|_:<>")
WORDS = """
    gradient tensor device rank batch model layer optimizer loss bucket stream shard
    pipeline reduce gather scatter broadcast replica worker memory kernel epoch
"""

SETTINGS = f"""
extensions = ["sphinx_cjk_search", "gallery_intl", "gallery_run", "gallery_site"]
gallery_intl_languages = {LANGUAGES!r}
project = "Generated"
language = "en"
locale_dirs = ["locales"]
gettext_compact = False
exclude_patterns = ["_build", "gallery", "locales"]
html_theme = "pydata_sphinx_theme"
html_sidebars = {{"index": [], "**": ["lessons"]}}
sphinx_gallery_conf = {{
    "examples_dirs": "gallery",
    "gallery_dirs": "tutorials",
    "filename_pattern": r"\\.py$",
    "image_scrapers": (),
    "abort_on_example_error": True,
    "write_computation_times": False,
    "download_all_examples": False,
    "show_signature": False,
    "min_reported_time": 1e9,
}}
"""

PAGE = '''"""
The {first} of the {second}, page {number}
==========================================

This page {number} shows how a {first} meets a {second}. A {third} takes part as well.
"""

# %%
# Prepare the {third}
# -------------------------
#
# A {third} is made of a {first} and of a {second}. Their order is {number}.
{first} = [{number}, 1, 2]

# %%
# Use the {first}
# -------------------------
#
# Each {second} takes one {third}, so that no {first} waits for another {second}.

# The {third} of page {number} is a sum.
{third} = sum({first})
print("the {third} is", {third})

# %%
# What was printed is the {third} of the {first} on page {number}.
'''


def page(number: int) -> str:
    """Give the script of a page; no two are alike."""
    words = WORDS.split()
    names = [words[(number * step + step) % len(words)] for step in (1, 3, 7)]
    first, second, third = list(dict.fromkeys([*names, *words[:3]]))[:3]
    return PAGE.format(first=first, second=second, third=third, number=number)


def write(folder: Path, pages: int) -> Path:
    gallery = folder / "gallery"
    gallery.mkdir(parents=True)
    (folder / "conf.py").write_text(SETTINGS, encoding="utf-8")
    index = "Start\n=====\n\n.. toctree::\n\n   tutorials/index\n"
    (folder / "index.rst").write_text(index, encoding="utf-8")
    (gallery / "GALLERY_HEADER.rst").write_text("Pages\n=====\n\nAll of them.\n")
    for first in range(0, pages, A_PART):
        part = gallery / f"part_{first // A_PART:03}"
        part.mkdir()
        head = f"Part {first // A_PART}\n========\n\nSome of them.\n"
        (part / "GALLERY_HEADER.rst").write_text(head, encoding="utf-8")
        for number in range(first, min(first + A_PART, pages)):
            script = part / f"page_{number:04}.py"
            script.write_text(page(number), encoding="utf-8")
    return folder


def paragraphs(language: str) -> list[str]:
    """Give plain paragraphs of this project's pages, so that words are real ones."""
    folder = PROJECT / "locales" / language / "LC_MESSAGES" / "tutorials"
    entries = (x for path in sorted(folder.rglob("*.po")) for x in polib.pofile(path))
    return [
        entry.msgstr
        for entry in entries
        if entry.comment == "paragraph" and not MARKUP & {*entry.msgstr, *entry.msgid}
    ]


def translate(folder: Path) -> None:
    """Run the gallery, make the catalogs and fill them with whatever sentences."""
    command = [sys.executable, "-m", "gallery_site", "--source", str(folder)]
    for name in ("run", "catalogs"):
        subprocess.run([*command, name], check=True, stdout=subprocess.DEVNULL)
    for language in [name for name in LANGUAGES if name != "en"]:
        texts = paragraphs(language)
        for path in (folder / "locales" / language).rglob("page_*.po"):
            catalog = polib.pofile(str(path), wrapwidth=79)
            choose = random.Random(path.name)
            for entry in catalog:
                entry.msgstr = entry.msgstr or choose.choice(texts)
            catalog.save()
