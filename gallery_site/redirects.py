"""Lead readers from the old address of a page to its new one.

``gallery_intl_redirects`` maps the old name of a page to its present one. Each language
gets a small page at the old address. sphinx-reredirects would make such pages too, but
with a script in the page, which a strict Content-Security-Policy stops, without
``noindex`` and a canonical address, and it writes over pages that still exist.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ConfigError
from sphinx.util.typing import ExtensionMetadata

TEMPLATE = "redirect.html"


def mistakes(redirects: dict[str, str], pages: set[str]) -> Iterator[str]:
    """Find the redirects that cannot be right, with what to do."""
    for old, new in redirects.items():
        if old in pages:
            yield f"{old!r} is still a page (remove the redirect, or the page)"
        if new in redirects:
            yield f"{old!r} leads to {new!r}, another redirect (name the last page)"
        elif new not in pages:
            yield f"{old!r} leads to {new!r}, which is not a page (mend its name)"


def check_redirects(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Stop a build that would lead readers to nowhere."""
    found = list(mistakes(app.config.gallery_intl_redirects, env.found_docs))
    if found:
        raise ConfigError(
            "\n".join(f"conf.py: gallery_intl_redirects: {text}" for text in found)
        )


def redirect_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Give the pages that stand at old addresses."""
    base = app.config.html_baseurl
    for old, new in app.config.gallery_intl_redirects.items():
        uri = app.builder.get_target_uri(new)
        context = {
            "title": app.env.titles[new].astext(),
            "new": new,
            "canonical": f"{base.rstrip('/')}/{uri}" if base else "",
        }
        yield old, context, TEMPLATE


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_config_value("gallery_intl_redirects", {}, "html", types=frozenset({dict}))
    app.connect("env-before-read-docs", check_redirects)
    app.connect("html-collect-pages", redirect_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
