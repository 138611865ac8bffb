"""Show each figure of the gallery with its words in the reader's language.

Matplotlib draws a figure once, as SVG. Its words and its alt text are messages of the
page that draws it; each language's build writes its own copy, and shows it wherever an
image shows the figure. Sphinx itself collects, copies and watches the copies.
"""

from __future__ import annotations

import ast
import hashlib
import os
import re
from collections.abc import Iterator
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

from gallery_intl import order
from gallery_intl.builders import collects_messages
from gallery_intl.catalogs.labels import LABEL
from gallery_intl.catalogs.po import lang_class, source_language
from gallery_intl.figures import svg, upstream
from gallery_intl.figures.alt_texts import waiting
from gallery_intl.files import replace_file
from gallery_intl.page import page as pages
from gallery_intl.page.settings import is_left_as_written

STYLE = Path(__file__).parents[1] / "static" / "figures.css"
MAKES_FIGURE = re.compile(r"\b(subplots|subplot_mosaic|figure|subplot)\(")


def figure_messages(figure: str, alt: str, script: str) -> list[str]:
    """Return alt text and words of a figure, without those that a run has made.

    A text with digits is a message only if it stands in the script as it is.
    """
    known = {text for text, _ in literals(script)}
    words = svg.messages(figure) if figure else []  # of pixels there are none
    return [
        text
        for text in dict.fromkeys(filter(svg.is_message, [alt, *words]))
        if text in known or not re.search(r"\d", text)
    ]


def line_of(message: str, script: str, block: tuple[int, int]) -> int:
    """Return the line of a script that a figure's text comes from.

    That is its literal in the block, else its last literal before, else a literal with
    that word in it, else the call that makes the figure, else the block's first line.
    """
    first, last = block
    texts = literals(script)
    lines = [line for text, line in texts if text == message]
    lines = lines or [line for text, line in texts if message in text.split()]
    if inside := [line for line in lines if first <= line <= last]:
        return min(inside)
    if earlier := [line for line in lines if line < first]:
        return max(earlier)
    code = enumerate(script.splitlines()[first - 1 : last], start=first)
    return next((line for line, text in code if MAKES_FIGURE.search(text)), first)


@lru_cache(maxsize=8)  # each text of a figure asks for them
def literals(script: str) -> list[tuple[str, int]]:
    """Return each string of a script, also as one line of text, with its line."""
    try:
        tree = ast.parse(script)
    except SyntaxError:
        return []
    return [
        (text, node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for text in (node.value, " ".join(node.value.split()))
    ]


class figure_message(addnodes.translatable, nodes.raw):
    """One text of a figure, for the catalog only; `Locale` parses no ``raw`` node."""

    def preserve_original_messages(self) -> None:
        """Do nothing: the message is never overwritten."""

    def apply_translated_message(self, original: str, translated: str) -> None:
        self["translated"] = True

    def extract_original_messages(self) -> list[str]:
        return [self["message"]]


class GalleryImage(upstream.ImageSg, SphinxDirective):  # type: ignore[misc]
    """The ``image-sg`` directive, which shows an SVG figure in any language.

    Of other figures it is the alt text that speaks a language.
    """

    def run(self) -> list[nodes.Node]:
        uri = self.arguments[0]
        if not uri.endswith(".svg") or stays(uri, self.env):
            picture: nodes.Element = super().run()[0]  # type: ignore[assignment]
            return [picture, *self.described(picture, "alt")]
        image = nodes.image(
            uri=uri,
            alt="",  # not yet: Sphinx would take it for a message of its own
            gallery_alt=self.options.get("alt", ""),
            classes=self.options.get("class", []),
        )
        self.set_source_info(image)
        return [image, *self.described(image, "gallery_alt")]

    def described(self, image: nodes.Element, name: str) -> Iterator[nodes.Node]:
        """Yield what is said of a figure, and its messages; ``name``: of its alt text.

        What the author says takes the place of what the figure's title says.
        """
        if said := waiting(self.env)[:1]:
            del waiting(self.env)[:1]
            image[name] = ""
        yield from said
        yield from self.messages(self.arguments[0], image[name])

    def messages(self, uri: str, alt: str) -> Iterator[nodes.Node]:
        """Make the messages of a figure, each with its line of the script."""
        script = pages.script_of(self.env, self.env.docname)
        path = Path(self.env.relfn2path(uri)[1])
        if script is None or not path.is_file():
            return
        figure = path.read_text(encoding="utf-8") if path.suffix == ".svg" else ""
        block = pages.page_of(self.env).row(self.get_source_info()[1])
        alt = "" if upstream.is_file_name(alt, uri) else alt
        for text in figure_messages(figure, alt, script.text):
            node = figure_message("", "", format="", message=text)
            node["context"] = LABEL if text != alt else f"{LABEL}: alt text"
            node.source = str(script.path)
            node.line = line_of(text, script.text, block[:2])
            yield node


class TranslateFigures(SphinxTransform):
    """Let every image that shows a figure of the gallery show the language's copy."""

    default_priority = order.TRANSLATE_FIGURES

    def apply(self, **kwargs: Any) -> None:
        if collects_messages(self.env):
            return
        for message in list(self.document.findall(figure_message)):
            message.parent.remove(message)
        for picture in self.document.findall(upstream.imgsgnode):
            say_alt(picture, pages.page_of(self.env).catalog)
        shown = 0
        for image in self.document.findall(nodes.image):
            # what a feature says of an image goes before the name of its file
            named: str | None = image.attributes.pop("gallery_page", None)
            page = named or page_of(image["uri"], self.env)
            if page and not stays(image["uri"], self.env):
                show(image, page, self.env)
                if shown:
                    image["loading"] = "lazy"
                shown += 1


def stays(uri: str, env: BuildEnvironment) -> bool:
    """Return whether a page shows a figure as it would without us.

    In the source language it does, unless our scraper made the figure.
    """
    path = Path(env.relfn2path(uri)[1])
    return is_left_as_written(env) and not (
        path.is_file() and svg.is_finished(path.read_text(encoding="utf-8"))
    )


def say_alt(picture: nodes.Element, catalog: pages.Catalog) -> None:
    """Translate the alt text of a figure that is no SVG.

    Sphinx-Gallery writes it into HTML as it is.
    """
    said = catalog.translation(picture["alt"])
    if said is not None and not catalog.is_source:
        picture["alt"] = escape(said) if picture.get("srcset") else said


def page_of(uri: str, env: BuildEnvironment) -> str | None:
    """Return the docname of the page that draws a figure or lends it to its card."""
    path = env.relfn2path(uri)[0]
    figure = upstream.FIGURE.fullmatch(path)
    if not figure or not (env.srcdir / path).is_file():
        return None
    docname = f"{figure[1]}/{figure[2]}"
    return docname if docname in env.found_docs else None


def show(image: nodes.image, page: str, env: BuildEnvironment) -> None:
    """Make an image node show a figure in the language of the build."""
    language = env.config.language
    relative, path = env.relfn2path(image["uri"])
    env.note_dependency(relative)
    words = pages.catalog_of(env, page).translations()
    figure = svg.translate(Path(path).read_text(encoding="utf-8"), words, language)
    image["uri"] = _written(figure, Path(path).stem, env)
    if svg.is_finished(figure):
        # The theme need not dim it; a card is a link already.
        image["classes"] += ["dark-light", "no-scaled-link"]
        image["width"], image["height"] = map(str, svg.size(figure))
    if alt := image.attributes.pop("gallery_alt", ""):
        image["alt"] = words.get(alt, alt)
        source = source_language(env.config)
        if image["alt"] == alt and language != source:
            image["classes"].append(lang_class(source))


def _written(figure: str, stem: str, env: BuildEnvironment) -> str:
    """Write a figure beside the doctrees; give its URI, which differs by content."""
    data = figure.encode("utf-8")
    digest = hashlib.sha256(data).hexdigest()[:8]
    path = env.doctreedir / "figures" / f"{stem}-{digest}.svg"
    if not path.is_file():
        replace_file(path, data)
    return "/" + Path(os.path.relpath(path, env.srcdir)).as_posix()


def add_style(app: Sphinx) -> None:
    # not appended: the list may be Sphinx's default, which all applications share
    app.config.html_static_path = [*app.config.html_static_path, str(STYLE)]
