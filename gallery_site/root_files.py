"""Write the front page, which offers the languages, and the 404 page."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader

from gallery_intl.catalogs import po as catalogs
from gallery_intl.interface.languages import language_tag
from gallery_intl.text.sentences import sentences
from gallery_site.project import Site

HERE = Path(__file__).parent / "front"
MARKUP = re.compile(r"[`*|]")
Choice = dict[str, str]  # a language that the front page offers


def write_root_files(site: Site, folder: Path) -> None:
    """Write the files of all languages into the folder that holds them."""
    offered = choices(site, folder)
    templates = Environment(loader=FileSystemLoader(HERE), autoescape=True)
    for name in ("front.css", "front.js"):
        shutil.copyfile(HERE / name, folder / name)
    (folder / ".nojekyll").touch()

    def write(name: str, **values: object) -> None:
        page = templates.get_template(f"{name}.jinja").render(
            title=site.config.project,
            icon=icon(site, offered[0]["language"]),
            choices=offered,
            **values,
        )
        (folder / name).write_text(page, encoding="utf-8")

    titles = dict.fromkeys(choice["title"] for choice in offered)
    write("index.html", description=" · ".join(titles), address=site.address)
    if site.address:
        write("404.html", root=urlsplit(site.address).path)


def choices(site: Site, folder: Path) -> list[Choice]:
    """Return what is said of each language that is built, in their order."""
    built = {x: name for x, name in site.languages.items() if (folder / x).is_dir()}
    return [choice(site, language, name) for language, name in built.items()]


def choice(site: Site, language: str, name: str) -> Choice:
    """Return what the front page and the 404 page say of a language, and in it."""
    path = catalogs.po_path(site.locale_dir, language, catalogs.INTERFACE)
    translations = catalogs.translations(path)

    def _(message: str) -> str:
        return translations.get(message, message)

    return {
        "language": language,
        "tag": language_tag(language),
        "name": name,
        "title": _(site.config.project),
        "about": first_sentence(site, language),
        "heading": _("Page not found"),
        "advice": _("It may have moved. Search for it, or start at the front page:"),
        "search": _("Search"),
    }


def first_sentence(site: Site, language: str) -> str:
    """Return what the first page says first, if it is translated and has no markup."""
    path = catalogs.po_path(site.locale_dir, language, site.config.root_doc)
    entries = catalogs.active(catalogs.read(path)) if path.is_file() else []
    first = next((entry for entry in entries if entry.comment == "paragraph"), None)
    if first is None or not catalogs.is_translated(first):
        return ""
    sentence = next(iter(sentences(first.msgstr)), "")
    return "" if MARKUP.search(sentence) else sentence


def icon(site: Site, language: str) -> str | None:
    """Return the path of the favicon, which each language has."""
    favicon = site.config.html_favicon
    return f"{language}/_static/{Path(favicon).name}" if favicon else None
