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
        code,
        contexts,
        gaps,
        inner_links,
        locations,
        page,
        safety,
        status_table,
    )

    for name in ("catalog_links", "furniture"):
        app.setup_extension(f"{__name__}.{name}")
    app.add_node(cards.card)
    app.add_directive("gallery", cards.Gallery)
    app.add_directive(status_table.TABLE, status_table.TranslationStatus)
    app.add_transform(page.Annotate)
    app.add_transform(code.TranslateScript)
    app.add_transform(code.CollectComments)
    app.add_transform(locations.LocateMessages)
    app.add_transform(gaps.MarkGaps)
    app.add_transform(safety.Forbid)
    app.add_transform(safety.Allow)
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
    app.connect("doctree-resolved", cards.fill_cards)
    app.connect("doctree-resolved", inner_links.check_links)
    app.connect("build-finished", contexts.write_contexts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
