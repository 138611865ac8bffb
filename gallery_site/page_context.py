"""Add to each page a description for search engines and links to its repository."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from markupsafe import Markup
from sphinx.application import Sphinx

from gallery_intl.page.catalog_links import file_url, is_on_gitlab, new_issue
from gallery_intl.project import Project
from gallery_intl.text.sentences import describe

TAG = Markup('<meta name="description" content="{}" />\n')


def add_description(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Describe a page by its first sentences; without text, by its title."""
    tags = context.get("metatags", "")
    if doctree is None or 'name="description"' in tags:  # by a meta directive
        return
    text = describe(doctree) or Markup(context["title"]).striptags()
    context["metatags"] = tags + str(TAG.format(text))


def add_repository_links(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Pass source, edit and issue URLs to ``site-links.html``, if there is a host."""
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
