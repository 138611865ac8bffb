"""Mark what is not translated on a page, and credit whom the rest is from.

A paragraph without a translation appears in the original and is marked with its
language; a note at the top gives the share that is translated. A line at the end names
translators and reviewers, and offers the catalog.
"""

from collections.abc import Iterator
from pathlib import Path

from babel import UnknownLocaleError
from babel.lists import format_list
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.locale import _ as site_word

from gallery_intl.catalogs.page_catalog import PageCatalog
from gallery_intl.catalogs.po import SOURCE_LANGUAGE, lang_class
from gallery_intl.catalogs.review import Credits
from gallery_intl.locale import _
from gallery_intl.page.catalog_links import how_to_translate, improve, reviews
from gallery_intl.page.interface_nodes import line, put_below_title
from gallery_intl.project import Project

GAPS = "intl-gaps"
CREDITS = "translation-credits"


def mark_page(app: Sphinx, document: nodes.document) -> None:
    """Mark gaps, and add the note and the credits, once the text is translated."""
    env, project = app.env, Project.of(app.env)
    language = app.config.language
    if language == project.source_language or app.config.gallery_intl_collect:
        return
    catalog = project.catalog(env.docname, language)
    mark_gaps(document, catalog, lang_class(project.source_language))
    if not app.config.gallery_intl_notes:
        return
    gaps = catalog.gaps()
    path = next(iter(catalog.credits), None)
    if gaps and project.is_to_translate(env.docname):
        done = 100 * (len(catalog.entries) - len(gaps)) // len(catalog.entries)
        put_below_title(document, gap_note(env, project, done, path))
    if path is not None:
        document += credit_line(env, path, catalog.credits[path])


def mark_gaps(document: nodes.document, catalog: PageCatalog, mark: str) -> None:
    """Mark each text that Sphinx has found no translation for."""
    for node in document.findall(nodes.Element):
        if "translated" not in node or isinstance(node, nodes.image):
            continue  # the writer marks figures
        message = node.rawsource.replace("\n", " ").strip()
        is_known = message in catalog.entries
        if catalog.is_gap(message) if is_known else not node["translated"]:
            node["classes"].append(mark)


def translated_so_far(project: Project, percent: int) -> str:
    """Return in words how much of a page is translated, and what the rest is."""
    if project.source_language == SOURCE_LANGUAGE:
        text = _("%d %% of this page is translated. The rest is shown in English.")
    else:
        text = _("%d %% of this page is translated. The rest is shown as written.")
    return text % percent


def gap_note(
    env: BuildEnvironment, project: Project, percent: int, catalog: Path | None
) -> nodes.Element:
    """Return a note on how much of a page is translated, which offers its catalog."""
    text = translated_so_far(project, percent)
    note = line(nodes.Text(text), classes=[GAPS, "no-search"])
    if catalog is not None:
        note += [nodes.Text(" "), improve(env, catalog)]
    for link in how_to_translate(env):
        note += [nodes.Text(" · "), link]
    return note


def credit_line(
    env: BuildEnvironment, catalog: Path, credits: Credits
) -> nodes.Element:
    said = " · ".join(people(env, credits))
    between, link = " · " if said else "", improve(env, catalog)
    # a link is of no use on paper
    more = nodes.inline("", between, link, classes=["intl-screen"])
    return line(nodes.Text(said), more, classes=[CREDITS, "no-search"])


def people(env: BuildEnvironment, credits: Credits) -> Iterator[str]:
    """Yield who worked on a translation; a team with the site's name is no person."""
    team = env.config.project, str(site_word(env.config.project))
    named = credits.translators
    if names := [name for name in named if not any(one in name for one in team)]:
        yield _("Translated by %s") % listed(names, env.config.language)
    if credits.reviews:
        yield from reviews(credits)


def listed(names: list[str], language: str) -> str:
    try:
        return format_list(names, locale=language)
    except UnknownLocaleError:
        return ", ".join(names)


def mark_outputs(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Mark what a program prints as not translated, for screen readers.

    It gets a box, because the label that CSS puts there is translated.
    """
    source = Project.of(app.env).source_language
    if app.config.language == source:
        return
    for block in list(document.findall(nodes.literal_block)):
        if "sphx-glr-script-out" in block["classes"]:
            box = nodes.container()
            block.replace_self(box)  # and hand over classes and names
            # docutils writes this class as an attribute, lang="en"
            block["classes"] = [lang_class(source)]
            box += block
