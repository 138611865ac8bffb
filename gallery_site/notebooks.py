"""Open notebooks where readers need install nothing, from a branch of the repository.

Colab opens a notebook of any branch on GitHub. Ours are made by the build, so they are
no part of the branch with the sources: ``python -m gallery_site notebooks FOLDER``
copies them for a branch of their own, ``notebooks``.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlsplit

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.locale import _

from gallery_intl.builders import collects_messages
from gallery_intl.page import page as pages
from gallery_intl.page.furniture import with_class
from gallery_run.words import interface_line
from gallery_site.project import BuildError, Site

BRANCH = "notebooks"
COLAB = "https://colab.research.google.com/github"
BUTTONS = "downloads"  # the list of a page's downloads


def place(language: str, page: str) -> str:
    """Return where the branch has a notebook; a page is named without its gallery."""
    return f"{language}/{page}.ipynb"


def colab_url(repository: str, path: str) -> str:
    """Return the address at which Colab opens a notebook; "" if not on GitHub."""
    url = urlsplit(repository)
    if url.hostname != "github.com":
        return ""
    name = url.path.strip("/").removesuffix(".git")
    return f"{COLAB}/{name}/blob/{BRANCH}/{quote(path)}"


def offer_colab(app: Sphinx, document: nodes.document) -> None:
    """Put a link among the downloads of a page, if the branch can have its notebook."""
    docname = app.env.docname
    if pages.script_of(app.env, docname) is None or collects_messages(app.env):
        return
    path = place(app.config.language, pages.in_gallery(app.config, docname))
    if url := colab_url(app.config.gallery_repository_url, path):
        link = nodes.reference("", _("Open in Colab"), refuri=url)
        for buttons in with_class(document, nodes.bullet_list, BUTTONS):
            buttons += nodes.list_item("", interface_line(link, name="colab"))


def built(site: Site, language: str) -> Iterator[tuple[str, Path]]:
    """Yield the notebooks of a language, by their places in the branch."""
    downloads = site.doctrees(language) / "downloads"
    for gallery in site.generated:
        folder = downloads / gallery.relative_to(site.srcdir)
        for path in sorted(folder.rglob("*.ipynb")):
            name = path.relative_to(folder).with_suffix("").as_posix()
            yield place(language, name), path


def collect(site: Site, folder: Path) -> list[Path]:
    """Copy the notebooks of all languages into a folder; return where they are."""
    made = []
    for language in site.languages:
        if not (notebooks := dict(built(site, language))):
            raise BuildError(f"no notebooks in {language!r} (build them: make html)")
        for name, path in notebooks.items():
            copy = folder / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            made.append(Path(shutil.copyfile(path, copy)))
    return made
