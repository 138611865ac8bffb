"""Put all languages into one published site."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # what needs no Sphinx imports this package too
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

STATIC = Path(__file__).parent / "static"
HAS_TRANSLATED_WORDS = True  # for `gallery_intl.interface`


def setup(app: Sphinx) -> ExtensionMetadata:
    from gallery_site import book, cards, figure_steps, folds, head, hero

    app.add_css_file("gallery_site.css")
    app.add_node(cards.part_head)
    app.add_node(cards.answer)
    app.add_node(hero.offered)
    app.add_node(hero.drawn)
    app.add_directive("parts", cards.Parts)
    app.add_directive("answer", cards.Answer)
    app.add_directive("drawing", hero.Drawing)
    app.add_directive("try-it", hero.TryIt)
    app.add_directive("contact", hero.Contact)
    app.add_directive("card-line", cards.CardLine)
    app.add_directive("code-fold", folds.CodeFold)
    app.add_directive("figure-steps", figure_steps.FigureSteps)
    app.add_directive("lesson-head", head.LessonHead)
    app.add_directive("lesson-foot", head.LessonFoot)
    book.setup(app)
    listen(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def add_styles(app: Sphinx) -> None:
    """Add the style sheet of the site; the list may be Sphinx's, which all share."""
    app.config.html_static_path = [*app.config.html_static_path, str(STATIC)]


def listen(app: Sphinx) -> None:
    from gallery_site import (
        cards,
        downloads,
        hero,
        lessons,
        light,
        page_context,
        pictograms,
        publish,
    )

    app.connect("gallery-complete-page", cards.fill_parts)
    app.connect("gallery-complete-page", hero.draw)
    app.connect("gallery-complete-page", hero.offer)
    # when the cards use them
    app.connect("gallery-complete-page", pictograms.define_used, priority=600)
    app.connect("gallery-card", cards.dress)
    app.connect("gallery-archive", downloads.add_files)
    app.connect("builder-inited", add_styles)
    listed = lessons.Lessons()
    app.connect("config-inited", light.use_layout)
    app.connect("env-get-outdated", publish.forget_removed)
    app.connect("env-updated", listed.outdated)
    app.connect("html-page-context", listed.show)
    app.connect("html-page-context", page_context.add_description)
    app.connect("html-page-context", page_context.add_repository_links)
    app.connect("build-finished", publish.remove_outdated)
