"""Give each page its first sentences as the description that search engines show."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from markupsafe import Markup
from sphinx.application import Sphinx

from gallery_intl.text.sentences import describe

TAG = Markup('<meta name="description" content="{}" />\n')


def add_description(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Add the tag to the head of a page; without text, its title describes it."""
    tags = context.get("metatags", "")
    if doctree is None or 'name="description"' in tags:  # by a meta directive
        return
    text = describe(doctree) or Markup(context["title"]).striptags()
    context["metatags"] = tags + str(TAG.format(text))
