"""Make a finished site light: one small stylesheet and one script for all its pages.

Theme and extensions bring dozens of files, and most of their rules and icons no page
uses. This works on a copy of what Sphinx wrote, whole: a build of one page, or the live
view, need not know what the other pages use.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from gallery_intl.files import html_pages
from gallery_site.light import stylesheet
from gallery_site.light.assets import Bundle, Page, read_page, rewrite
from gallery_site.light.upstream import BEGINNING, FIRST

HERE = Path(__file__).parent
STATIC = "_static"
STYLE = f"{STATIC}/bundle.css"
SCRIPT = f"{STATIC}/bundle.js"
SOURCES = (".css", ".woff2")
INDEX = "searchindex.js"  # data: the words in it are those of the text
CLASSES = re.compile(r"""class=["']([^"']*)""")
INLINE_SCRIPT = re.compile(r"<script(?![^>]* src=)[^>]*>(.*?)</script>", re.DOTALL)
WORD = re.compile(r"[\w-]+")
SOURCE_MAP = re.compile(r"^//# sourceMappingURL=.*$", re.MULTILINE)


def unchanged(page: str, path: Path) -> str:
    return page


def lighten(
    root: Path, cache: Path, finish: Callable[[str, Path], str] = unchanged
) -> None:
    """Bundle what the pages below a folder load; ``cache`` keeps the stylesheet.

    ``finish`` says what else each page is to get when its scripts are known.
    """
    pages = read_pages(root)
    scripts = most_have([page.shared_scripts() for page in pages])
    styles = most_have([page.shared_styles() for page in pages])
    script = write_bundle(root, SCRIPT, scripts, join_scripts(root, scripts))
    css = cached(cache, root, styles, used_words(pages))
    style = write_bundle(root, STYLE, styles, css)
    for page in pages:
        text = finish(rewrite(page, style, script), page.path)
        page.path.write_text(text, encoding="utf-8")


def read_pages(root: Path) -> list[Page]:
    """Read the pages of a site; what has no stylesheet is none."""
    pages = (read_page(path, root) for path in html_pages(root))
    return [page for page in pages if page.styles]


def most_have(lists: list[list[str]]) -> list[str]:
    """Return what is in more than half of some lists, in the order of the first."""
    counts = Counter(name for names in lists for name in dict.fromkeys(names))
    return [name for name, count in counts.items() if count > len(lists) / 2]


def write_bundle(root: Path, name: str, parts: list[str], text: str) -> Bundle:
    (root / name).write_text(text, encoding="utf-8")
    return Bundle(name, hashlib.sha256(text.encode()).hexdigest()[:8], parts)


# scripts


def join_scripts(root: Path, names: list[str]) -> str:
    """Join scripts into one, which is not strict as a whole because its first is."""
    texts = [read_script(root, name) for name in sorted(names, key=rank)]
    return "\n;\n".join(["", *texts, ""])


def rank(name: str) -> int:
    base = Path(name).name
    return FIRST.index(base) if base in FIRST else len(FIRST)


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
    """Make the stylesheet of a site, unless it was made of the same before."""
    made = cache / f"{key(root, names, words)}.css"
    if not made.is_file():
        shutil.rmtree(cache, ignore_errors=True)
        cache.mkdir(parents=True)
        made.write_text(join_styles(root, names, words), encoding="utf-8")
    return made.read_text(encoding="utf-8")


def key(root: Path, names: list[str], words: set[str]) -> str:
    """Name a stylesheet by everything that it is made of."""
    digest = hashlib.sha256("\n".join(sorted(words)).encode())
    code = [HERE / "stylesheet.py", HERE / "icon_font.py"]
    made_of = (p for p in sorted((root / STATIC).rglob("*")) if p.suffix in SOURCES)
    for path in (*code, *made_of):
        digest.update(path.read_bytes())
    digest.update("\n".join(names).encode())
    return digest.hexdigest()[:16]


def join_styles(root: Path, names: Iterable[str], words: set[str]) -> str:
    from gallery_site.light import icon_font  # with all of fontTools

    beginnings = tuple(word for word in words if word.endswith("-"))

    def is_used(name: str) -> bool:
        return name in words or name.startswith(beginnings)

    folder, base = root / STATIC, f"{STATIC}/"
    rules = [
        rule
        for name in names
        for rule in stylesheet.purge(
            stylesheet.read_rules(folder, name.removeprefix(base)), is_used
        )
    ]
    return stylesheet.write(icon_font.inline_icons(rules, folder))
