"""Translate the words of the interface: Sphinx, theme, copy button and our own.

All of them stand in one catalog per language, ``sphinx.po``, which Sphinx asks first.
Its template holds what this package and the theme say, and those words of Sphinx that
lack a translation in one of the site's languages.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from babel.messages.pofile import read_po
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.gettext import MessageCatalogBuilder, MsgOrigin
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.config import Config
from sphinx.locale import _
from sphinx.theming import HTMLThemeFactory
from sphinx.util.typing import ExtensionMetadata

from gallery_intl.catalogs import po as catalogs
from gallery_intl.interface.sphinx_words import SPHINX_LOCALE, sphinx_catalog

HERE = Path(__file__).parents[1]
# Where in Sphinx the words stand that a reader of HTML pages meets.
SHOWN_BY_SPHINX = ("themes/basic/", "writers/html5", "locale/")
# Options of the theme that are shown on pages and are not in gettext.
THEME_TEXTS = {"search_bar_text": "Search"}
COPY_BUTTON = {
    "copy": "Copy",
    "copy_to_clipboard": "Copy to clipboard",
    "copy_success": "Copied!",
    "copy_failure": "Failed to copy",
}

# The one plural that Sphinx shows: what a search ends with. Its catalogs lack it.
SEARCH_ENDS = (
    "Search finished, found one page matching the search query.",
    "Search finished, found ${resultCount} pages matching the search query.",
)

Found = tuple[str, str]  # a message and where it stands


def packages(app: Sphinx) -> list[Path]:
    """Give the folders of the loaded packages whose words are ours to translate."""
    return sorted(
        Path(str(extension.module.__file__)).parent
        for extension in app.extensions.values()
        if getattr(extension.module, "HAS_TRANSLATED_WORDS", False)
    )


def messages_of_packages(folders: list[Path]) -> Iterator[Found]:
    """Find the messages of packages' modules."""
    for path in sorted(path for folder in folders for path in folder.rglob("*.py")):
        found = []
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(ast.Name("_"), [ast.Constant(str(text))]):
                    found.append((node.lineno, node.col_offset, text))
        for *_place, text in sorted(found):  # walked level by level, not line by line
            yield text, path.relative_to(HERE.parent).as_posix()
    for text in COPY_BUTTON.values():
        yield text, "sphinx_copybutton"
    for text in THEME_TEXTS.values():
        yield text, "theme options"
    for text in SEARCH_ENDS:
        yield text, "themes/basic/static/searchtools.js"


def messages_of_templates(
    environment: Any, folders: dict[str, Path]
) -> Iterator[Found]:
    """Find the messages of Jinja templates; ``folders`` maps names to places."""
    for name, folder in folders.items():
        for path in sorted((*folder.rglob("*.html"), *folder.rglob("*.css.jinja"))):
            text = path.read_text(encoding="utf-8")
            for _line, _function, message in environment.extract_translations(text):
                if isinstance(message, str):
                    where = path.relative_to(folder).as_posix()
                    yield message, f"{name}/{where}"


def messages_of_sphinx(languages: list[str]) -> Iterator[Found]:
    """Find Sphinx's own words that one of the languages has no translation for."""
    known = [sphinx_catalog(language) for language in languages]
    with (SPHINX_LOCALE / "sphinx.pot").open(encoding="utf-8") as file:
        template = read_po(file)
    for message in template:
        where = [place for place, _line in message.locations]
        if not message.id or not isinstance(message.id, str):
            continue  # the header, or a plural: SEARCH_ENDS
        if is_shown(message.id, where) and any(
            catalog.gettext(message.id) == message.id for catalog in known
        ):
            yield message.id, where[0]


def is_shown(message: str, places: list[str]) -> bool:
    """Tell whether a reader meets a message of Sphinx: those of a log do not count."""
    is_log = message[0].islower() and all(p.startswith("writers/") for p in places)
    return not is_log and any(place.startswith(SHOWN_BY_SPHINX) for place in places)


def collect_messages(app: Sphinx) -> None:
    """Put the interface's messages into the template ``sphinx.pot``."""
    if not isinstance(app.builder, MessageCatalogBuilder):
        return
    languages = [x for x in app.config.gallery_intl_languages if x != "en"]
    folders = {f"{HERE.name}/static": HERE / "static", **theme_folders(app)}
    environment = app.builder.templates.environment
    catalog = app.builder.catalogs["sphinx"]
    for message, where in (
        (app.config.project, "conf.py"),
        (app.config.copyright, "conf.py"),
        *messages_of_packages(packages(app)),
        *messages_of_templates(environment, folders),
        *messages_of_sphinx(languages),
    ):
        if message:  # to gettext the empty one is the catalog's header
            catalog.add(message, MsgOrigin(where, 0))


def theme_folders(app: Sphinx) -> dict[str, Path]:
    """Give the theme's template folder by its name; Sphinx's own are left out."""
    factory = HTMLThemeFactory(
        confdir=app.confdir, app=app, config=app.config, registry=app.registry
    )
    theme = factory.create(app.config.html_theme)
    folder = Path(theme.get_theme_dirs()[0])
    return {folder.name: folder}


def translate_titles(app: Sphinx) -> None:
    """Translate what conf.py can only say once, for all languages."""
    config = app.config
    if app.builder.format != "html":
        return
    config.html_title = _(config.html_title)
    config.html_short_title = _(config.html_short_title)
    if isinstance(app.builder, StandaloneHTMLBuilder):
        for option in THEME_TEXTS.keys() & app.builder.theme.get_options().keys():
            app.builder.theme_options[option] = _(THEME_TEXTS[option])


def translate_scripts(app: Sphinx, error: Exception | None) -> None:
    """Give copy button and search the words of this language."""
    static = app.outdir / "_static"
    if error or app.builder.format != "html":
        return
    if (script := static / "copybutton.js").is_file():
        translate_copy_button(script)
    if (script := static / "translations.js").is_file():
        translate_search(script)


def translate_search(script: Path) -> None:
    one, many = SEARCH_ENDS
    messages = json.dumps({one: [_(one), _(many)]})
    # Sphinx has them in a few languages (fr), in the others empty or not at all
    is_ours = "true" if _(one) != one else "false"
    added = (
        f"if ({is_ours} || !Documentation.TRANSLATIONS[{json.dumps(one)}]?.[0]) {{\n"
        f"  Object.assign(Documentation.TRANSLATIONS, {messages});\n"
        "  Documentation.PLURAL_EXPR = (n) => (n === 1 ? 0 : 1);\n"
        "}\n"
    )
    text = script.read_text(encoding="utf-8")
    if added not in text:
        script.write_text(f"{text}\n{added}", encoding="utf-8")


def translate_copy_button(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    # what nobody has translated is the button's own, which has some languages (ru)
    found = {key: _(value) for key, value in COPY_BUTTON.items()}
    words = json.dumps({k: v for k, v in found.items() if v != COPY_BUTTON[k]})
    own = "messages[document.documentElement.lang]"
    added = f"{own} = {{ ...messages.en, ...{own}, ...{words} }}\n"
    if added not in text:
        text = re.sub(r"(?m)^(?=let locale = 'en')", lambda _: added, text, count=1)
        script.write_text(text, encoding="utf-8")


def site_title(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    context["project"] = _(app.config.project)
    if app.config.copyright:
        context["copyright"] = _(app.config.copyright)


def remember_interface(app: Sphinx, config: Config) -> None:
    """Let a changed interface catalog, or a changed package, refresh every page."""
    digest = hashlib.sha256()
    for folder in config.locale_dirs:
        path = catalogs.po_path(app.srcdir / folder, config.language, "sphinx")
        digest.update(path.read_bytes() if path.is_file() else b"")
    for path in sorted((*HERE.rglob("*.py"), *HERE.glob("templates/*"))):
        digest.update(path.read_bytes())
    config.gallery_intl_interface = digest.hexdigest()


def add_static_files(app: Sphinx) -> None:
    if app.builder.format == "html":
        app.config.html_static_path.append(str(HERE / "static"))


def setup(app: Sphinx) -> ExtensionMetadata:
    # set by us: Sphinx reads all pages again when it changes
    app.add_config_value("gallery_intl_interface", "", "env", types=frozenset({str}))
    app.connect("config-inited", remember_interface)
    app.connect("builder-inited", collect_messages)
    app.connect("builder-inited", translate_titles)
    app.connect("builder-inited", add_static_files)
    app.connect("html-page-context", site_title)
    app.connect("build-finished", translate_scripts)
    app.add_css_file("gallery_intl.css")
    app.add_js_file("gallery_intl.js", loading_method="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
