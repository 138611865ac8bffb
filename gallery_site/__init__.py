"""Put all languages into one published site."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # what needs no Sphinx imports this package too
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

STATIC = Path(__file__).parent / "static"
HAS_TRANSLATED_WORDS = True  # for `gallery_intl.interface`


def add_settings(app: Sphinx) -> None:
    # whether pages load only the styles and scripts that they use; our commands do it
    app.add_config_value("gallery_site_light", True, "", bool)
    # the picture that is shown of shared pages: a file in a language's folder
    app.add_config_value("gallery_site_picture", "", "html", str)
    # whether pages run the site's own scripts only, and ask no other host for anything,
    # by a content security policy in each
    app.add_config_value("gallery_intl_policy", False, "html", bool)


def setup(app: Sphinx) -> ExtensionMetadata:
    from gallery_site import book, cards, head, hero
    from gallery_site.search import EnglishSearch

    add_settings(app)
    app.setup_extension("gallery_intl.finished")
    app.add_search_language(EnglishSearch)
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
    app.add_transform(cards.ReadFacts)
    app.add_transform(cards.ReadCard)
    app.add_transform(head.ShowHead)
    book.setup(app)
    listen(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def add_styles(app: Sphinx) -> None:
    """Add the style sheet of the site; the list may be Sphinx's, which all share."""
    app.config.html_static_path = [*app.config.html_static_path, str(STATIC)]


def listen(app: Sphinx) -> None:
    from gallery_intl import order
    from gallery_site import cards, checks, hero, pictograms, policy
    from gallery_site.foot import Foot

    app.connect("config-inited", policy.switch_on)
    app.connect("doctree-resolved", cards.fill_parts)
    app.connect("doctree-resolved", hero.draw)
    app.connect("doctree-resolved", hero.offer)
    define = pictograms.define_used
    app.connect("doctree-resolved", define, priority=order.DEFINE_PICTOGRAMS)
    if "gallery_intl" in app.extensions:
        app.connect("gallery-card", cards.dress)
        app.connect("gallery-check-catalogs", checks.guard)
        foot = Foot()
        app.connect("env-get-outdated", foot.outdated)
        app.connect("doctree-read", foot.show, priority=order.SHOW_FOOT)
    listen_for_the_theme(app)


def listen_for_the_theme(app: Sphinx) -> None:
    from gallery_intl import order
    from gallery_site import color_modes, lessons, publish, sharing

    app.connect("builder-inited", add_styles)
    listed = lessons.Lessons()
    app.connect("config-inited", lessons.add_templates)
    app.connect("env-updated", listed.outdated)
    app.connect("html-page-context", listed.show)
    # after the links to the other languages (500), which it names
    app.connect("html-page-context", sharing.describe_page, priority=order.AFTER_THEME)
    app.connect("build-finished", publish.remove_outdated)
    complete = color_modes.complete_style_sheets
    app.connect("build-finished", complete, priority=order.COMPLETE_STYLES)
