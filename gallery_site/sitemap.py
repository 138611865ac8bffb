"""List every page in all its languages, for search engines.

sphinx-sitemap sees one language at a time: its links to the others are guesses, and it
knows no ``x-default``.
"""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree

SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'
XHTML = "http://www.w3.org/1999/xhtml"

ElementTree.register_namespace("", SITEMAP)
ElementTree.register_namespace("xhtml", XHTML)


def sitemap(pages: Iterable[dict[str, str]]) -> str:
    """Give the XML; each page maps its languages (and x-default) to addresses."""
    urls = ElementTree.Element(f"{{{SITEMAP}}}urlset")
    for page in pages:
        for address in dict.fromkeys(page.values()):
            url = ElementTree.SubElement(urls, f"{{{SITEMAP}}}url")
            ElementTree.SubElement(url, f"{{{SITEMAP}}}loc").text = address
            for tag, href in page.items():
                link = {"rel": "alternate", "hreflang": tag, "href": href}
                ElementTree.SubElement(url, f"{{{XHTML}}}link", link)
    ElementTree.indent(urls, "")
    return f"{DECLARATION}\n{ElementTree.tostring(urls, encoding='unicode')}\n"
