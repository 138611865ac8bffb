"""What pages show that Sphinx does not: gaps, credits, cards, programs, changes."""

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.typing import ExtensionMetadata

from gallery_intl.page import (
    cards,
    catalog_links,
    collect,
    diff,
    directives,
    gaps,
    generated,
    names,
    status_table,
)

COMPLETE = "gallery-complete-page"


class CompletePage(SphinxPostTransform):
    """Let listeners complete a page that is written, once all pages are read.

    Sphinx-Gallery links code after this, at 5, and makes each token a node, through
    which each search of ``doctree-resolved`` listeners has to go.
    """

    default_priority = 4

    def run(self, **kwargs: object) -> None:
        self.env.events.emit(COMPLETE, self.document, self.env.docname)


def use_a_catalog_for_each_page(app: Sphinx, config: Config) -> None:
    """Give each page its own catalog, where Sphinx alone joins them by folders."""
    if isinstance(config.gettext_compact, str):
        raise ConfigError(
            f"gettext_compact: {config.gettext_compact!r} joins the catalogs of all"
            " pages, but each page needs its own (delete the line, or write False)"
        )
    config.gettext_compact = False


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_event("gallery-card")
    app.add_node(cards.card)
    app.add_directive("gallery", cards.Gallery)
    app.add_directive(status_table.TABLE, status_table.TranslationStatus)
    directives.setup(app)
    diff.setup(app)
    app.add_post_transform(names.LinkOnce)
    app.add_transform(generated.KeepFromCatalogs)
    app.connect("config-inited", generated.stop_generating)
    # Sphinx-Gallery completes its settings at 10
    app.connect("builder-inited", generated.read_from_project, priority=20)
    app.connect("config-inited", use_a_catalog_for_each_page)
    app.connect("config-inited", catalog_links.check_repository)
    app.connect("env-get-outdated", status_table.outdated)
    app.connect("doctree-read", cards.remember_sentence, priority=310)
    app.connect("doctree-read", gaps.mark_page, priority=300)  # before notebooks
    app.connect("env-updated", cards.outdated)
    app.connect("env-updated", status_table.retitled)
    # Sphinx notes downloads at 500
    app.connect("doctree-read", status_table.forget_catalogs, priority=600)
    app.connect("doctree-read", names.link_names, priority=350)  # before notebooks
    app.add_event(COMPLETE)
    app.add_post_transform(CompletePage)
    app.connect(COMPLETE, status_table.sort_rows)
    app.connect(COMPLETE, gaps.mark_outputs)
    app.connect(COMPLETE, cards.fill_cards)
    app.connect("build-finished", collect.complete_templates)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
