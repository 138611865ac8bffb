"""Our own words on pages, in a message domain of their own: ``gallery_intl``.

Sphinx's ``_()`` asks ``sphinx.po``, which has the project's words and the theme's. Ours
come translated (`gallery_intl.catalogs.own` loads them), and a project may have
others in a ``gallery_intl.po`` of its own.
"""

from gettext import NullTranslations

_translations = [NullTranslations()]  # of the language that this process builds


def use(translations: NullTranslations) -> None:
    """Say what the words are in the language of the build."""
    _translations[0] = translations


def _(message: str) -> str:
    """Return one of our words in the language of the build."""
    return _translations[0].gettext(message)
