"""Show honestly what is not translated, by whom the rest is, and where to mend it.

A paragraph without a translation appears in English and is marked ``lang="en"``; the
page says how much of it is translated, and below its text who translated and who
reviewed it, where persons did. From there a link leads to its catalog.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from babel import UnknownLocaleError
from babel.lists import format_list
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.locale import _ as site_word
from sphinx.transforms import SphinxTransform

from gallery_intl import order
from gallery_intl.builders import collects_messages
from gallery_intl.catalogs.po import SOURCE_LANGUAGE, lang_class, source_language
from gallery_intl.catalogs.review import Credits
from gallery_intl.locale import _
from gallery_intl.page.catalog_links import edit_url, how_to_translate, improve, reviews
from gallery_intl.page.furniture import line, put_below_title
from gallery_intl.page.page import page_of
from gallery_intl.page.settings import is_to_translate

GAPS = "intl-gaps"
CREDITS = "translation-credits"
EDIT_URL = "gallery_intl_edit_url"  # of a node in English: where to translate it


class MarkGaps(SphinxTransform):
    """Mark paragraphs that stay English, and say so at the top of the page."""

    default_priority = order.MARK_GAPS

    def apply(self, **kwargs: object) -> None:
        source = source_language(self.config)
        if self.config.language == source or collects_messages(self.env):
            return
        page = page_of(self.env)
        catalog = page.catalog
        for node, message in page.messages:
            if catalog.is_gap(message) and not isinstance(node, addnodes.translatable):
                node["classes"].append(lang_class(source))
                if place := catalog.line(message):
                    node[EDIT_URL] = edit_url(self.env, *place)
        everything = {message for _node, message in page.messages} | {*catalog.entries}
        gaps = [message for message in everything if catalog.is_gap(message)]
        path = next(iter(catalog.credits), None)
        if gaps and is_to_translate(self.config, self.env.docname):
            done = 100 * (len(everything) - len(gaps)) // len(everything)
            places = filter(None, map(catalog.line, gaps))
            first = min((line for at, line in places if at == path), default=1)
            put_below_title(self.document, gap_note(self.env, done, path, first))
        if path is not None:
            self.document += credit_line(self.env, path, catalog.credits[path])


def translated_so_far(config: Config, percent: int) -> str:
    """Return in words how much of a page is translated, and what the rest is."""
    if source_language(config) == SOURCE_LANGUAGE:
        text = _("%d %% of this page is translated. The rest is shown in English.")
    else:
        text = _("%d %% of this page is translated. The rest is shown as written.")
    return text % percent


def gap_note(
    env: BuildEnvironment, percent: int, catalog: Path | None, first: int
) -> nodes.Element:
    """Return a note on how much of a page is translated, which offers its catalog."""
    text = translated_so_far(env.config, percent)
    note = line(nodes.Text(text), classes=[GAPS, "no-search"])
    if catalog is not None:
        note += [nodes.Text(" "), improve(env, catalog, first)]
    for link in how_to_translate(env):
        note += [nodes.Text(" · "), link]
    return note


def credit_line(
    env: BuildEnvironment, catalog: Path, credits: Credits
) -> list[nodes.Element]:
    """Return a line with a page's translators, reviewers and catalog, if it has any.

    With a repository, the catalog is one of the ways out of the page.
    """
    said, more = " · ".join(people(env, credits)), []
    if not env.config.gallery_repository_url:
        between, link = " · " if said else "", improve(env, catalog)
        # nobody can follow it on paper
        more = [nodes.inline("", between, link, classes=["intl-screen"])]
    classes = [CREDITS, "no-search"]
    return [line(nodes.Text(said), *more, classes=classes)] if said or more else []


def people(env: BuildEnvironment, credits: Credits) -> Iterator[str]:
    """Yield who worked on a translation; a team with the site's name is no person."""
    team = env.config.project, str(site_word(env.config.project))
    named = credits.translators
    if names := [name for name in named if not any(one in name for one in team)]:
        yield _("Translated by %s") % listed(names, env.config.language)
    if credits.reviews:
        yield from reviews(credits)


def listed(names: list[str], language: str) -> str:
    """Return names as a language lists them."""
    try:
        return format_list(names, locale=language)
    except UnknownLocaleError:
        return ", ".join(names)


def link_gaps(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Lead from each paragraph in English to its line, if catalogs can be edited."""
    if not app.config.gallery_repository_url:
        return
    own = lang_class(app.config.language)
    for node in document.findall(nodes.paragraph):
        if url := node.get(EDIT_URL):
            words = nodes.inline("", _("Translate this paragraph"))
            classes = ["intl-translate", "no-search", own]
            link = nodes.reference("", "", words, refuri=url, classes=classes)
            node += [nodes.Text(" "), link]
