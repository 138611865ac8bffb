"""Make a finished site light: one small stylesheet and one script for all its pages.

Theme and extensions bring dozens of files, and most of their rules and icons no page
uses. This works on a copy of what Sphinx wrote, whole: a build of one page, or the live
view, need not know what the other pages use.
"""

from __future__ import annotations

import hashlib
import itertools
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from gallery_intl.files import html_pages
from gallery_site.light import stylesheet
from gallery_site.light.assets import INLINE_SCRIPT, Bundle, Page, Tag, read_page
from gallery_site.light.upstream import BEGINNING, FIRST

STATIC = "_static"
STYLE = f"{STATIC}/bundle.css"
SCRIPT = f"{STATIC}/bundle.js"
INDEX = "searchindex.js"  # data: the words in it are those of the text
CLASSES = re.compile(r"""class=["']([^"']*)""")
WORD = re.compile(r"[\w-]+")
SOURCE_MAP = re.compile(r"^//# sourceMappingURL=.*$", re.MULTILINE)


def lighten(root: Path, cache: Path) -> Iterator[tuple[Path, str]]:
    """Bundle what the pages below a folder load; yield each page and its new text.

    ``cache`` keeps the stylesheet for the next build.
    """
    every = (read_page(path, root) for path in html_pages(root))
    pages = [page for page in every if page.styles]
    scripts = most_have([page.shared_scripts() for page in pages])
    styles = most_have([page.styles for page in pages])
    script = write_bundle(root, SCRIPT, scripts, join_scripts(root, scripts))
    css = cached(cache, root, styles, used_words(pages))
    style = write_bundle(root, STYLE, styles, css)
    for page in pages:
        yield page.path, page.rewritten(style, script)


def most_have(lists: list[list[Tag]]) -> list[str]:
    """Return the files in more than half of some lists, in the order of the first."""
    files = [dict.fromkeys(tag.file for tag in tags) for tags in lists]
    counts = Counter(itertools.chain.from_iterable(files))
    return [file for file, count in counts.items() if count > len(lists) / 2]


def write_bundle(root: Path, name: str, parts: list[str], text: str) -> Bundle:
    (root / name).write_text(text, encoding="utf-8")
    return Bundle(f"{name}?v={hashlib.sha256(text.encode()).hexdigest()[:8]}", parts)


# scripts


def join_scripts(root: Path, names: list[str]) -> str:
    """Join scripts into one, which is not strict as a whole because its first is."""
    ordered = sorted(names, key=lambda name: Path(name).name not in FIRST)
    texts = [read_script(root, name) for name in ordered]
    return "\n;\n".join(["", *texts, ""])


def read_script(root: Path, name: str) -> str:
    return SOURCE_MAP.sub("", (root / name).read_text(encoding="utf-8"))


# styles


def used_words(pages: list[Page]) -> set[str]:
    """Return the classes on pages, and all words of scripts that may put one there.

    A word that ends in a hyphen is the beginning of names that a script makes.
    """
    attributes = {text for page in pages for text in CLASSES.findall(page.text)}
    words = {word for text in attributes for word in text.split()}
    for text in script_texts(pages):
        words |= {word for word in set(WORD.findall(text)) if not word.endswith("-")}
        words.update(BEGINNING.findall(text))
    return words


def script_texts(pages: list[Page]) -> Iterator[str]:
    """Yield the text of every script that a page runs."""
    files = {tag.file for page in pages for tag in page.scripts if page.needs(tag)}
    yield from (read_script(pages[0].root, file) for file in files - {INDEX})
    yield from {text for page in pages for text in INLINE_SCRIPT.findall(page.text)}


def cached(cache: Path, root: Path, names: list[str], words: set[str]) -> str:
    """Return the stylesheet of a site, made now or of the same before."""
    made = cache / f"{key(root, names, words)}.css"
    if not made.is_file():
        shutil.rmtree(cache, ignore_errors=True)
        cache.mkdir(parents=True)
        made.write_text(join_styles(root, names, words), encoding="utf-8")
    return made.read_text(encoding="utf-8")


def key(root: Path, names: list[str], words: set[str]) -> str:
    """Name a stylesheet by everything that it is made of."""
    digest = hashlib.sha256("\n".join([*sorted(words), "", *names]).encode())
    sources = (root / STATIC).rglob("*")
    made_of = sorted(path for path in sources if path.suffix in (".css", ".woff2"))
    for path in (*sorted(Path(__file__).parent.glob("*.py")), *made_of):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def join_styles(root: Path, names: list[str], words: set[str]) -> str:
    from gallery_site.light import icon_font  # with all of fontTools

    beginnings = tuple(word for word in words if word.endswith("-"))

    def is_used(name: str) -> bool:
        return name in words or name.startswith(beginnings)

    folder = root / STATIC
    files = [Path(name).relative_to(STATIC).as_posix() for name in names]
    rules = [rule for file in files for rule in stylesheet.read_rules(folder, file)]
    used = list(stylesheet.purge(rules, is_used))
    return stylesheet.write(icon_font.inline_icons(used, folder))
