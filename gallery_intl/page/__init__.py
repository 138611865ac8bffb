"""A generated page: where its words are from, gaps, furniture, cards, safety."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # what needs no Sphinx imports this package too
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata


def setup(app: Sphinx) -> ExtensionMetadata:
    from gallery_intl.page import cards, furniture, gaps, locations, page, safety
    from gallery_intl.page.code import CollectComments, TranslateScript
    from gallery_intl.page.status_table import TABLE, TranslationStatus

    # the repository at its host, where catalogs are edited and problems reported
    app.add_config_value("gallery_repository_url", "", "env", frozenset({str}))
    app.add_event("gallery-page-needs")
    app.add_node(cards.card)
    app.add_directive("gallery", cards.Gallery)
    app.add_directive(TABLE, TranslationStatus)
    app.add_transform(furniture.RemoveFurniture)
    app.add_transform(page.Annotate)
    app.add_transform(TranslateScript)
    app.add_transform(CollectComments)
    app.add_transform(locations.LocateMessages)
    app.add_transform(gaps.MarkGaps)
    app.add_transform(safety.Forbid)
    app.add_transform(safety.Allow)
    app.add_transform(furniture.FillFurniture)
    listen(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def listen(app: Sphinx) -> None:
    from gallery_intl import order
    from gallery_intl.page import cards, catalog_links, contexts, furniture, gaps
    from gallery_intl.page.inner_links import check_links
    from gallery_intl.page.locations import install_filter
    from gallery_intl.page.safety import compile_catalogs, guard
    from gallery_intl.page.status_table import outdated, sort_rows

    app.connect("config-inited", catalog_links.check_repository)
    app.connect("config-inited", gaps.check_catalogs)
    app.connect("config-inited", compile_catalogs, priority=order.COMPILE_CATALOGS)
    app.connect("builder-inited", install_filter, priority=order.INSTALL_FILTER)
    app.connect("env-get-outdated", outdated)
    app.connect("env-before-read-docs", guard)
    app.connect("doctree-resolved", gaps.link_gaps)
    app.connect("doctree-resolved", sort_rows)
    app.connect("doctree-resolved", furniture.mark_outputs)
    app.connect("doctree-resolved", cards.fill_cards)
    app.connect("doctree-resolved", check_links)
    app.connect("html-page-context", catalog_links.offer_new_issue)
    app.connect("build-finished", contexts.write_contexts)
