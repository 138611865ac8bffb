"""Tell readers' and language models' programs which lessons there are, and what is new.

Each language has an Atom feed of its lessons, by their last change in substance, and
the site an ``llms.txt``, the list of all lessons in reading order. Both name addresses,
so they are written only for a site that has one; a feed needs git's history as well.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote
from xml.etree import ElementTree

from gallery_intl.catalogs import po
from gallery_intl.interface.languages import language_tag
from gallery_run.fingerprint import gallery_dirs
from gallery_site.history import first_days, last_days
from gallery_site.lessons import ORDER
from gallery_site.project import Site

FEED = "feed.xml"
ATOM = "http://www.w3.org/2005/Atom"
NEWEST = 30  # lessons in a feed
SAID = re.compile(r'<meta (?:name|property)="(?P<name>[\w:]+)" content="(?P<text>.*?)"')


class Page(NamedTuple):
    """What a feed says of a page."""

    address: str
    title: str
    description: str
    published: str = ""  # a day, such as 2026-11-20
    updated: str = ""


def read_parts(site: Site, language: str) -> list[tuple[str, list[str]]]:
    """Return the parts of a language that was built, each with its lessons."""
    path = site.doctrees(language) / ORDER
    if not path.is_file():
        return []
    return [(part, lessons) for part, lessons in json.loads(path.read_text("utf-8"))]


def page(site: Site, folder: Path, language: str, name: str) -> Page:
    """Return what a built page says of itself."""
    place = f"{language}/{name}.html"
    head = (folder / place).read_text("utf-8").partition("</head>")[0]
    said = {x["name"]: html.unescape(x["text"]) for x in SAID.finditer(head)}
    address = f"{site.address}{quote(place)}"
    return Page(address, said.get("og:title", name), said.get("description", ""))


def sources(site: Site, language: str, lesson: str) -> Iterator[str]:
    """Yield the files that a lesson is written in, the script first."""
    pairs = gallery_dirs(site.srcdir, site.config.sphinx_gallery_conf)
    for examples, generated in pairs:
        top = f"{generated.relative_to(site.srcdir).as_posix()}/"
        if lesson.startswith(top):
            script = examples / f"{lesson.removeprefix(top)}.py"
            yield script.relative_to(site.srcdir).as_posix()
    catalog = po.po_path(site.locale_dir, language, lesson)
    yield catalog.relative_to(site.srcdir).as_posix()


def changed(site: Site, folder: Path, language: str) -> list[Page]:
    """Return the lessons whose history is known, the last that changed first."""
    lessons = [x for _part, lessons in read_parts(site, language) for x in lessons]
    files = {x: [*sources(site, language, x)] for x in lessons}
    first = first_days(site.srcdir, {x: paths[0] for x, paths in files.items()})
    last = last_days(site.srcdir, files)
    pages = [
        page(site, folder, language, x)._replace(published=first[x], updated=last[x])
        for x in lessons
        if first[x] and last[x]
    ]
    return sorted(pages, key=lambda each: each.updated, reverse=True)[:NEWEST]


def atom(site: Site, language: str, title: str, pages: list[Page]) -> str:
    """Return the feed of a language."""
    feed = ElementTree.Element(
        "feed", {"xmlns": ATOM, "xml:lang": language_tag(language)}
    )
    top = f"{site.address}{language}/"

    def add(
        above: ElementTree.Element, name: str, text: str = "", **named: str
    ) -> None:
        ElementTree.SubElement(above, name, named).text = text or None

    add(feed, "title", title)
    add(feed, "id", f"{top}{FEED}")
    add(feed, "link", rel="self", href=f"{top}{FEED}")
    add(feed, "link", rel="alternate", href=top)
    add(feed, "updated", moment(pages[0].updated))
    author = ElementTree.SubElement(feed, "author")
    add(author, "name", site.config.author)
    for each in pages:
        entry = ElementTree.SubElement(feed, "entry")
        add(entry, "title", each.title)
        add(entry, "id", each.address)
        add(entry, "link", href=each.address)
        add(entry, "published", moment(each.published))
        add(entry, "updated", moment(each.updated))
        add(entry, "summary", each.description)
    ElementTree.indent(feed, "")
    xml = ElementTree.tostring(feed, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{xml}\n'


def moment(day: str) -> str:
    return f"{day}T00:00:00Z"


def llms(site: Site, folder: Path, languages: Mapping[str, str]) -> str:
    """Return the list of all lessons, in English where there is English."""
    language = next(iter(languages))
    first = page(site, folder, language, site.config.root_doc)
    lines = [f"# {site.config.project}", "", f"> {first.description}"]
    others = []
    for part, lessons in read_parts(site, language):
        about = page(site, folder, language, part)
        if lessons:
            lines += ["", f"## {about.title}", ""]
            lines += [item(page(site, folder, language, name)) for name in lessons]
        else:
            others.append(item(about))
    lines += ["", "## Optional", "", *others]
    lines += [
        f"- [{name}]({site.address}{other}/): the same lessons in this language"
        for other, name in languages.items()
        if other != language
    ]
    return "\n".join(lines) + "\n"


def item(about: Page) -> str:
    text = f"- [{about.title}]({about.address})"
    return f"{text}: {about.description}" if about.description else text


def write_feeds(site: Site, folder: Path, titles: Mapping[str, str]) -> list[str]:
    """Write the feed of each language, by its title; return those that have one."""
    written = []
    for language, title in titles.items():
        if pages := changed(site, folder, language):
            text = atom(site, language, title, pages)
            (folder / language / FEED).write_text(text, encoding="utf-8")
            written.append(language)
    return written
