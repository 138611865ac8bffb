"""Show the language menu where a theme has a place for it, if conf.py names none.

The place is the header of pydata-sphinx-theme and of those made from it, else the
sidebar below its search field, else above the text. A project that wants another
names ``language-menu`` in ``html_theme_options`` or in ``html_sidebars``; one that
wants none has an empty ``language-menu.html`` of its own.
"""

from functools import cache
from pathlib import Path
from typing import Any, cast

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder

from gallery_intl.interface.theme import theme_folders

NAME = "language-menu"
TEMPLATE = f"{NAME}.html"
HEADER = "theme_navbar_end"  # an option of pydata-sphinx-theme


def listed(value: Any) -> list[str]:
    """Return the names of templates, of which a theme makes one string."""
    names = value.split(",") if isinstance(value, str) else value or []
    return [name.strip() for name in names if name.strip()]


def behind_search(sidebars: list[str]) -> list[str]:
    """Return sidebars with the menu behind the field for a search, or at the end."""
    fields = [at for at, name in enumerate(sidebars) if "search" in name]
    at = fields[-1] + 1 if fields else len(sidebars)
    return [*sidebars[:at], TEMPLATE, *sidebars[at:]]


@cache  # each page asks
def shows_sidebars(folders: tuple[Path, ...]) -> bool:
    """Return whether a theme's templates, or else Sphinx's, show ``html_sidebars``."""
    paths = [path for folder in folders for path in folder.rglob("*.html")]
    texts = [path.read_text(encoding="utf-8") for path in paths]
    has_layout = any(path.name == "layout.html" for path in paths)
    used = ("in sidebars", "basic/layout.html")
    return not has_layout or any(x in text for text in texts for x in used)


def place(context: dict[str, Any], *, has_sidebars: bool = True) -> None:
    """Put the menu's template among those that a page shows."""
    if names := listed(context.get(HEADER)):
        context[HEADER] = [TEMPLATE, *names]
    elif has_sidebars and context.get("sidebars"):
        context["sidebars"] = behind_search(context["sidebars"])
    else:
        context["menu_above_text"] = True


def show(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Place the menu on a page that has other languages."""
    builder = cast(StandaloneHTMLBuilder, app.builder)
    said = app.config.html_theme_options, app.config.html_sidebars
    if not context["language_links"] or builder.embedded or NAME in repr(said):
        return
    folders = tuple(theme_folders(builder.theme).values())
    place(context, has_sidebars=shows_sidebars(folders))
    if context.pop("menu_above_text", False) and "body" in context:
        menu = builder.templates.render(TEMPLATE, context)
        context["body"] = menu + context["body"]
