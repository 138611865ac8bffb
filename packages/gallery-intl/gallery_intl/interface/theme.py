"""What a theme says on pages, wherever it is in its templates or its options.

A theme is made from others, and each has templates with words of its own.
"""

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.locale import _ as site_word
from sphinx.theming import Theme

from gallery_intl.interface.upstream import SPHINX_LOCALE, theme_factory

PROMPT = "search_bar_text"  # of pydata-sphinx-theme and of those made from it


def load_theme(app: Sphinx) -> Theme:
    """Load the theme of the pages, and let it hear of nothing in this build.

    As an extension it waits for a builder that writes pages.
    """
    listeners = {event: [*known] for event, known in app.events.listeners.items()}
    theme = theme_factory(app).create(app.config.html_theme)
    app.events.listeners.clear()
    app.events.listeners.update(listeners)
    return theme


def theme_folders(theme: Theme) -> dict[str, Path]:
    """Return the template folders of a theme and of those that it is made from.

    Sphinx's own are left out: it knows its words itself.
    """
    sphinx = SPHINX_LOCALE.parent.resolve()  # themes are found in resolved folders
    folders = [Path(folder).resolve() for folder in theme.get_theme_dirs()]
    return {x.name: x for x in folders if not x.is_relative_to(sphinx)}


def prompt(app: Sphinx, theme: Theme) -> str:
    """Return what the field for a search asks for; "" if no option says it."""
    known = theme.get_options({})
    if PROMPT not in known:
        return ""
    return str(app.config.html_theme_options.get(PROMPT, known[PROMPT]))


def translate_prompt(app: Sphinx) -> None:
    """Translate the one option that pages show and that is not in gettext."""
    builder = app.builder
    if isinstance(builder, StandaloneHTMLBuilder) and (
        said := prompt(app, builder.theme)
    ):
        builder.theme_options[PROMPT] = site_word(said)
