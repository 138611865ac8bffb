"""Lead to a catalog: to its line where it can be edited online, else to the file.

Beside the link stands who reviewed the catalog and what is left to translate in it.

``gallery_intl_edit_url`` is the address of a file in the editor of the repository's
host, with ``{path}`` (from the folder of ``conf.py``) and, if the host knows lines,
``{line}``. These are those of GitHub and GitLab::

    https://github.com/owner/name/edit/main/{path}#L{line}
    https://gitlab.com/owner/name/-/edit/main/{path}#L{line}

``gallery_intl_contributing_url`` is the address of a page that says how to help.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.errors import ConfigError
from sphinx.locale import _
from sphinx.util.typing import ExtensionMetadata

from gallery_intl.catalogs.progress import Count, Credits


def fill(template: str, path: str, line: int) -> str:
    """Give the address of a line; "" without a template."""
    return template.replace("{path}", quote(path)).replace("{line}", str(line))


def edit_url(env: BuildEnvironment, catalog: Path, line: int = 1) -> str:
    """Give the address at which a catalog can be edited; "" if none is configured."""
    path = catalog.relative_to(env.srcdir).as_posix()
    return fill(env.config.gallery_intl_edit_url, path, line)


def link_to(
    env: BuildEnvironment, catalog: Path, words: str, line: int = 1, **attributes: Any
) -> nodes.Element:
    """Link to a catalog: to edit it, or to download it."""
    text = nodes.inline("", words)
    if url := edit_url(env, catalog, line):
        return nodes.reference("", "", text, refuri=url, **attributes)
    target = f"/{catalog.relative_to(env.srcdir).as_posix()}"
    return addnodes.download_reference(
        "", "", text, reftarget=target, refdoc=env.docname, **attributes
    )


def improve(env: BuildEnvironment, catalog: Path, line: int = 1) -> nodes.Element:
    """Link to a page's catalog with words that say what the link does."""
    if env.config.gallery_intl_edit_url:
        return link_to(env, catalog, _("Improve this translation"), line)
    return link_to(env, catalog, _("Get the catalog of this page"), line)


def review(credits: Credits) -> str:
    """Say who reviewed a translation, or that nobody has."""
    if credits.reviewer:
        return _("Reviewed by %s") % credits.reviewer
    return _("Not reviewed yet")


def remaining(count: Count) -> Iterator[str]:
    """Say what is left of a catalog."""
    if count.words_left:
        yield _("Words left: %d") % count.words_left
    if count.fuzzy:
        yield _("Fuzzy: %d") % count.fuzzy


def contributing(env: BuildEnvironment) -> list[nodes.Node]:
    """Link to the page that says how to help, if there is one."""
    url = env.config.gallery_intl_contributing_url
    link = nodes.reference("", _("How to help with translations"), refuri=url)
    return [nodes.paragraph("", "", link, translatable=False)] if url else []


def check_template(app: Sphinx, config: Config) -> None:
    """Refuse an address that would be the same for all catalogs, or no address."""
    url = config.gallery_intl_edit_url
    if url and not (url.startswith(("https://", "http://")) and "{path}" in url):
        raise ConfigError(
            f"gallery_intl_edit_url: {url!r} leads to no file (write an address with"
            " {path}, such as https://github.com/owner/name/edit/main/{path}#L{line})"
        )


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_config_value("gallery_intl_edit_url", "", "env", frozenset({str}))
    app.add_config_value("gallery_intl_contributing_url", "", "env", frozenset({str}))
    app.connect("config-inited", check_template)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
