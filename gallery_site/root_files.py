"""Write what stands beside the languages: front page, 404 page, sitemap, robots.txt."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote, urlsplit
from xml.etree import ElementTree

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from gallery_intl.catalogs import po as catalogs
from gallery_intl.catalogs.po import SOURCE_LANGUAGE
from gallery_intl.interface.languages import (
    alternate_tags,
    alternates,
    language_links,
    language_tag,
)
from gallery_intl.text.sentences import sentences
from gallery_site.policy import protected
from gallery_site.project import Site
from gallery_site.sharing import description_tag, open_graph_tags

HERE = Path(__file__).parent / "front"
FIRST = "index.html"
MARKUP = re.compile(r"[`*|]")
SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
XHTML = "http://www.w3.org/1999/xhtml"
Choice = dict[str, str]  # a language that the front page offers


def write_root_files(site: Site, folder: Path) -> None:
    """Write the files of all languages into the folder that holds them."""
    offered = choices(site, folder)
    templates = Environment(loader=FileSystemLoader(HERE), autoescape=True)
    for name in ("front.css", "front.js"):
        shutil.copyfile(HERE / name, folder / name)
    (folder / ".nojekyll").touch()
    (folder / "robots.txt").write_text(robots(site.address), encoding="utf-8")

    def write(name: str, **values: object) -> None:
        page = templates.get_template(f"{name}.jinja").render(
            title=site.config.project, icon=icon(site, folder), **values
        )
        path = folder / name
        path.write_text(
            protected(page, path) if site.config.gallery_intl_policy else page, "utf-8"
        )

    write(FIRST, choices=offered, head=front_head(site, offered))
    if site.address:
        write("404.html", choices=offered, root=urlsplit(site.address).path)
        listed = sitemap(all_pages(site, offered, folder))
        (folder / "sitemap.xml").write_text(listed, encoding="utf-8")


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


def icon(site: Site, folder: Path) -> str | None:
    """Return the path of the favicon, which each language has."""
    favicon = site.config.html_favicon
    paths = folder.glob(f"*/_static/{Path(favicon).name}") if favicon else ()
    return next((path.relative_to(folder).as_posix() for path in sorted(paths)), None)


def robots(address: str) -> str:
    """Allow everything; say where the sitemap is, if it has an address."""
    rules = "User-agent: *\nAllow: /\n"
    return f"{rules}\nSitemap: {address}sitemap.xml\n" if address else rules


def addresses(site: Site, offered: list[Choice], page: str) -> dict[str, str]:
    """Map languages to the addresses of a page, and ``x-default`` to its source.

    Of the languages' first pages this is the front page, which offers them all.
    """
    languages = {choice["language"]: choice["name"] for choice in offered}
    links = language_links(languages, "", "", quote(page), "{language}/")
    return alternates(links, site.address, site.address if page == FIRST else None)


def all_pages(
    site: Site, offered: list[Choice], folder: Path
) -> Iterator[dict[str, str]]:
    """Yield the addresses of every page in the languages that have it."""
    for page in (f"{name}.html" for name in site.pages()):
        having = [x for x in offered if (folder / x["language"] / page).is_file()]
        if having:
            yield addresses(site, having, page)


def sitemap(pages: Iterable[dict[str, str]]) -> str:
    """Return the sitemap; each page maps its languages (and x-default) to addresses.

    sphinx-sitemap sees one language at a time: its links to the others are guesses.
    """
    urls = ElementTree.Element("urlset", {"xmlns": SITEMAP, "xmlns:xhtml": XHTML})
    for page in pages:
        for address in dict.fromkeys(page.values()):
            url = ElementTree.SubElement(urls, "url")
            ElementTree.SubElement(url, "loc").text = address
            for tag, href in page.items():
                link = {"rel": "alternate", "hreflang": tag, "href": href}
                ElementTree.SubElement(url, "xhtml:link", link)
    ElementTree.indent(urls, "")
    xml = ElementTree.tostring(urls, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{xml}\n'


def front_head(site: Site, offered: list[Choice]) -> Markup:
    """Describe the front page in every language at once; the rest needs an address."""
    description = " · ".join(dict.fromkeys(choice["title"] for choice in offered))
    head = description_tag(description)
    if not site.address:
        return head  # links to other languages in a head are absolute
    title, picture = site.config.project, site.config.gallery_site_picture
    first = f"{site.address}{offered[0]['language']}/"  # each language has the picture
    shared = open_graph_tags(
        type="website",
        title=title,
        description=description,
        url=site.address,
        site_name=title,
        language=SOURCE_LANGUAGE,
        others=[x["tag"] for x in offered if x["language"] != SOURCE_LANGUAGE],
        picture=f"{first}{picture}" if picture else "",
    )
    canonical = Markup('<link rel="canonical" href="{}" />\n').format(site.address)
    others = alternate_tags(addresses(site, offered, FIRST))
    return head + canonical + others + shared
