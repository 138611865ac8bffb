"""A reader can report a problem with a page, and the report names page and language."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from bs4 import BeautifulSoup, Tag
from paths import PROJECT, ROOTS

from gallery_intl.catalogs import po as catalogs

ROOT = ROOTS / "test-site"
URL = "https://github.com/owner/name"
PAGES = {"index", "tutorials/part/index", "tutorials/part/page"}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small site with a title that an address cannot hold as it is."""
    source = tmp_path_factory.mktemp("issues") / "site"
    shutil.copytree(ROOT, source)
    shutil.copytree(PROJECT / "_templates", source / "_templates")
    with (source / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write('templates_path = ["_templates"]\n')
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
    values = [f"language={language}", f"gallery_repository_url={url}"]
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
        assert link["href"].startswith(f"{URL}/issues/new?")
        assert filled["body"] == [f"{language}/{page}"]
        assert not address.fragment
    link = found["tutorials/part/page"]
    assert parse_qs(urlsplit(link["href"]).query)["title"] == [title]


def test_without_a_repository_there_is_no_link(source: Path) -> None:
    assert links(source, "ko", "") == {}
