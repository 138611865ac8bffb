"""Find a link to an own page that leads nowhere, in the build and with its line.

Sphinx checks ``:doc:`` and ``:ref:``, and its ``linkcheck`` what leads to other sites.
Between them are addresses such as ```text <../part/page.html#section>`__``, which
nobody checks: where `gallery_intl_check_links` asks for it, they are compared here with
the pages and sections of this build.
Sphinx-Gallery's own links, such as that to JupyterLite, lead to what is no page.
"""

from __future__ import annotations

import posixpath
from urllib.parse import unquote, urlsplit

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from gallery_intl.page import upstream

logger = logging.getLogger(__name__)


def fault(app: Sphinx, docname: str, address: str) -> str:
    """Return what is wrong with an address that a page links to; "" if nothing is."""
    link = urlsplit(address)
    if link.scheme or link.netloc:
        return ""
    pages = {app.builder.get_target_uri(page): page for page in app.env.found_docs}
    here = app.builder.get_target_uri(docname)
    path = posixpath.join(posixpath.dirname(here), unquote(link.path))
    target = pages.get(posixpath.normpath(path) if link.path else here)
    if target is None:
        return "there is no such page"
    section = unquote(link.fragment)
    there = app.env.get_doctree(target).findall(nodes.Element)
    if section and not any(section in node["ids"] for node in there):
        return f"the page {target!r} has no such section"
    return ""


def is_theirs(document: nodes.document, docname: str, link: nodes.reference) -> bool:
    """Return whether Sphinx-Gallery has added a link."""
    furniture = upstream.furniture(document, docname)
    return any(link in part.findall(nodes.reference) for part in furniture)


def check_links(app: Sphinx, document: nodes.document, docname: str) -> None:
    if app.builder.format != "html" or not app.config.gallery_intl_check_links:
        return
    for link in document.findall(nodes.reference):
        address = link.get("refuri")
        if address is None or link.get("internal"):  # what Sphinx has resolved
            continue
        reason = fault(app, docname, address)
        if reason and not is_theirs(document, docname, link):
            logger.warning(
                "link to %r: %s (mend it, or write :doc:, :ref: or :download:)",
                address,
                reason,
                type="gallery_intl",
                subtype="links",
                location=link,
            )
