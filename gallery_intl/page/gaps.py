"""Show honestly what is not translated, by whom the rest is, and where to mend it.

A paragraph without a translation appears in English and is marked ``lang="en"``; the
page says how much of it is translated, and below its text who translated and who
reviewed it. From there a link leads to its catalog. What Sphinx reports about a
translation is reported at the line of the ``.po``, which is where it is mended.
"""

from __future__ import annotations

import logging as std_logging
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.errors import SphinxError
from sphinx.locale import _
from sphinx.transforms import SphinxTransform
from sphinx.util.typing import ExtensionMetadata

from gallery_intl import order
from gallery_intl.catalogs import po as catalogs
from gallery_intl.catalogs import progress
from gallery_intl.catalogs.po import SOURCE_LANGUAGE
from gallery_intl.page.catalog_links import edit_url, improve, review
from gallery_intl.page.page import messages

EDIT_URL = "gallery_intl_edit_url"  # of a node in English: where to translate it


class BrokenCatalog(SphinxError):
    """A catalog that cannot be read; names every one with file and line."""

    category = "Broken catalog"


class Progress(NamedTuple):
    """How many of a page's messages are translated."""

    translated: int
    total: int


def catalog_paths(env: BuildEnvironment, docname: str) -> list[Path]:
    """Give the places where a page's catalog can be."""
    return [
        catalogs.po_path(env.srcdir / folder, env.config.language, docname)
        for folder in env.config.locale_dirs
    ]


class Page:
    """What the catalogs say about the messages of one page."""

    def __init__(self, paths: list[Path]) -> None:
        self.lines: dict[str, tuple[Path, int]] = {}
        self.gaps: set[str] = set()
        self.credits: dict[Path, progress.Credits] = {}
        for path in filter(Path.is_file, paths):
            catalog = catalogs.shared(path)
            self.credits[path] = progress.credits(catalog.metadata)
            for entry in catalogs.active(catalog):
                self.lines[entry.msgid] = (path, entry.linenum)
                if not catalogs.is_translated(entry) or catalogs.is_english(entry):
                    self.gaps.add(entry.msgid)

    def is_gap(self, message: str) -> bool:
        return message in self.gaps or message not in self.lines

    def first_gap(self, catalog: Path | None) -> int:
        """Give the line at which a catalog can be mended first."""
        places = (self.lines[message] for message in self.gaps)
        return min((place[1] for place in places if place[0] == catalog), default=1)

    def progress(self, messages: set[str]) -> Progress:
        """Count over the catalog and what the page has beyond it."""
        everything = messages | set(self.lines)
        gaps = sum(map(self.is_gap, everything))
        return Progress(len(everything) - gaps, len(everything))


class MarkGaps(SphinxTransform):
    """Mark paragraphs that stay English, and say so at the top of the page."""

    default_priority = order.MARK_GAPS

    def apply(self, **kwargs: object) -> None:
        language = self.config.language
        if self.app.builder.name == "gettext":
            return
        paths = catalog_paths(self.env, self.env.docname)
        page = Page(paths)
        found = messages(self.env, self.document)
        note_lines(self.document, page, found)
        if language == SOURCE_LANGUAGE:
            return
        for node, message in found:
            if page.is_gap(message) and not isinstance(node, addnodes.translatable):
                node["classes"].append(f"language-{SOURCE_LANGUAGE}")
                if message in page.lines:
                    node[EDIT_URL] = edit_url(self.env, *page.lines[message])
        for path in paths:
            self.env.note_dependency(str(path))
        done = page.progress({message for _node, message in found})
        catalog = next(iter(page.credits), None)
        if done.translated < done.total:
            self.put_note(gap_note(self.env, done, catalog, page.first_gap(catalog)))
        if catalog is not None:
            self.document += credit_line(self.env, catalog, page.credits[catalog])

    def put_note(self, note: nodes.Element) -> None:
        title = next(self.document.findall(nodes.title), None)
        place = title.parent if title is not None else self.document
        place.insert(place.index(title) + 1 if title is not None else 0, note)


def gap_note(
    env: BuildEnvironment, done: Progress, catalog: Path | None, line: int
) -> nodes.Element:
    """Say how much of a page is translated, and offer its catalog."""
    percent = 100 * done.translated // done.total
    text = _("%d %% of this page is translated. The rest is shown in English.")
    classes = ["gaps", "no-search"]
    note = nodes.paragraph("", text % percent, translatable=False, classes=classes)
    if catalog is not None:
        note += [nodes.Text(" "), improve(env, catalog, line)]
    return note


def credit_line(
    env: BuildEnvironment, catalog: Path, credits: progress.Credits
) -> nodes.Element:
    """Say who translated and who reviewed a page, and offer its catalog."""
    said = [_("Translated by %s") % credits.translator] if credits.translator else []
    text = nodes.Text(" · ".join((*said, review(credits))))
    # nobody can follow it on paper
    link = nodes.inline("", " · ", improve(env, catalog), classes=["d-print-none"])
    classes = ["translation-credits", "no-search"]
    return nodes.paragraph("", "", text, link, translatable=False, classes=classes)


def link_gaps(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Lead from each paragraph in English to its line, if catalogs can be edited."""
    if not app.config.gallery_intl_edit_url:
        return
    tag = app.config.language.replace("_", "-")
    for node in document.findall(nodes.paragraph):
        if url := node.get(EDIT_URL):
            words = nodes.inline("", _("Translate this paragraph"))
            classes = ["translate", "no-search", f"language-{tag}"]
            link = nodes.reference("", "", words, refuri=url, classes=classes)
            node += [nodes.Text(" "), link]


def note_lines(
    document: nodes.document, page: Page, found: list[tuple[nodes.Element, str]]
) -> None:
    """Remember which line of a catalog each place of a page comes from."""
    for node, message in found:
        if message in page.lines and node.line:
            path, line = page.lines[message]
            CatalogLocations.lines[f"{node.source}:{node.line}"] = f"{path}:{line}"
            key = f"{document['source']}:{node.line}"
            CatalogLocations.lines[key] = f"{path}:{line}"


class CatalogLocations(std_logging.Filter):
    """Let a warning about a translation name the line of its catalog."""

    # A cache for this process alone; a page that is read fills it anew.
    lines: dict[str, str] = {}  # noqa: RUF012

    def filter(self, record: std_logging.LogRecord) -> bool:
        location = getattr(record, "location", None)
        if isinstance(location, nodes.Node):
            location = f"{location.source}:{location.line}"
        if isinstance(location, str) and ":<translated>" in location:
            place = location.partition(":<translated>")[0]
            record.location = self.lines.get(place, location)
        return True


def install_filter(app: Sphinx) -> None:
    for handler in std_logging.getLogger("sphinx").handlers:
        if not any(isinstance(f, CatalogLocations) for f in handler.filters):
            handler.filters.insert(0, CatalogLocations())


def broken_catalogs(folders: list[Path]) -> Iterator[str]:
    """Find the catalogs that cannot be read, as ``path:line: what (remedy)``."""
    for folder in folders:
        for path in sorted(folder.rglob("*.po")):
            try:
                catalogs.shared(path)
            except catalogs.CatalogError as error:
                yield str(error)


def check_catalogs(app: Sphinx, config: Config) -> None:
    """Stop a build at once that would read a broken catalog."""
    language = config.language
    folders = [
        Path(app.srcdir, folder, language, "LC_MESSAGES")
        for folder in config.locale_dirs
    ]
    if broken := list(broken_catalogs(folders)):
        raise BrokenCatalog("\n" + "\n".join(broken))
    missing = language != SOURCE_LANGUAGE and not any(map(Path.is_dir, folders))
    if missing:
        raise BrokenCatalog(
            f"no catalogs for {language!r} in {', '.join(config.locale_dirs)}"
            " (make them with the catalogs command)"
        )


def setup(app: Sphinx) -> ExtensionMetadata:
    app.setup_extension("gallery_intl.page.catalog_links")
    app.add_transform(MarkGaps)
    app.connect("doctree-resolved", link_gaps)
    app.connect("builder-inited", install_filter, priority=order.INSTALL_FILTER)
    app.connect("config-inited", check_catalogs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
