"""A reader can report a problem with a page, and the report names page and language."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import pytest
from bs4 import BeautifulSoup, Tag
from docutils.utils import new_document
from sphinx.errors import ConfigError

from gallery_intl.catalogs import po as catalogs
from gallery_site.issues import EXAMPLE, add_link, check_template, fault, fill

PROJECT = Path(__file__).parent.parent
ROOT = Path(__file__).parent / "roots" / "test-site"
HOST = "https://example.org/issues/new"
URL = f"{HOST}?title={{title}}&body={{language}}/{{page}}"
PAGES = {"index", "tutorials/part/index", "tutorials/part/page"}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small site with a title that an address cannot hold as it is."""
    source = tmp_path_factory.mktemp("issues") / "site"
    shutil.copytree(ROOT, source)
    edit(source, "tutorials/part/page", "한 페이지", "한 페이지 & C# 50 %")
    words = 'msgid "Report a problem with this page"\nmsgstr "문제 알리기"\n'
    edit(source, "sphinx", 'msgid "Out:"', f'{words}\nmsgid "Out:"')
    return source


def edit(source: Path, name: str, old: str, new: str) -> None:
    path = catalogs.po_path(source / "locales", "ko", name)
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def build(source: Path, language: str, url: str) -> subprocess.CompletedProcess[str]:
    values = [f"language={language}", f"gallery_intl_issues_url={url}"]
    options = [x for value in values for x in ("-D", value)]
    command = [sys.executable, "-m", "sphinx", "-q", "-W", *options]
    return subprocess.run(
        [*command, "-b", "html", str(source), str(source / "out" / language)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(PROJECT), "RUNS": os.devnull},
    )


def links(source: Path, language: str, url: str) -> dict[str, Tag]:
    """Build the site and give the link of each page that has one."""
    result = build(source, language, url)
    assert result.returncode == 0, result.stderr
    out = source / "out" / language
    found = {
        page: BeautifulSoup(
            (out / f"{page}.html").read_text(encoding="utf-8"), "html.parser"
        ).select_one(".report-problem a")
        for page in PAGES
    }
    return {page: link for page, link in found.items() if link}


@pytest.mark.parametrize(
    ("language", "words", "title"),
    [
        ("ko", "문제 알리기", "한 페이지 & C# 50 %"),
        ("en", "Report a problem with this page", "A page"),
    ],
)
def test_every_page_leads_to_a_report_that_names_it(
    source: Path, language: str, words: str, title: str
) -> None:
    found = links(source, language, URL)

    assert found.keys() == PAGES
    assert {link.get_text() for link in found.values()} == {words}
    for page, link in found.items():
        address = urlsplit(link["href"])
        filled = parse_qs(address.query)
        assert filled["body"] == [f"{language}/{page}"]
        assert not address.fragment
    link = found["tutorials/part/page"]
    assert parse_qs(urlsplit(link["href"]).query)["title"] == [title]


def test_without_an_address_there_is_no_link() -> None:
    document = new_document("page")
    app = SimpleNamespace(config=SimpleNamespace(gallery_intl_issues_url=""))

    add_link(app, document, "page")

    assert not document.children


def test_a_wrong_address_stops_the_build_with_an_example() -> None:
    config = SimpleNamespace(gallery_intl_issues_url=f"{HOST}?title={{title}}")

    with pytest.raises(ConfigError, match="gallery_intl_issues_url") as failure:
        check_template(None, config)

    assert EXAMPLE in str(failure.value)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        (URL, ""),
        (EXAMPLE, ""),
        ("example.org/{language}/{page}", "is no address"),
        ("mailto:a@example.org?body={language}/{page}", "is no address"),
        (f"{HOST}?body={{page}}", "lacks {language}"),
        (f"{HOST}?body={{language}}", "lacks {page}"),
        (f"{URL}&labels={{lang}}", "has {lang}, which nothing fills"),
        (f"{URL}&labels={{}}", "has {}, which nothing fills"),
    ],
)
def test_an_address_says_page_and_language(url: str, reason: str) -> None:
    assert fault(url) == reason


def test_values_are_quoted_and_filled_once() -> None:
    filled = fill("https://x/?a={title}&b={page}", title="{page} #&한", page="a/b")

    assert filled == "https://x/?a=%7Bpage%7D%20%23%26%ED%95%9C&b=a%2Fb"
    assert not re.search("[{}]", filled)
