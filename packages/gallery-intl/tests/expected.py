"""What the root ``everything`` becomes in Korean, as texts that are compared.

After an intended change, write them again and look at the differences::

    python tests/expected.py
"""

import re
import shutil
import tempfile
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

from building import TESTS, Copy, copy_root

EXPECTED = TESTS / "expected"
DOWNLOADS = {".py", ".ipynb"}
SECONDS = re.compile(r"\d+\.\d{3}(?!\d)")  # that a script took
WORDS = re.compile(r"<text [^>]*>([^<]*)</text>")
ARTICLE = re.compile(r'<div class="body" role="main">(.*?)<div class="clearer">', re.S)
BLOCKS = {"p", "h1", "h2", "h3", "li", "dt", "dd", "pre", "div", "td", "th", "summary"}


class ArticleText(HTMLParser):
    """The text of an article, a line for each block.

    It has the alt texts of images and the languages of what is not translated, too.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text, self.is_code = "", False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        if tag in BLOCKS:
            self.text += "\n"
        self.is_code |= tag == "pre"
        if tag == "img":
            self.text += f"[image: {known.get('alt')}]"
        if "lang" in known:
            self.text += f"[{known['lang']}] "
        if "tooltip" in known:
            self.text += f"[tooltip: {known['tooltip']}]"

    def handle_endtag(self, tag: str) -> None:
        self.is_code &= tag != "pre"
        self.text += "\n" if tag in BLOCKS else ""

    def handle_data(self, data: str) -> None:
        if not self.is_code:
            data = data.replace("\n", " ")
            data = data.lstrip() if self.text.endswith("\n") else data
        self.text += data

    def lines(self) -> str:
        lines = map(str.rstrip, self.text.split("\n"))
        return "".join(f"{line}\n" for line in lines if line)


def article(html: str) -> str:
    """Return the text of the article of a page."""
    match = ARTICLE.search(html)
    assert match, "this page has no article"
    return ArticleText(match[1]).lines()


def texts(built: Copy) -> Iterator[tuple[str, str]]:
    """Yield what a build has written, by the name of the file with its expectation."""
    written = built.written("ko", "tutorials")
    for path in sorted(written.rglob("*")):
        name = path.relative_to(written.parent).as_posix()
        if path.suffix in DOWNLOADS:
            yield name, SECONDS.sub("#.###", path.read_text("utf-8"))
        elif path.suffix == ".svg":
            words = map(unescape, WORDS.findall(path.read_text("utf-8")))
            yield f"{name}.words", "\n".join(words) + "\n"
    html = built.source / "_build/html/ko"
    for path in [html / "index.html", *sorted((html / "tutorials").rglob("*.html"))]:
        name = path.relative_to(html).with_suffix(".article").as_posix()
        yield name, SECONDS.sub("#.###", article(path.read_text("utf-8")))
    catalogs = built.source / "locales/en/LC_MESSAGES"
    for path in sorted(catalogs.rglob("*.po")):
        if path.stem != "sphinx":  # Sphinx's words
            name = path.relative_to(catalogs).as_posix()
            yield f"messages/{name}", path.read_text("utf-8")


def build(folder: Path) -> Copy:
    """Collect the messages of the root and build its languages, without a warning."""
    copy = copy_root("everything", folder)
    assert "ko" not in copy.catalogs().replace("ko/LC_MESSAGES/sphinx.po", "")
    assert copy.build() == ""
    return copy


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        made = dict(texts(build(Path(folder))))
    shutil.rmtree(EXPECTED, ignore_errors=True)
    for name, text in made.items():
        path = EXPECTED / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
