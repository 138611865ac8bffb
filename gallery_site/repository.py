"""Lead from each page to its source and to reports, once there is a repository."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from markupsafe import Markup
from sphinx.application import Sphinx

from gallery_intl.page.catalog_links import file_url, is_on_gitlab, new_issue
from gallery_intl.project import Project


def add_links(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Give a page's URLs at the repository's host to ``site-links.html``."""
    url, project = app.config.gallery_repository_url, Project.of(app.env)
    sources = [project.origin(pagename, suffix) for suffix in (".py", ".rst")]
    sources.append(project.srcdir / f"{pagename}.rst")
    source = next((path for path in sources if path and path.is_file()), None)
    if not url or source is None:
        return
    title = Markup(context["title"]).striptags()
    report = f"{title} ({app.config.language}/{pagename})"
    context["source_url"] = file_url(app.env, source, "edit")
    context["report_url"] = new_issue(url, report)
    context["repository_host"] = "GitLab" if is_on_gitlab(url) else "GitHub"
