"""Resolve what the text of a page refers to, for readers outside of the site."""

from __future__ import annotations

import base64
import mimetypes
import re
from pathlib import Path

from docutils import nodes
from sphinx.environment import BuildEnvironment
from sphinx.locale import admonitionlabels
from sphinx.util import docname_join, logging

from gallery_intl.downloads.markdown import Context
from gallery_intl.page.page import catalog_of, script_of
from gallery_intl.script.source import docstring_lines

logger = logging.getLogger(__name__)


def page_address(env: BuildEnvironment, docname: str) -> str:
    """Give the address of a page; "" if ``html_baseurl`` is not configured."""
    base = getattr(env.config, "html_baseurl", "")
    uri = env._app.builder.get_target_uri(docname)
    return f"{base.rstrip('/')}/{uri}" if base else ""


def page_title(env: BuildEnvironment, docname: str) -> str:
    """Give the title of any page in the build's language.

    It is looked up where it is written, because that page may be read after this.
    """
    script = script_of(env, docname)
    if script is None:
        known = env.titles.get(docname)
        return known.astext() if known is not None else docname.rpartition("/")[2]
    first, last = docstring_lines(script.text)
    lines = script.text.split("\n")[first - 1 : last]
    texts = (line.strip().lstrip("rRuU").strip("\"'").strip() for line in lines)
    title = next(text for text in texts if re.search(r"\w", text))
    return (catalog_of(env, docname).translation(title) or title).replace("``", "")


def context_of(env: BuildEnvironment) -> Context:
    """Tell the Markdown of a page what it refers to."""

    def link(node: nodes.Element) -> tuple[str, str]:
        if node.get("reftype") != "doc":
            return "", node.get("refuri", "")
        docname = docname_join(env.docname, node["reftarget"])
        title = "" if node.get("refexplicit") else page_title(env, docname)
        return title, page_address(env, docname)

    def image(uri: str) -> str:
        if "://" in uri:
            return uri
        path = Path(env.relfn2path(uri, env.docname)[1])
        if not path.is_file():
            return uri
        kind = mimetypes.guess_type(path)[0] or "image/png"
        data = base64.b64encode(path.read_bytes()).decode("ascii")
        return f"data:{kind};base64,{data}"

    def unknown(node: nodes.Element) -> None:
        logger.warning(
            "there is no Markdown for %r: the notebook has its text only",
            node.tagname,
            type="gallery_intl",
            subtype="downloads",
            location=node,
        )

    return Context(link, image, lambda kind: str(admonitionlabels[kind]), unknown)
