"""Say in the reader's language what a theme's sidebar offers to download."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from gallery_intl.locale import _

Links = dict[str, dict[str, Any]]  # by kind: python, jupyter, zip


def translate_links(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Let Sphinx-Gallery's template have words of ours."""
    if get_links := context.get("get_download_links"):
        context["get_download_links"] = with_words(get_links)


def with_words(get_links: Callable[[], Links]) -> Callable[[], Links]:
    """Let links have words, and titles that are the same on any machine."""

    def links() -> Links:
        words = {
            "source code": _("Download source code"),
            "Jupyter notebook": _("Download Jupyter notebook"),
            "zipped": _("Download zipped"),
        }
        known = get_links()
        for link in known.values():
            link["words"] = words.get(link["label"], f"Download {link['label']}")
            link["title"] = PurePosixPath(link["title"]).name
        return known

    return links
