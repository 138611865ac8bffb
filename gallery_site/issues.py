"""Let a reader report a problem with a page, from the foot of that page.

``gallery_intl_issues_url`` is the address at which the repository's host opens a new
issue, with ``{page}`` and ``{language}``, and ``{title}``, which is the title that the
reader saw. These are those of GitHub and GitLab::

    https://github.com/owner/name/issues/new?title={title}&body={language}/{page}
    https://gitlab.com/owner/name/-/issues/new?issue[title]={title}&issue[description]={language}/{page}
"""

from __future__ import annotations

import re
from urllib.parse import quote

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError
from sphinx.locale import _
from sphinx.util.typing import ExtensionMetadata

PLACES = {"title", "page", "language"}
NEEDED = {"page", "language"}  # else nobody knows where the problem is
EXAMPLE = (
    "https://github.com/owner/name/issues/new?title={title}&body={language}/{page}"
)


def fill(template: str, **values: str) -> str:
    """Put values into an address, quoted: a title may hold ``&``, ``#`` and Hangul."""
    return re.sub(r"\{(\w+)\}", lambda at: quote(values[at[1]], safe=""), template)


def fault(template: str) -> str:
    """Say what is wrong with a template; "" if nothing is."""
    found = set(re.findall(r"\{(\w*)\}", template))
    if not re.match(r"https?://[^/{}]+/", template):
        return "is no address"
    if unknown := found - PLACES:
        return f"has {{{min(unknown)}}}, which nothing fills"
    if missing := NEEDED - found:
        return f"lacks {{{min(missing)}}}"
    return ""


def check_template(app: Sphinx, config: Config) -> None:
    """Refuse an address that would not say which page a problem is on."""
    url = config.gallery_intl_issues_url
    if url and (reason := fault(url)):
        raise ConfigError(
            f"gallery_intl_issues_url: {url!r} {reason} (write it like {EXAMPLE})"
        )


def add_link(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Put the link below the text of a page; catalogs and downloads have none."""
    template = app.config.gallery_intl_issues_url
    if not template or app.builder.format != "html":
        return
    url = fill(
        template,
        title=app.env.titles[docname].astext(),
        page=docname,
        language=app.config.language,
    )
    link = nodes.reference("", _("Report a problem with this page"), refuri=url)
    document += nodes.paragraph("", "", link, classes=["report-problem", "no-search"])


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_config_value("gallery_intl_issues_url", "", "html", frozenset({str}))
    app.connect("config-inited", check_template)
    app.connect("doctree-resolved", add_link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
