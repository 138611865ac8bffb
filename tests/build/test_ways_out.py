"""With a repository each page leads to its source, its editors and a report."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import commands
import pytest
from bs4 import BeautifulSoup
from paths import ROOTS

from gallery_intl.catalogs import po as catalogs
from gallery_intl.catalogs.own import path_of
from gallery_intl.page.catalog_links import file_url

URL = "https://github.com/owner/name"
SOURCES = {
    "index": "index.rst",
    "tutorials/part/index": "gallery/part/index.rst",
    "tutorials/part/page": "gallery/part/page.py",
}
WORDS = ["Source of this page", "Edit the English", "Report a problem"]
Links = dict[str, dict[str, str]]  # addresses by words, by page


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small site with a title that an address cannot hold as it is."""
    source = tmp_path_factory.mktemp("ways") / "site"
    shutil.copytree(ROOTS / "test-site", source)
    edit(source, "tutorials/part/page", "한 페이지", "한 페이지 & C# 50 %")
    own = catalogs.po_path(source / "locales", "ko", catalogs.DOMAIN)
    shutil.copyfile(path_of("en"), own)  # so that what is ours reads as it does here
    edit(source, catalogs.DOMAIN, 'msgstr "Report a problem"', 'msgstr "문제 알리기"')
    return source


def edit(source: Path, name: str, old: str, new: str) -> None:
    path = catalogs.po_path(source / "locales", "ko", name)
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def links(source: Path, language: str, url: str, branch: str = "main") -> Links:
    """Build the site and give what stands below each page."""
    values = {"language": language, "gallery_repository_url": url}
    values["gallery_repository_branch"] = branch
    options = [x for name, value in values.items() for x in ("-D", f"{name}={value}")]
    out = source / "out" / language
    command = ("sphinx", "-q", "-W", *options, "-b", "html", source, out)
    done = commands.run(*command, env={"RUNS": os.devnull})
    assert done.returncode == 0, done.stderr
    found = {}
    for page in SOURCES:
        html = BeautifulSoup((out / f"{page}.html").read_bytes(), "html.parser")
        ways = html.select("article .ways-out a")
        found[page] = {way.get_text(): str(way["href"]) for way in ways}
    return found


def test_every_page_leads_to_its_source_and_to_a_report(source: Path) -> None:
    found = links(source, "en", URL)

    for page, place in SOURCES.items():
        read, change, report = WORDS
        ways = found[page]
        assert [*ways][-3:] == WORDS
        assert ways[read] == f"{URL}/blob/main/{place}"
        assert ways[change] == f"{URL}/edit/main/{place}"
        assert ways[report].startswith(f"{URL}/issues/new?")
    assert title(found["tutorials/part/page"]["Report a problem"]) == (
        "A page (en/tutorials/part/page)"
    )


def title(report: str) -> str:
    """Give the title of a report; nothing else is filled in."""
    query = parse_qs(urlsplit(report).query)
    assert query.keys() == {"title"}
    assert not urlsplit(report).fragment
    return query["title"][0]


def test_a_translated_page_leads_to_its_catalog_too(source: Path) -> None:
    found = links(source, "ko", URL)

    for page, ways in found.items():
        assert [*ways][-4:] == [*WORDS[:2], "Edit this translation", "문제 알리기"]
        catalog = urlsplit(ways["Edit this translation"])
        prefix = f"{urlsplit(URL).path}/edit/main/"
        assert catalog.path == f"{prefix}locales/ko/LC_MESSAGES/{page}.po"
        assert (source / catalog.path.removeprefix(prefix)).is_file()
    report = found["tutorials/part/page"]["문제 알리기"]
    assert title(report) == "한 페이지 & C# 50 % (ko/tutorials/part/page)"


def test_without_a_repository_there_is_no_link(source: Path) -> None:
    assert links(source, "ko", "") == {page: {} for page in SOURCES}


def test_another_branch_is_named(source: Path) -> None:
    found = links(source, "ko", URL, branch="next/2")

    addresses = [unquote(url) for ways in found.values() for url in ways.values()]
    assert len(addresses) == 4 * len(SOURCES)
    assert not [url for url in addresses if "/main/" in url]
    assert len([url for url in addresses if "/next/2/" in url]) == 3 * len(SOURCES)


def test_a_repository_may_begin_above_its_documentation(tmp_path: Path) -> None:
    docs = tmp_path / "project" / "docs"
    (tmp_path / "project" / ".git").mkdir(parents=True)
    config = SimpleNamespace(
        gallery_repository_url=URL, gallery_repository_branch="main"
    )
    env: Any = SimpleNamespace(srcdir=docs, config=config)

    assert file_url(env, docs / "index.rst") == f"{URL}/blob/main/docs/index.rst"
    script = docs / "../examples/a.py"  # as `examples_dirs` says it
    assert file_url(env, script, "edit") == f"{URL}/edit/main/examples/a.py"
    assert file_url(env, docs / "../../elsewhere.py") == ""
