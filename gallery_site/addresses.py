"""Write what conf.py says into the files that cannot read it.

These are CITATION.cff, CODEOWNERS, the issue forms' configuration and Weblate's, and
the addresses in pyproject.toml. A line whose address or name is not there yet is
absent: nothing stands in its place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from babel import Locale, UnknownLocaleError

from gallery_intl.catalogs.po import INTERFACE, SOURCE_LANGUAGE
from gallery_intl.page.catalog_links import below
from gallery_site.project import BuildError, Site

VERSION = re.compile(r'^__version__ = "(.+)"$', re.MULTILINE)
URLS_HEAD, NEXT = "[project.urls]\n", "[tool.flit.module]\n"  # in pyproject.toml
URLS = re.compile(r"^\[project\.urls\]\n(?:.+\n)*\n", re.MULTILINE)
WRITTEN = "# Written by `make addresses` from conf.py.\n"
LABELS = {  # the name of each label that no language has, its colour and what it means
    "translation": ("0e8a16", "A translation that reads wrong, or is missing"),
    "content": ("d93f0b", "Something on a page is wrong or unclear"),
    "lesson": ("1d76db", "A lesson that is wished for or proposed"),
    "new language": ("5319e7", "A language that the site does not have yet"),
    "gpus": ("fbca04", "A run on GPUs: its record, or its traceback"),
    "dependencies": ("cfd3d7", "New versions of what the project needs"),
}
LANGUAGE_COLOUR = "c2e0c6"


class Known(NamedTuple):
    """What conf.py says of where things are, and whose they are."""

    title: str
    author: str
    version: str
    languages: Mapping[str, str]
    owners: Mapping[str, str]  # by language, such as "@name"; "" of all else
    repository: str  # without a slash at its end; "" if there is none
    branch: str
    site: str  # with a slash at its end; "" if there is none


def known(site: Site) -> Known:
    """Collect what the files want to know."""
    config = site.config
    version = site.srcdir / "gallery_intl" / "__init__.py"
    match = VERSION.search(version.read_text("utf-8")) if version.is_file() else None
    return Known(
        title=config.project,
        author=config.author,
        version=match[1] if match else "",
        languages=site.languages,
        owners=config.gallery_site_owners,
        repository=config.gallery_repository_url.rstrip("/").removesuffix(".git"),
        branch=config.gallery_repository_branch,
        site=site.address,
    )


def citation(about: Known) -> str:
    """Return CITATION.cff."""
    lines = [
        "cff-version: 1.2.0",
        f'title: "{about.title}"',
        "message: If you use these lessons or their code, please cite them.",
        "type: software",
        "authors:",
        f'  - name: "{about.author}"',
        *([f'version: "{about.version}"'] if about.version else []),
        "license:",
        "  - BSD-3-Clause",
        "  - CC-BY-4.0",
        *([f'repository-code: "{about.repository}"'] if about.repository else []),
        *([f'url: "{about.site}"'] if about.site else []),
    ]
    return WRITTEN + "\n".join(lines) + "\n"


def code_owners(about: Known) -> str:
    """Return CODEOWNERS: who is asked to review what."""
    lines = [f"* {about.owners['']}"] if about.owners.get("") else []
    for language in about.languages:
        owner = about.owners.get(language)
        for folder in ("/locales", "/gallery_intl/locales"):
            place = f"{folder}/{language}/"
            lines.append(f"{place} {owner}" if owner else f"# {place} has no owner yet")
    return WRITTEN + "\n".join(lines) + "\n"


def issue_config(about: Known) -> str:
    """Return the configuration of the issue forms; links need an address."""
    text = f"{WRITTEN}blank_issues_enabled: true\n"
    if not about.repository:
        return text
    links = [
        (
            "A security problem",
            f"{about.repository}/security/advisories/new",
            "Report it privately.",
        )
    ]
    if about.site:
        page = f"{about.site}{SOURCE_LANGUAGE}/translate.html"
        links.append(("How to translate", page, "Read this before you begin."))
    items = (
        f"  - name: {name}\n    url: {url}\n    about: {what}\n"
        for name, url, what in links
    )
    return f"{text}contact_links:\n{''.join(items)}"


# the add-on of Weblate that makes a component of each catalog
DISCOVERY = {
    "match": r"(?:gallery_intl/)?locales/(?P<language>[^/]+)/LC_MESSAGES/"
    r"(?P<component>.+)\.po",
    "file_format": "po",
    "name_template": "{{ component }}",
    "language_regex": f"^(?!{SOURCE_LANGUAGE}$).+$",
    "copy_addons": True,
    "remove": True,
    "confirm": True,
}


def weblate(about: Known) -> str:
    """Return the first component, and the add-on that finds one for each page."""
    masks = "locales/*/LC_MESSAGES"
    component = {
        "name": "Interface",
        "slug": INTERFACE,
        "vcs": "github",
        "repo": about.repository,
        "branch": about.branch,
        "repoweb": about.repository
        and f"{about.repository}/blob/{{{{branch}}}}/{{{{filename}}}}#L{{{{line}}}}",
        "filemask": f"{masks}/{INTERFACE}.po",
        "file_format": "po",
        "source_language": {"code": SOURCE_LANGUAGE, "name": "English"},
        "language_regex": f"^(?!{SOURCE_LANGUAGE}$).+$",
        "new_lang": "contact",
        "license": "CC-BY-4.0",
        "report_source_bugs": "",
    }
    said = {name: value for name, value in component.items() if value != ""}
    addons = {"weblate.discovery.discovery": DISCOVERY}
    return json.dumps({"component": said, "addons": addons}, indent=2) + "\n"


def with_urls(pyproject: str, about: Known) -> str:
    """Return pyproject.toml with the addresses that a package index shows."""
    text = URLS.sub("", pyproject)
    if not about.repository:
        return text
    places = {"Issues": "issues", "Changelog": f"blob/{about.branch}/CHANGELOG.md"}
    lines = [f'Repository = "{about.repository}"\n']
    lines += (f'{x} = "{below(about.repository, y)}"\n' for x, y in places.items())
    return text.replace(NEXT, f"{URLS_HEAD}{''.join(lines)}\n{NEXT}", 1)


FILES = {
    "CITATION.cff": citation,
    ".github/CODEOWNERS": code_owners,
    ".github/ISSUE_TEMPLATE/config.yml": issue_config,
    ".github/weblate.json": weblate,
}


def write(site: Site) -> list[Path]:
    """Write the files; return those that changed."""
    about, changed = known(site), []
    wanted_of = {site.srcdir / name: text(about) for name, text in FILES.items()}
    project = site.srcdir / "pyproject.toml"
    if project.is_file():
        wanted_of[project] = with_urls(project.read_text("utf-8"), about)
    for path, wanted in wanted_of.items():
        if not path.is_file() or path.read_text("utf-8") != wanted:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted, encoding="utf-8", newline="\n")
            changed.append(path)
    return changed


def pages_address(repository: str) -> str:
    """Return where GitHub Pages shows a repository's site; "" if it is not there."""
    url = urlsplit(repository)
    owner, _, name = url.path.strip("/").removesuffix(".git").partition("/")
    if url.hostname != "github.com" or not name:
        return ""
    host = f"{owner.lower()}.github.io"
    return f"https://{host}/" if name.lower() == host else f"https://{host}/{name}/"


def set_addresses(conf: Path, repository: str, site: str = "") -> None:
    """Write addresses into conf.py; the site's is that of GitHub Pages if none.

    What is not known stays as it is there.
    """
    values = {
        "gallery_repository_url": repository,
        "html_baseurl": site or pages_address(repository),
    }
    text = conf.read_text("utf-8")
    for name, value in values.items():
        if not value:
            continue
        match = re.search(rf'^{name} = (".*")$', text, re.MULTILINE)
        if not match:
            raise BuildError(f'{conf}: no line {name} = "..." (write one)')
        text = text[: match.start(1)] + json.dumps(value) + text[match.end(1) :]
    conf.write_text(text, encoding="utf-8", newline="\n")


def english_name(language: str) -> str:
    """Return a language's name in English, or its code if it has none."""
    try:
        return Locale.parse(language).get_display_name("en") or language
    except (UnknownLocaleError, ValueError):
        return language


def labels(languages: Mapping[str, str]) -> Iterator[str]:
    """Yield the labels of the tracker, as ``name|colour|description``."""
    for name, (colour, about) in LABELS.items():
        yield f"{name}|{colour}|{about}"
    for language in languages:
        if language != SOURCE_LANGUAGE:
            about = f"Translations into {english_name(language)}"
            yield f"language: {language}|{LANGUAGE_COLOUR}|{about}"
