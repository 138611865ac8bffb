"""Link each page to the same page in the other languages.

The links are written at build time, relative, so that they work without JavaScript,
below any path and from a folder on disk. They lead to sibling folders: a build whose
output folder is not named after its language has no siblings and gets no menu.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError
from sphinx.util.typing import ExtensionMetadata

HERE = Path(__file__).parent


class LanguageLink(NamedTuple):
    """A link to a page in one language: ``tag`` is its BCP 47 name."""

    tag: str
    name: str
    href: str
    current: bool


def language_tag(language: str) -> str:
    """Give the name that HTML knows a language by: ``zh_CN`` is ``zh-CN``."""
    return language.replace("_", "-")


def language_links(
    languages: dict[str, str], current: str, content_root: str, uri: str
) -> list[LanguageLink]:
    """Give the links of one page, in the order of the languages."""
    return [
        LanguageLink(
            language_tag(language),
            name,
            f"{content_root}../{language}/{uri}",
            language == current,
        )
        for language, name in languages.items()
    ]


def check_language(app: Sphinx, config: Config) -> None:
    """Refuse a language that the site does not have."""
    languages = config.gallery_intl_languages
    if languages and config.language not in languages:
        raise ConfigError(
            f"no language {config.language!r} in gallery_intl_languages: it has"
            f" {', '.join(languages)} (add it to conf.py, then run make catalogs)"
        )


def add_links(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    languages = app.config.gallery_intl_languages
    current = app.config.language
    has_siblings = app.outdir.name == current and len(languages) > 1
    context["language_links"] = (
        language_links(
            languages,
            current,
            context["content_root"],
            app.builder.get_target_uri(pagename),
        )
        if has_siblings
        else []
    )


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_config_value("gallery_intl_languages", {}, "html", types=frozenset({dict}))
    app.connect("config-inited", check_language)
    app.connect("html-page-context", add_links)
    app.connect(
        "config-inited",
        lambda _, config: config.templates_path.append(str(HERE / "templates")),
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
