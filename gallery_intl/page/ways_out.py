"""End each page with the ways out: its source, where to edit it, where to complain.

All of them are in the repository that ``gallery_repository_url`` names; without it the
pages have none of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment

from gallery_intl.builders import collects_messages
from gallery_intl.catalogs.po import SOURCE_LANGUAGE, source_language
from gallery_intl.locale import _
from gallery_intl.page.catalog_links import edit_url, file_url, new_issue
from gallery_intl.page.furniture import line
from gallery_intl.page.page import Page, page_of

WAYS_OUT = "ways-out"


def ways_out(
    env: BuildEnvironment, page: Page, title: str
) -> Iterator[tuple[str, str]]:
    """Yield the words and the address of each link below a page."""
    config = env.config
    path = page.source.path if page.source else Path(env.doc2path(page.docname))
    if source := file_url(env, path):
        yield _("Source of this page"), source
        yield edit_words(config), file_url(env, path, "edit")
    if config.language != source_language(config):
        for catalog in [*page.catalog.credits][:1]:
            yield _("Edit this translation"), edit_url(env, catalog)
    problem = f"{title} ({config.language}/{page.docname})"
    repository = config.gallery_repository_url
    yield _("Report a problem"), new_issue(repository, problem)


def edit_words(config: Config) -> str:
    """Return the words of the link by which the original is edited."""
    is_english = source_language(config) == SOURCE_LANGUAGE
    return _("Edit the English") if is_english else _("Edit the original")


def show_ways_out(app: Sphinx, document: nodes.document) -> None:
    """Put the links below a page that was just read, in one line."""
    if not app.config.gallery_repository_url or collects_messages(app.env):
        return
    title = next(document.findall(nodes.title), nodes.title())
    links = nodes.inline(classes=["intl-screen"])  # nobody can follow them on paper
    for words, url in ways_out(app.env, page_of(app.env), title.astext()):
        between = [nodes.Text(" · ")] if links.children else []
        links += [*between, nodes.reference("", words, refuri=url)]
    document += line(links, classes=[WAYS_OUT, "no-search"])
