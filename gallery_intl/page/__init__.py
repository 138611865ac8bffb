"""A generated page: where its words are from, gaps, furniture, cards, safety."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # what needs no Sphinx imports this package too
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata


def setup(app: Sphinx) -> ExtensionMetadata:
    from gallery_intl import order
    from gallery_intl.page import (
        cards,
        catalog_links,
        code,
        contexts,
        furniture,
        gaps,
        inner_links,
        locations,
        page,
        safety,
        status_table,
    )

    # the repository at its host, where catalogs are edited and problems reported
    app.add_config_value("gallery_repository_url", "", "env", frozenset({str}))
    app.add_event("gallery-page-needs")
    app.add_node(cards.card)
    app.add_directive("gallery", cards.Gallery)
    app.add_directive(status_table.TABLE, status_table.TranslationStatus)
    for transform in (
        page.Annotate,
        code.TranslateScript,
        code.CollectComments,
        locations.LocateMessages,
        gaps.MarkGaps,
        safety.Forbid,
        safety.Allow,
        furniture.RemoveFurniture,
        furniture.FillFurniture,
    ):
        app.add_transform(transform)
    app.connect("config-inited", catalog_links.check_repository)
    app.connect("config-inited", gaps.check_catalogs)
    app.connect(
        "config-inited", safety.compile_catalogs, priority=order.COMPILE_CATALOGS
    )
    app.connect(
        "builder-inited", locations.install_filter, priority=order.INSTALL_FILTER
    )
    app.connect("env-get-outdated", status_table.outdated)
    app.connect("env-before-read-docs", safety.guard)
    app.connect("doctree-resolved", gaps.link_gaps)
    app.connect("doctree-resolved", status_table.sort_rows)
    app.connect("doctree-resolved", furniture.mark_outputs)
    app.connect("doctree-resolved", cards.fill_cards)
    app.connect("doctree-resolved", inner_links.check_links)
    app.connect("html-page-context", catalog_links.offer_new_issue)
    app.connect("build-finished", contexts.write_contexts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
