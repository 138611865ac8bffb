"""Translate the words of the interface: the project's, Sphinx's, the theme's.

They stand in one catalog per language, ``sphinx.po``, which Sphinx asks first. Its
template holds what the project, the theme and Sphinx say on pages, whatever the
languages are; `fill_from_sphinx` translates what Sphinx has good words for. Our own
words have another catalog (`gallery_intl.catalogs.own`).
"""

import gettext
import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

from babel.messages.extract import extract
from babel.messages.pofile import read_po
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.gettext import MessageCatalogBuilder, MsgOrigin
from sphinx.config import Config
from sphinx.locale import _ as site_word

from gallery_intl import locale
from gallery_intl.catalogs import po as catalogs
from gallery_intl.catalogs.own import PACKAGE, path_of, use_words, word_catalogs
from gallery_intl.catalogs.po import SOURCE_LANGUAGE
from gallery_intl.interface.theme import load_theme, prompt, theme_folders
from gallery_intl.interface.upstream import (
    COPY_BUTTON,
    MODULES_OF_SPHINX,
    SEARCH_ENDS,
    SPHINX_LOCALE,
    UNSEEN,
    copy_strings,
    search_ends,
    search_strings,
)

IN_TEMPLATES = "gallery_word"  # what our templates call, as others call _
WORDS_OF_SCRIPTS = "gallery_intl_words.js"  # static/gallery_intl_words.js.jinja

Place = tuple[str, str]  # a message and where it stands


def packages(app: Sphinx) -> list[Path]:
    """Return the folders of the loaded packages whose words are the project's."""
    return sorted(
        Path(str(extension.module.__file__)).parent
        for extension in app.extensions.values()
        if getattr(extension.module, "HAS_TRANSLATED_WORDS", False)
    )


def messages_of_packages(folders: list[Path]) -> Iterator[Place]:
    """Find the messages of packages' modules."""
    files = [(path, folder) for folder in folders for path in folder.rglob("*.py")]
    for path, folder in sorted(files):
        for text in messages_of_module(path):
            yield text, path.relative_to(folder.parent).as_posix()


def messages_of_module(path: Path) -> Iterator[str]:
    """Find what a module says on pages by ``_()``; Sphinx's ``__()`` is for logs."""
    with path.open("rb") as file:
        for _line, text, *_rest in extract("python", file, {"_": None}):
            if isinstance(text, str):
                yield text


def messages_of_templates(
    environment: Any, folders: dict[str, Path], function: str = "_"
) -> Iterator[Place]:
    """Find the messages of Jinja templates; ``folders`` maps names to places."""
    asks = "gettext", "ngettext", "pgettext", "npgettext", function
    for name, folder in folders.items():
        for path in sorted((*folder.rglob("*.html"), *folder.rglob("*.css.jinja"))):
            text = path.read_text(encoding="utf-8")
            for _line, _function, message in environment.extract_translations(
                text, asks
            ):
                if isinstance(message, str):
                    where = path.relative_to(folder).as_posix()
                    yield message, f"{name}/{where}"


def sphinx_catalog(language: str) -> gettext.NullTranslations:
    """Return Sphinx's own translations of a language."""
    return gettext.translation("sphinx", SPHINX_LOCALE, [language], fallback=True)


def messages_of_sphinx() -> Iterator[Place]:
    """Find Sphinx's own words that a page can show."""
    for name in MODULES_OF_SPHINX:
        for said in messages_of_module(SPHINX_LOCALE.parent / name):
            yield said, name
    with (SPHINX_LOCALE / "sphinx.pot").open(encoding="utf-8") as file:
        template = read_po(file)
    for message in template:
        where = [place for place, _line in message.locations if is_shown(place)]
        text = message.id  # "" of the header; not a str of a plural: SEARCH_ENDS
        if where and text and isinstance(text, str):
            yield text, where[0]


def is_shown(place: str) -> bool:
    """Return whether a file of Sphinx's is in the theme that all others extend."""
    return place.startswith("themes/basic/") and not place.startswith(UNSEEN)


def collect_or_translate(app: Sphinx) -> None:
    """Collect the messages of the interface, or translate what conf.py says once."""
    config = app.config
    if app.builder.name == "gettext":
        collect_messages(app)
    elif app.builder.format == "html":
        if config.language != SOURCE_LANGUAGE:
            app.add_js_file(WORDS_OF_SCRIPTS)
        environment = cast(Any, app.builder).templates.environment
        environment.globals[IN_TEMPLATES] = locale._
        environment.globals["gallery_strings_of_scripts"] = strings_of_scripts
        config.html_title = site_word(config.html_title)
        config.html_short_title = site_word(config.html_short_title)
        # not appended: the list may be Sphinx's default, which all applications share
        config.html_static_path = [*config.html_static_path, str(PACKAGE / "static")]


def collect_messages(app: Sphinx) -> None:
    """Put the interface's messages into the templates of both its catalogs."""
    builder = cast(MessageCatalogBuilder, app.builder)
    environment, known = builder.templates.environment, app.config
    theme = load_theme(app)
    site = (
        (known.project, "conf.py"),
        (known.copyright, "conf.py"),
        *((known[name], "conf.py") for name in known.gallery_intl_shown_settings),
        (prompt(app, theme), "conf.py"),
        *messages_of_packages(packages(app)),
        *messages_of_templates(environment, {x.name: x for x in packages(app)}),
        *messages_of_templates(environment, theme_folders(theme)),
        *messages_of_sphinx(),
    )
    for domain, places in (
        (catalogs.INTERFACE, site),
        (catalogs.DOMAIN, messages_of_ours(environment)),
    ):
        for message, where in places:
            if message:  # to gettext the empty one is the catalog's header
                builder.catalogs[domain].add(message, MsgOrigin(where, 0))


def messages_of_ours(environment: Any) -> Iterator[Place]:
    """Find the messages of this package."""
    yield from messages_of_packages([PACKAGE])
    # scripts of others, which have no catalogs for it
    yield from ((text, "sphinx_copybutton") for text in COPY_BUTTON.values())
    yield from ((text, "themes/basic/static/searchtools.js") for text in SEARCH_ENDS)
    folders = {f"{PACKAGE.name}/{x}": PACKAGE / x for x in ("static", "templates")}
    yield from messages_of_templates(environment, folders, IN_TEMPLATES)


def strings_of_scripts() -> dict[str, Any]:
    """Return the strings of the scripts of Sphinx and copy button in this language."""
    return {
        "sphinx": search_strings(word_of_scripts),
        "searchEnds": search_ends(word_of_scripts),
        "copyButton": copy_strings(word_of_scripts),
    }


def word_of_scripts(text: str) -> str:
    """Return a word of others' scripts: ours, or else Sphinx's."""
    word = locale._(text)
    return site_word(text) if word == text else word


def site_title(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    context["project"] = site_word(app.config.project)
    if app.config.copyright:
        context["copyright"] = site_word(app.config.copyright)


def locale_dirs(app: Sphinx, config: Config) -> list[Path]:
    return [Path(app.srcdir, folder) for folder in config.locale_dirs]


def load_words(app: Sphinx, config: Config) -> None:
    """Let our words be those of the build's language."""
    use_words(locale_dirs(app, config), config.language)


def remember_interface(app: Sphinx, config: Config) -> None:
    """Let a changed interface catalog, or a changed package, refresh every page."""
    digest = hashlib.sha256()
    for folder in locale_dirs(app, config):
        path = catalogs.po_path(folder, config.language, catalogs.INTERFACE)
        digest.update(path.read_bytes() if path.is_file() else b"")
    for path in word_catalogs(locale_dirs(app, config), config.language):
        digest.update(path.read_bytes())
    for folder in (PACKAGE, *packages(app)):
        for path in sorted((*folder.rglob("*.py"), *folder.glob("templates/*"))):
            digest.update(path.read_bytes())
    config.gallery_intl_interface = digest.hexdigest()


def fill_from_sphinx(path: Path, language: str) -> bool:
    """Fill the gaps for which Sphinx has good words; return whether there were any."""
    return fill(path, language, sphinx_catalog(language).gettext)


def fill_from_ours(path: Path, language: str) -> bool:
    """Fill the gaps for which this package has words; return whether there were any."""
    known = catalogs.translations(path_of(language))
    return fill(path, language, lambda text: known.get(text, text))


def fill(path: Path, language: str, known: Callable[[str], str]) -> bool:
    """Fill the gaps of a catalog with known words; return whether there were any."""
    catalog = catalogs.read(path)
    for entry in catalogs.active(catalog):
        words = known(entry.msgid)
        if not entry.msgstr and words != entry.msgid:
            entry.msgstr = words
    return catalogs.write(path, catalog)
