"""Lead to a catalog: to its line where it can be edited online, else to the file.

Beside the link stands who reviewed the catalog and what is left to translate in it.
Where the repository is, and so where its files are read and edited and problems are
reported, says ``gallery_repository_url``, such as ``https://github.com/owner/name``.
"""

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from os.path import normpath
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.errors import ConfigError

from gallery_intl.catalogs.progress import Count
from gallery_intl.catalogs.review import Credits
from gallery_intl.locale import _
from gallery_intl.project import Project

ADDRESS = re.compile(r"https?://[^/?#\s]+(?:/[^/?#\s]+)+/?")  # a host, and a path


def below(repository: str, place: str) -> str:
    """Return an address of a repository's host; its shapes are GitHub's or GitLab's."""
    root = repository.rstrip("/").removesuffix(".git")
    return f"{root}/-/{place}" if is_on_gitlab(repository) else f"{root}/{place}"


def is_on_gitlab(repository: str) -> bool:
    return "gitlab" in urlsplit(repository).netloc


def new_issue(repository: str, title: str) -> str:
    """Return the address at which a problem is reported."""
    name = "issue[title]" if is_on_gitlab(repository) else "title"
    query = urlencode({name: title}, safe="[]", quote_via=quote)
    return below(repository, f"issues/new?{query}")


@lru_cache(maxsize=4)
def repository_root(folder: Path) -> Path:
    """Return the folder of the repository that a folder is in, else the folder."""
    folders = (folder, *folder.parents)
    return next((x for x in folders if (x / ".git").exists()), folder)


def file_url(env: BuildEnvironment, path: Path, what: str = "blob") -> str:
    """Return the address at which a file is read, or edited by ``what="edit"``.

    It is "" for a file outside of the repository, which may begin above ``conf.py``.
    The branch is named, because GitHub opens ``blob/HEAD`` but not ``edit/HEAD``.
    """
    path, root = Path(normpath(path)), repository_root(Project.of(env).srcdir)
    if not path.is_relative_to(root):
        return ""
    place = quote(path.relative_to(root).as_posix())
    branch = env.config.gallery_repository_branch
    return below(env.config.gallery_repository_url, f"{what}/{branch}/{place}")


def edit_url(env: BuildEnvironment, catalog: Path, first: int = 1) -> str:
    """Return the address at which a catalog is edited; "" without a repository."""
    if not env.config.gallery_repository_url:
        return ""
    url = file_url(env, catalog, "edit")
    return f"{url}#L{first}" if url else ""


def link_to(
    env: BuildEnvironment, catalog: Path, words: str, first: int = 1
) -> nodes.Element:
    """Return a link to a catalog: to edit it, or to download it."""
    text = nodes.inline("", words)
    if url := edit_url(env, catalog, first):
        return nodes.reference("", "", text, refuri=url)
    place = os.path.relpath(catalog, Project.of(env).srcdir)
    target = f"/{Path(place).as_posix()}"
    return addnodes.download_reference(
        "", "", text, reftarget=target, refdoc=env.docname
    )


def improve(env: BuildEnvironment, catalog: Path, first: int = 1) -> nodes.Element:
    """Return a link to a page's catalog, with words that say what it does."""
    edits, gets = _("Edit this translation"), _("Get the catalog of this page")
    words = edits if env.config.gallery_repository_url else gets
    return link_to(env, catalog, words, first)


def reviews(credits: Credits) -> Iterator[str]:
    """Yield who reviewed a translation, and if the text changed, or that nobody has."""
    for review in credits.reviews:
        changed = _("Reviewed by %s (changed since the review)")
        yield (changed if review.changed else _("Reviewed by %s")) % review.by
    if not credits.reviews:
        yield _("Not reviewed yet")


def remaining(count: Count) -> Iterator[str]:
    if count.words_left:
        yield _("Words left: %d") % count.words_left
    if count.fuzzy:
        yield _("Fuzzy: %d") % count.fuzzy


def how_to_translate(env: BuildEnvironment) -> list[nodes.Node]:
    """Lead to the page that explains how to translate, if the project has one."""
    page = env.config.gallery_intl_how_to
    if not page:
        return []
    link = addnodes.pending_xref(
        "",
        nodes.inline("", _("How to help with translations")),
        refdomain="std",
        reftype="doc",
        reftarget=f"/{page}",
        refexplicit=True,
        refdoc=env.docname,
        refwarn=True,
    )
    return [link]


def check_repository(app: Sphinx, config: Config) -> None:
    """Refuse what is not the address of a repository's page."""
    url = config.gallery_repository_url
    if url and not ADDRESS.fullmatch(url):
        raise ConfigError(
            f"gallery_repository_url: {url!r} is no address of a repository (write it"
            " like https://github.com/owner/name)"
        )
