"""A generated page: where its words are from, gaps, furniture, cards, safety."""

from __future__ import annotations

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from gallery_intl.builders import collect_as_written
from gallery_intl.order import INSTALL_FILTER, SHOW_WAYS_OUT
from gallery_intl.page import (
    cards,
    catalog_links,
    code,
    contexts,
    diffs,
    furniture,
    gaps,
    locations,
    names,
    safety,
    settings,
    status_table,
    thumbnails,
)
from gallery_intl.page.annotate import Annotate
from gallery_intl.page.turns import take_turns
from gallery_intl.page.ways_out import show_ways_out


def add_settings(app: Sphinx) -> None:
    # the repository at its host, where pages are edited and problems reported; it
    # begins at the nearest folder from conf.py upwards that has a .git
    app.add_config_value("gallery_repository_url", "", "env", frozenset({str}))
    # the branch of the repository that the pages are made from
    app.add_config_value("gallery_repository_branch", "main", "env", str)
    # whether downloaded scripts name pages by their titles, in place of :doc: roles
    app.add_config_value("gallery_intl_plain_links", False, "env", bool)
    # whether names that intersphinx knows lead there, from code and from literals
    app.add_config_value("gallery_intl_link_names", False, "env", bool)
    # the pages to translate, such as "auto_examples/*", where * is any letters; the
    # others have no catalog; [] is all pages
    app.add_config_value("gallery_intl_pages", [], "env", list)
    # the page that explains how to translate; gaps and the table of status lead there
    app.add_config_value("gallery_intl_how_to", "", "env", str)


def setup(app: Sphinx) -> ExtensionMetadata:
    add_settings(app)
    app.add_event("gallery-card")
    app.add_event(safety.CHECK_CATALOGS)
    app.add_node(cards.card)
    app.add_directive("gallery", cards.Gallery)
    diffs.add_nodes(app)
    app.add_directive("diff", diffs.Diff)
    app.add_directive(status_table.TABLE, status_table.TranslationStatus)
    app.add_transform(furniture.HideFurniture)
    app.add_transform(thumbnails.HideThumbnails)
    app.add_transform(Annotate)
    app.add_transform(code.TranslateScript)
    app.add_transform(code.CollectComments)
    app.add_transform(locations.LocateMessages)
    app.add_transform(gaps.MarkGaps)
    app.add_transform(safety.Forbid)
    app.add_transform(safety.Allow)
    app.add_transform(furniture.FillFurniture)
    app.add_transform(names.LinkNames)
    app.add_transform(diffs.ShowDiffs)
    app.add_post_transform(names.LinkOnce)
    app.add_post_transform(names.VisitCode)
    take_turns(app)
    listen(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def listen(app: Sphinx) -> None:
    app.connect("config-inited", settings.use_a_catalog_for_each_page)
    app.connect("config-inited", catalog_links.check_repository)
    app.connect("config-inited", safety.compile_catalogs)
    app.connect("builder-inited", collect_as_written)
    app.connect("builder-inited", locations.install_filter, priority=INSTALL_FILTER)
    app.connect("env-get-outdated", status_table.outdated)
    app.connect("env-before-read-docs", safety.stop_at_unsafe_catalogs)
    app.connect("doctree-read", thumbnails.keep_intro)
    app.connect("doctree-read", show_ways_out, priority=SHOW_WAYS_OUT)
    app.connect("doctree-resolved", gaps.link_gaps)
    app.connect("doctree-resolved", status_table.sort_rows)
    app.connect("doctree-resolved", furniture.mark_outputs)
    app.connect("doctree-resolved", cards.fill_cards)
    app.connect("doctree-resolved", thumbnails.translate_thumbnails)
    app.connect("build-finished", contexts.write_contexts)
