"""Show honestly what is not translated, by whom the rest is, and where to mend it.

A paragraph without a translation appears in English and is marked ``lang="en"``; the
page says how much of it is translated, and below its text who translated and who
reviewed it. From there a link leads to its catalog.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.errors import SphinxError
from sphinx.locale import _
from sphinx.transforms import SphinxTransform

from gallery_intl import order
from gallery_intl.builders import collects_messages
from gallery_intl.catalogs import po as catalogs
from gallery_intl.catalogs import progress
from gallery_intl.catalogs.po import SOURCE_LANGUAGE
from gallery_intl.page.catalog_links import edit_url, improve, review
from gallery_intl.page.furniture import line, put_below_title
from gallery_intl.page.page import page_of

EDIT_URL = "gallery_intl_edit_url"  # of a node in English: where to translate it


class BrokenCatalog(SphinxError):
    """A catalog that cannot be read; names every one with file and line."""

    category = "Broken catalog"


class MarkGaps(SphinxTransform):
    """Mark paragraphs that stay English, and say so at the top of the page."""

    default_priority = order.MARK_GAPS

    def apply(self, **kwargs: object) -> None:
        if self.config.language == SOURCE_LANGUAGE or collects_messages(self.env):
            return
        page = page_of(self.env)
        catalog = page.catalog
        for node, message in page.messages:
            if catalog.is_gap(message) and not isinstance(node, addnodes.translatable):
                node["classes"].append(f"language-{SOURCE_LANGUAGE}")
                if place := catalog.line(message):
                    node[EDIT_URL] = edit_url(self.env, *place)
        everything = {message for _node, message in page.messages} | {*catalog.entries}
        gaps = [message for message in everything if catalog.is_gap(message)]
        path = next(iter(catalog.credits), None)
        if gaps:
            done = 100 * (len(everything) - len(gaps)) // len(everything)
            places = filter(None, map(catalog.line, gaps))
            first = min((line for at, line in places if at == path), default=1)
            put_below_title(self.document, gap_note(self.env, done, path, first))
        if path is not None:
            self.document += credit_line(self.env, path, catalog.credits[path])


def gap_note(
    env: BuildEnvironment, percent: int, catalog: Path | None, first: int
) -> nodes.Element:
    """Say how much of a page is translated, and offer its catalog."""
    text = _("%d %% of this page is translated. The rest is shown in English.")
    note = line(nodes.Text(text % percent), classes=["gaps", "no-search"])
    if catalog is not None:
        note += [nodes.Text(" "), improve(env, catalog, first)]
    return note


def credit_line(
    env: BuildEnvironment, catalog: Path, credits: progress.Credits
) -> nodes.Element:
    """Say who translated and who reviewed a page, and offer its catalog."""
    said = [_("Translated by %s") % credits.translator] if credits.translator else []
    text = nodes.Text(" · ".join((*said, review(credits))))
    # nobody can follow it on paper
    link = nodes.inline("", " · ", improve(env, catalog), classes=["d-print-none"])
    return line(text, link, classes=["translation-credits", "no-search"])


def link_gaps(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Lead from each paragraph in English to its line, if catalogs can be edited."""
    if not app.config.gallery_repository_url:
        return
    tag = app.config.language.replace("_", "-")
    for node in document.findall(nodes.paragraph):
        if url := node.get(EDIT_URL):
            words = nodes.inline("", _("Translate this paragraph"))
            classes = ["translate", "no-search", f"language-{tag}"]
            link = nodes.reference("", "", words, refuri=url, classes=classes)
            node += [nodes.Text(" "), link]


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
    language, places = config.language, config.locale_dirs
    folders = [Path(app.srcdir, place, language, "LC_MESSAGES") for place in places]
    if broken := list(broken_catalogs(folders)):
        raise BrokenCatalog("\n" + "\n".join(broken))
    if language != SOURCE_LANGUAGE and not any(map(Path.is_dir, folders)):
        raise BrokenCatalog(
            f"no catalogs for {language!r} in {', '.join(places)}"
            " (make them with the catalogs command)"
        )
