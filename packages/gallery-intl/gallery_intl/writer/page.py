"""Write a page of the gallery in another language, as the reST that Sphinx reads.

Sphinx-Gallery's reST has the author's text and code verbatim, with a comment before
each block that gives its lines in the script.
"""

import logging
import re
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path

from gallery_intl.catalogs.page_catalog import PageCatalog
from gallery_intl.catalogs.po import lang_class
from gallery_intl.figures import svg
from gallery_intl.project import ProgramChanged, Project, Script, joined
from gallery_intl.script.files import MARK, file_of
from gallery_intl.script.source import Block, blocks, directive_end
from gallery_intl.script.translate import (
    AnotherProgram,
    Translation,
    translate,
    translate_sketches,
)
from gallery_intl.text.wrapping import one_line
from gallery_intl.writer import sphinx_gallery

logger = logging.getLogger("sphinx.gallery_intl")

DOC = re.compile(r":doc:`(?:(?P<text>[^`<]+?) +<[^`>]+>|(?P<target>[^`<]+))`")
ALT_TEXT = re.compile(r"(?P<indent> *)\.\. alt-text::(?P<text>.*)")
FIGURE = re.compile(r"(?P<head>[ *]*)\.\. image-sg:: (?P<uri>\S+)")
IMAGE = re.compile(r"(?P<head>[ *]*)\.\. image:: (?P<uri>/\S+\.svg)$")
Prepare = Callable[[str, Project, str, str], str]
OPTION = re.compile(r"(?P<indent> +):(?P<name>\w+): *(?P<value>.*)")
DIFF = re.compile(r"\.\. diff:: \S+ (?P<new>\S+)")
REFUSED = (
    "the translation of the comment %r would be read as something else "
    "(leave out what is meant for tools, such as 'noqa')"
)
NO_FILE = (
    "this block cannot be shown as a file (write it as gallery_intl/script/files.py "
    "describes, alone in its block, without a backslash)"
)
OTHER_CODE = "its comments stay English: the page shows other code than the script"
NO_FIGURE = "this alt text has no figure: the next code block draws too few"


class Page:
    def __init__(
        self, project: Project, docname: str, language: str, prepare: Prepare | None
    ) -> None:
        self.project, self.docname, self.language = project, docname, language
        script = project.script(docname)
        assert script, f"{docname} is not generated from a script"
        self.script: Script = script
        self.catalog: PageCatalog = project.catalog(docname, language)
        rst = (project.srcdir / f"{docname}.rst").read_text(encoding="utf-8")
        if prepare:
            rst = prepare(rst, project, docname, language)
        self.lines = rst.split("\n")
        self.warnings: list[str] = []  # of what does not stop the build
        self.files: dict[str, str] = {}  # programs that the script writes, by name
        self.copies: dict[str, str] = {}  # figures that are not in the gallery, by name
        self.translated = self.translate()
        self.write_code()
        self.write_figures()

    @property
    def is_source(self) -> bool:
        return self.language == self.project.source_language

    def translate(self) -> Translation:
        """Return the script in the page's language; warn of comments that are lost."""
        try:
            made = translate(self.script.text, self.catalog.texts(), self.with_titles)
        except AnotherProgram as error:
            raise ProgramChanged(
                f"{self.script.path}:{error.line}: another program in "
                f"{self.language!r}: {error}"
            ) from None
        for comment in made.refused:
            self.warn(comment.line, REFUSED % comment.message)
        return made

    def with_titles(self, text: str) -> str:
        """Put titles in place of links to pages, which nothing but Sphinx reads."""

        def title(match: re.Match[str]) -> str:
            page = joined(self.docname, match["target"] or "")
            text = match["text"] or self.project.title(page, self.language)
            return f"*{text or page.rpartition('/')[2]}*"

        return (
            DOC.sub(title, text)
            if self.project.config.gallery_intl_plain_links
            else text
        )

    def warn(self, line: int, text: str) -> None:
        place = f"{self.script.path}:{line}"
        self.warnings.append(f"{place}: WARNING: {text} [gallery_intl]")

    def write_code(self) -> None:
        """Replace the code blocks by those of the translated script."""
        pairs = zip(self.script.blocks(), blocks(self.translated.source), strict=True)
        both = {old.line: (old, new) for old, new in pairs if old.kind == "code"}
        lines, text, row = list[str](), list[str](), 0
        while row < len(self.lines):
            found = sphinx_gallery.code_block(self.lines, row)
            if found and found.line in both:
                head = self.lines[row : found.first]
                lines += self.with_sketches(text)
                lines += self.code_lines(head, found.code, *both[found.line])
                text, row = [], found.end
            else:
                text.append(self.lines[row])
                row += 1
        self.lines = [*lines, *self.with_sketches(text)]

    def code_lines(
        self, head: list[str], shown: str, before: Block, after: Block
    ) -> list[str]:
        """Return the reST of a code block; ``head`` ends with its directive."""
        conf = self.project.config.sphinx_gallery_conf
        old, new = (sphinx_gallery.shown(x.source, conf) for x in (before, after))
        if shown != old:
            if old != new:
                self.warn(before.line, OTHER_CODE)
            new = shown
        if file := file_of(after.source):
            self.files[file.name] = new = file.text.strip("\n")
            head = [*head[:-1], *self.program(file.name)]
        elif MARK in before.source:
            above = before.source.partition(MARK)[0]
            self.warn(before.line + above.count("\n"), NO_FILE)
        return [*head, "", *(f"    {line}".rstrip() for line in new.split("\n")), ""]

    def program(self, name: str) -> list[str]:
        diffs = filter(None, map(DIFF.match, self.lines))
        folded = ["    :folded:"] if name in {match["new"] for match in diffs} else []
        return [f".. program-file:: /{self.docname}/{name}", *folded]

    def with_sketches(self, text: list[str]) -> list[str]:
        return translate_sketches(text, self.catalog.translation)

    def write_figures(self) -> None:
        """Show figures in the page's language, described by the author's alt texts."""
        waiting: list[str] = []
        lines, row, number = list[str](), 0, 0
        while row < len(self.lines):
            line = self.lines[row]
            if match := ALT_TEXT.match(line):
                end = directive_end(self.lines, row, match["indent"])
                waiting.append(
                    one_line(" ".join([match["text"], *self.lines[row + 1 : end]]))
                )
            elif match := FIGURE.match(line) or IMAGE.match(line):
                end = directive_end(self.lines, row, " " * len(match["head"]))
                options = self.lines[row + 1 : end]
                is_own = FIGURE.match(line) is not None
                alt = waiting.pop(0) if waiting and is_own else ""
                lines += self.figure(match, options, alt, number)
                number += 1
            else:
                end = row + 1
                lines.append(line)
            row = end
        for text in waiting:
            self.warn(line_of(self.script.text, text), NO_FIGURE)
        self.lines = lines

    def figure(
        self, match: re.Match[str], options: list[str], alt: str, number: int
    ) -> Iterator[str]:
        """Yield the reST of a figure; ``alt`` is the author's text, or ""."""
        known = {x["name"]: x["value"] for x in map(OPTION.match, options) if x}
        alt = alt or known.get("alt", "")
        translated = self.catalog.translation(alt)
        shown, uri = translated or alt, match["uri"]
        classes = known.get("class", "").split()
        if alt in self.catalog.entries and self.catalog.is_gap(alt):
            classes.append(lang_class(self.project.source_language))
        figure = self.translated_figure(uri)
        if figure or IMAGE.match(match[0]):
            known |= {"loading": "lazy"} if number else {}
            known.pop("srcset", None)
            name = "image"
        else:  # Sphinx-Gallery writes the alt text of its own kind as it is
            name, shown = "image-sg", escape(shown) if translated else shown
        if figure:
            width, height = svg.size(figure)
            classes.append("dark-light")
            known |= {"width": str(width), "height": str(height)}
            if IMAGE.match(match[0]):  # it is not one of the gallery
                copy = f"{self.docname}/{'-'.join(Path(uri).parts[-2:])}"
                self.copies[copy], uri = figure, f"/{copy}"
        known |= {"alt": shown}
        if classes:
            known |= {"class": " ".join(classes)}
        yield f"{match['head']}.. {name}:: {uri}"
        indent = " " * len(match["head"])
        yield from (f"{indent}   :{x}: {y}".rstrip() for x, y in known.items())
        yield ""

    def translated_figure(self, uri: str) -> str:
        """Return a figure of our own making with translated words; "" for others."""
        path = self.project.srcdir / uri.lstrip("/")
        if path.suffix != ".svg" or not path.is_file():
            return ""
        text = path.read_text(encoding="utf-8")
        if not svg.is_finished(text):
            return ""
        return svg.translate(text, self.words, self.language)

    @property
    def words(self) -> dict[str, str]:
        return self.catalog.translations()

    def figures(self) -> Iterator[tuple[Path, str]]:
        """Yield the SVG figures of the page, by path, with words of its language."""
        for path in sphinx_gallery.figures(self.project.srcdir / f"{self.docname}.py"):
            text = path.read_text(encoding="utf-8")
            yield path, svg.translate(text, self.words, self.language)


def line_of(script: str, text: str) -> int:
    """Return about where a text of a script begins, by its first words."""
    first = " ".join(text.split()[:3])
    lines = enumerate(script.split("\n"), start=1)
    return next((number for number, line in lines if first in line), 1)
