"""Link each page to the same page in the other languages.

The links are written at build time, relative, so that they work without JavaScript,
below any path and from a folder on disk; a build that has no siblings gets no menu.
With an address of the site (``html_baseurl``, the folder of the languages) search
engines are told of the other languages too.
"""

import posixpath
import re
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from docutils import nodes
from markupsafe import Markup
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError
from sphinx.util import logging

from gallery_intl.catalogs.po import SOURCE_LANGUAGE, source_language
from gallery_intl.interface.upstream import COMPONENTS
from gallery_intl.project import check_names

logger = logging.getLogger(__name__)

TEMPLATES = Path(__file__).parents[1] / "templates"
BESIDE = "../{language}/"  # as all languages of a site are built into one folder
Siblings = str | dict[str, str]  # a pattern for all languages, or the place of each


class LanguageLink(NamedTuple):
    """A link to a page in one language: ``tag`` is its BCP 47 name."""

    tag: str
    name: str
    href: str
    current: bool


def language_tag(language: str) -> str:
    """Return the name that HTML knows a language by: ``zh_CN`` is ``zh-CN``."""
    return language.replace("_", "-")


def language_links(
    languages: dict[str, str],
    current: str,
    content_root: str,
    uri: str,
    siblings: Siblings = BESIDE,
) -> list[LanguageLink]:
    """Return the links of one page, in the order of the languages."""
    links = []
    for language, name in languages.items():
        place = place_of(language, current, siblings)
        href = f"{'' if is_absolute(place) else content_root}{place}{uri}"
        tag, is_current = language_tag(language), language == current
        links.append(LanguageLink(tag, name, href, is_current))
    return links


def is_absolute(place: str) -> bool:
    return place.startswith(("https:", "http:", "/"))


def place_of(language: str, current: str, siblings: Siblings) -> str:
    """Return where a language is, seen from the first page of this one."""
    if isinstance(siblings, str):
        return siblings.format(language=language)
    place, here = siblings[language].strip("/"), siblings[current].strip("/")
    if is_absolute(siblings[language]):
        return f"{siblings[language].rstrip('/')}/"
    path = posixpath.relpath(place or ".", here or ".")
    return "" if path == "." else f"{path}/"


def alternates(
    links: list[LanguageLink],
    page: str,
    front: str | None,
    source: str = SOURCE_LANGUAGE,
) -> dict[str, str]:
    """Map languages to the addresses of a page, and ``x-default`` to its source.

    ``front`` is the page that offers the languages, where this is a language's first.
    """
    addresses = {link.tag: urljoin(page, link.href) for link in links}
    default = front or addresses.get(language_tag(source))
    return addresses | ({"x-default": default} if default else {})


def alternate_tags(addresses: dict[str, str]) -> Markup:
    """Return the tags by which search engines know a page's other languages."""
    tag = Markup('<link rel="alternate" hreflang="{}" href="{}" />\n')
    return Markup("").join(tag.format(*pair) for pair in addresses.items())


def configure(app: Sphinx, config: Config) -> None:
    known = [path for path in config.templates_path if path not in COMPONENTS]
    config.templates_path = [*known, str(TEMPLATES), *COMPONENTS]
    check_language(config)
    find_siblings(app, config)
    place_below_site(config)
    list_published(config)


def check_language(config: Config) -> None:
    languages = config.gallery_intl_languages
    check_names(languages)
    if languages and config.language not in languages:
        raise ConfigError(
            f"no language {config.language!r} in gallery_intl_languages: it has"
            f" {', '.join(languages)} (add it to conf.py, and run the catalogs"
            " command)"
        )


def find_siblings(app: Sphinx, config: Config) -> None:
    """Find out where the other languages are, if no setting says it."""
    pattern = config.gallery_intl_siblings
    if isinstance(pattern, dict):
        if lost := config.gallery_intl_languages.keys() - pattern:
            raise ConfigError(
                f"gallery_intl_siblings: no place for {', '.join(sorted(lost))} (write"
                ' {"en": "", "ko": "ko"}, folders below one place, or addresses)'
            )
        return
    if pattern is None and app.outdir.name == config.language:
        pattern = BESIDE
    elif pattern is None:
        logger.info(
            "no language menu: the folder %r is not named %r (build into one that is,"
            " or set gallery_intl_siblings)",
            app.outdir.name,
            config.language,
        )
        pattern = ""
    if pattern and "{language}" not in pattern:
        raise ConfigError(
            f"gallery_intl_siblings: {pattern!r} is the same for all languages (write"
            " '../{language}/')"
        )
    is_one = len(config.gallery_intl_languages) < 2
    config.gallery_intl_siblings = "" if is_one else pattern


def place_below_site(config: Config) -> None:
    """Let ``html_baseurl``, the address of the site, be that of this language."""
    address = config.html_baseurl
    if not address:
        return
    if urlsplit(address).scheme not in ("http", "https"):
        raise ConfigError(
            f"html_baseurl: {address!r} is no address of a site (write"
            " 'https://example.org/folder/')"
        )
    siblings = config.gallery_intl_siblings
    if isinstance(siblings, dict):
        own = siblings[config.language].strip("/")
        below = "" if is_absolute(siblings[config.language]) or not own else f"{own}/"
    else:
        up = re.match(r"(\.\./)*", siblings)
        below = siblings[up.end() :] if up and up[0] else ""
        below = below.format(language=config.language)
    config.html_baseurl = f"{address.rstrip('/')}/{below}"
    config.gallery_intl_address = config.html_baseurl


def list_published(config: Config) -> None:
    """List the pages of languages that are not built now, so that a new one counts."""
    config.gallery_intl_published = {
        language: sorted(
            path.relative_to(folder).as_posix() for path in Path(folder).rglob("*.html")
        )
        for language, folder in config.gallery_intl_published.items()
    }


def add_links(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    if "content_root" not in context:  # json and pickle have no pages of their own
        context["language_links"] = []
        return
    uri = app.builder.get_target_uri(pagename)
    published = app.config.gallery_intl_published
    languages = {
        language: name
        for language, name in app.config.gallery_intl_languages.items()
        if uri in published.get(language, [uri])
    }
    root, page = context["content_root"], context.get("pageurl")
    siblings = app.config.gallery_intl_siblings
    links = []
    if siblings and len(languages) > 1:
        links = language_links(languages, app.config.language, root, uri, siblings)
    context["language_links"] = links
    if links and page:
        is_first = pagename == app.config.root_doc and siblings == BESIDE
        front = urljoin(page, f"{root}../") if is_first else None
        tags = alternate_tags(
            alternates(links, page, front, source_language(app.config))
        )
        # as Markup it would escape the others
        context["metatags"] = context.get("metatags", "") + str(tags)
