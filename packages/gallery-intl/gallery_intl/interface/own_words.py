"""Load and collect our own words, whose message domain is ``gallery_intl``.

They come translated with this package. What a project has in a ``gallery_intl.po`` of
its own is asked first: other words, or those of a language that we lack.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from gettext import GNUTranslations, NullTranslations
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config

from gallery_intl import locale
from gallery_intl.catalogs.own import OWN
from gallery_intl.catalogs.po import DOMAIN, compiled, po_path, shared
from gallery_intl.interface.upstream import COPY_BUTTON, SEARCH_ENDS

IN_TEMPLATES = "gallery_word"  # what our templates call, as others call _


def paths(app: Sphinx, config: Config) -> list[Path]:
    """Return the catalogs of our words in the build's language: the project's first."""
    names = dict.fromkeys((config.language, config.language.partition("_")[0]))
    folders = [*(Path(app.srcdir, folder) for folder in config.locale_dirs), OWN]
    known = (po_path(folder, name, DOMAIN) for folder in folders for name in names)
    return [path for path in known if path.is_file()]


def load(app: Sphinx, config: Config) -> None:
    """Let our words be those of the build's language."""
    words = NullTranslations()
    for path in paths(app, config):
        words.add_fallback(GNUTranslations(io.BytesIO(compiled(shared(path)))))
    locale.use(words)


def let_templates_ask(environment: Any) -> None:
    """Let Jinja templates have our words: ``_`` has Sphinx's and the project's."""
    environment.globals[IN_TEMPLATES] = locale._


def messages_of_scripts() -> Iterator[tuple[str, str]]:
    """Find what others' scripts say and have no catalogs for."""
    for text in COPY_BUTTON.values():
        yield text, "sphinx_copybutton"
    for text in SEARCH_ENDS:
        yield text, "themes/basic/static/searchtools.js"
