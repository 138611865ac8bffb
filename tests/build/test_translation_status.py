"""A reader sees how far the translations are, who made them, and where to mend them."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import polib
import commands
import pytest
from bs4 import BeautifulSoup, Tag
from paths import ROOTS
from sphinx.errors import ConfigError

from gallery_intl.catalogs import po as catalogs
from gallery_intl.catalogs import review
from gallery_intl.catalogs.own import path_of
from gallery_intl.catalogs.review import Credits
from gallery_intl.page.catalog_links import (
    below,
    check_repository,
    edit_url,
    new_issue,
)
from gallery_intl.page.gaps import people

ROOT = ROOTS / "test-site"
PAGE = "tutorials/part/page"
PLACE = "locales/ko/LC_MESSAGES/tutorials/part/page.po"
REPOSITORY = "https://github.com/owner/name"
HOST = f"{REPOSITORY}/edit/main/"
EDITS = f"gallery_repository_url={REPOSITORY}"
INDEX = """Small site
==========

Welcome to ``the site``.

.. toctree::

   tutorials/part/index
   status
   another
"""


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small site with a status page; of its script's page not all is translated."""
    source = tmp_path_factory.mktemp("status") / "site"
    shutil.copytree(ROOT, source)
    with (source / "gallery/part/page.py").open("a", encoding="utf-8") as file:
        file.write("\n# %%\n# The end, which is in no catalog.\n")
    write(source / "status.rst", "Status\n======\n\n.. translation-status::\n")
    write(source / "another.rst", "Another\n=======\n")
    write(source / "how.rst", ":orphan:\n\nHow\n===\n")
    write(source / "index.rst", INDEX)
    own = catalogs.po_path(source / "locales", "ko", catalogs.DOMAIN)
    shutil.copyfile(path_of("en"), own)  # so that what is ours reads as it does here
    catalog = (
        'msgid ""\nmsgstr ""\n"Language: ko\\n"\n\nmsgid "Status"\nmsgstr "현황"\n'
    )
    reviewed = catalogs.po_path(source / "locales", "ko", "status")
    write(reviewed, catalog)
    sign(reviewed, "X-Reviewed: Lee, 2026-03-01, text=0f0f0f0f; Kim, 2026-04-01")
    edit(source / PLACE, 'msgstr "문단 하나."', 'msgstr ""')
    edit(source / PLACE, "#: gallery/part/page.py:9", "#, fuzzy")
    people = "Last-Translator: 김하나 <k@x.org>", "X-Reviewed: Lee, 2026-03-01"
    sign(catalogs.po_path(source / "locales", "ko", "tutorials/part/index"), *people)
    return source


@pytest.fixture
def source(ready: Path, tmp_path: Path) -> Path:
    """A copy to change."""
    left_out = shutil.ignore_patterns("out*")
    return Path(shutil.copytree(ready, tmp_path / "site", ignore=left_out))


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def sign(path: Path, *header: str) -> None:
    """Put lines into the header of a catalog."""
    lines = "".join(f'"{line}\\n"\n' for line in header)
    edit(path, '"Language: ko\\n"\n', f'"Language: ko\\n"\n{lines}')


def build(
    source: Path, *values: str, language: str = "ko", out: str = "out"
) -> subprocess.CompletedProcess[str]:
    options = [x for value in (f"language={language}", *values) for x in ("-D", value)]
    command = ("sphinx", "-q", "-W", "-b", "html", *options)
    return commands.run(*command, source, source / out, env={"RUNS": os.devnull})


def page(source: Path, name: str, *values: str, **options: str) -> BeautifulSoup:
    """Build the site and read a page."""
    result = build(source, *values, **options)
    assert result.returncode == 0, result.stderr
    return read(source / options.get("out", "out"), name)


def read(out: Path, name: str) -> BeautifulSoup:
    text = (out / f"{name}.html").read_text(encoding="utf-8")
    return BeautifulSoup(text, "html.parser")


@pytest.fixture(scope="module")
def plain(ready: Path) -> Path:
    """The site in Korean, with no address to edit at."""
    page(ready, "status", out="out")
    return ready / "out"


@pytest.fixture(scope="module")
def editable(ready: Path) -> Path:
    """The site in Korean, with an address to edit at."""
    page(ready, "status", EDITS, "gallery_intl_how_to=how", out="out-edits")
    return ready / "out-edits"


def cells(page: BeautifulSoup, title: str) -> list[str]:
    """Give the lines of the cell that a page of the table has."""
    return [p.get_text() for p in cell(page, title).find_all("p")]


def cell(page: BeautifulSoup, title: str) -> Tag:
    rows = page.select("table.translation-status tbody tr")
    found = [row for row in rows if row.th.get_text(strip=True) == title]
    assert len(found) == 1, title
    return found[0].td


def credits(page: BeautifulSoup) -> Tag:
    return page.select_one(".translation-credits")


def line_of(path: Path, text: str) -> int:
    return path.read_text(encoding="utf-8").split("\n").index(text) + 1


@pytest.mark.parametrize(
    ("repository", "inside"),
    [
        ("https://github.com/owner/name", "https://github.com/owner/name"),
        ("https://github.com/owner/name.git", "https://github.com/owner/name"),
        ("https://example.org/a/b/", "https://example.org/a/b"),
        ("https://gitlab.com/a/b/c", "https://gitlab.com/a/b/c/-"),
        ("https://gitlab.example.org/a/b", "https://gitlab.example.org/a/b/-"),
    ],
)
def test_a_host_has_its_own_addresses(repository: str, inside: str) -> None:
    assert below(repository, "x") == f"{inside}/x"
    config = SimpleNamespace(
        gallery_repository_url=repository, gallery_repository_branch="main"
    )
    env: Any = SimpleNamespace(srcdir=Path("/site"), config=config)
    assert edit_url(env, Path("/site/a/한 b.po"), 7) == (
        f"{inside}/edit/main/a/%ED%95%9C%20b.po#L7"
    )


@pytest.mark.parametrize(
    ("host", "name"), [("github.com", "title"), ("gitlab.com", "issue[title]")]
)
def test_a_report_holds_any_title(host: str, name: str) -> None:
    url = new_issue(f"https://{host}/a/b", "한 & C# 50 % (ko/a/b)")

    assert parse_qs(urlsplit(url).query) == {name: ["한 & C# 50 % (ko/a/b)"]}
    assert not urlsplit(url).fragment


def test_the_numbers_are_those_of_another_count(ready: Path, plain: Path) -> None:
    catalog = polib.pofile(str(ready / PLACE))
    left = [*catalog.untranslated_entries(), *catalog.fuzzy_entries()]
    words = sum(len(entry.msgid.split()) for entry in left)

    status = read(plain, "status")

    assert cells(status, "한 페이지") == [
        f"{100 * len(catalog.translated_entries()) // len(catalog)} %",
        f"Words left: {words}",
        f"Fuzzy: {len(catalog.fuzzy_entries())}",
        "Not reviewed yet",
    ]
    names = [th.get_text(strip=True) for th in status.select("thead th")]
    assert names == ["Page", "한국어"]


def test_the_pages_stand_in_reading_order_and_their_sum_last(plain: Path) -> None:
    rows = read(plain, "status").select("table.translation-status tbody th")

    assert [row.get_text(strip=True) for row in rows] == [
        "작은 사이트",
        "한 부분",
        "한 페이지",
        "현황",
        "Words of the gallery",
        "Words of the interface",
        "In total",
    ]


def test_who_reviewed_a_page_is_said_and_else_that_nobody_has(plain: Path) -> None:
    status = read(plain, "status")

    assert cells(status, "한 부분")[-1] == "Reviewed by Lee, 2026-03-01"
    assert cells(status, "작은 사이트")[-1] == "Not reviewed yet"
    assert cells(status, "In total")[-1] == "Reviewed: 2 of 6"
    assert cells(status, "현황")[-2:] == [
        "Reviewed by Lee, 2026-03-01 (changed since the review)",
        "Reviewed by Kim, 2026-04-01",
    ]
    names = ("tutorials/part/index", "index")
    reviewed, other = (credits(read(plain, name)).get_text() for name in names)
    assert reviewed.startswith("Translated by 김하나 · Reviewed by Lee, 2026-03-01 · ")
    assert other == "Get the catalog of this page"


@pytest.mark.parametrize(
    ("language", "names", "said"),
    [
        ("ko", ["Kim Minji"], ["Translated by Kim Minji"]),
        ("ko", ["Small site translators"], []),
        ("ko", [], []),
        ("ko", ["A", "Small site team", "B"], ["Translated by A 및 B"]),
        ("ja", ["A", "B", "C"], ["Translated by A、B、C"]),
        ("tlh", ["A", "B"], ["Translated by A, B"]),
    ],
)
def test_a_team_with_the_name_of_the_site_is_no_person(
    language: str, names: list[str], said: list[str]
) -> None:
    config = SimpleNamespace(project="Small site", language=language)
    env: Any = SimpleNamespace(config=config)

    assert list(people(env, Credits(tuple(names)))) == said


def test_without_an_address_a_catalog_is_a_download(ready: Path, plain: Path) -> None:
    found, status = read(plain, PAGE), read(plain, "status")

    links = [
        (PAGE, found.select_one(".intl-gaps").a),
        (PAGE, credits(found).a),
        ("status", cell(status, "한 페이지").a),
    ]

    for name, link in links:
        file = (plain / name).parent / link["href"]
        assert file.read_bytes() == (ready / PLACE).read_bytes()
    assert not found.select("a.intl-translate")
    assert "How to help" not in status.get_text()


def test_with_an_address_a_catalog_is_edited_at_its_line(
    ready: Path, editable: Path
) -> None:
    found, status = read(editable, PAGE), read(editable, "status")

    first = line_of(ready / PLACE, 'msgid "A heading"')
    assert found.select_one(".intl-gaps").a["href"] == f"{HOST}{PLACE}#L{first}"
    assert found.select_one(".intl-gaps").a.get_text() == "Edit this translation"
    # it is one of the ways out
    assert not found.select(".translation-credits a")
    assert len(found.select(".ways-out a")) == 4
    assert cell(status, "한 페이지").a["href"] == f"{HOST}{PLACE}#L1"


def test_gaps_and_status_lead_to_the_page_that_explains(editable: Path) -> None:
    for name in (PAGE, "status"):
        (link,) = read(editable, name).select("article a[href$='how.html']")

        assert link.get_text() == "How to help with translations"
    assert link.find_parent("table") is None


def test_a_paragraph_in_english_leads_to_its_line(ready: Path, editable: Path) -> None:
    (link,) = read(editable, PAGE).select("a.intl-translate")

    line = line_of(ready / PLACE, 'msgid "One paragraph."')
    assert link["href"] == f"{HOST}{PLACE}#L{line}"
    assert link.get_text(strip=True) == "Translate this paragraph"
    assert (link["lang"], link.parent["lang"]) == ("ko", "en")
    assert link.parent.get_text().startswith("One paragraph.")


def test_the_links_are_in_no_download(editable: Path) -> None:
    made = [*editable.glob("_downloads/*/page.*[by]")]

    assert {file.suffix for file in made} == {".py", ".ipynb"}
    for file in made:
        text = file.read_text(encoding="utf-8")
        assert "One paragraph." in text
        assert not re.search(r"github\.com|Translate this|[Rr]eviewed", text)


def test_the_words_around_a_page_are_not_searched(editable: Path) -> None:
    index = (editable / "searchindex.js").read_text(encoding="utf-8")

    assert "paragraph" in index
    assert "edit" not in index


def test_the_source_language_has_the_table_and_no_credits(ready: Path) -> None:
    status = page(ready, "status", language="en", out="out-en")

    assert cells(status, "A page")[0] == "60 %"
    assert not read(ready / "out-en", PAGE).select(".translation-credits, .intl-gaps")


def test_an_edited_or_a_new_catalog_refreshes_the_table(source: Path) -> None:
    review.sign(source / PLACE, "Kim", "2026-03-01")
    status = page(source, "status", EDITS)
    assert cells(status, "한 페이지")[0] == "60 %"
    assert cells(status, "한 페이지")[-1] == "Reviewed by Kim, 2026-03-01"
    assert "Reviewed by Kim, 2026-03-01" in credits(read(source / "out", PAGE)).text
    edit(source / PLACE, 'msgstr ""\n\n#: gallery/part/page.py:15', 'msgstr "하나"\n\n')

    status = page(source, "status", EDITS)

    assert cells(status, "한 페이지")[0] == "80 %"
    changed = "Reviewed by Kim, 2026-03-01 (changed since the review)"
    assert cells(status, "한 페이지")[-1] == changed
    assert changed in credits(read(source / "out", PAGE)).text
    assert cells(status, "In total")[-1] == "Reviewed: 2 of 6"

    new = catalogs.po_path(source / "locales", "ko", "another")
    shutil.copyfile(source / PLACE, new)
    catalogs.po_path(source / "locales", "ko", "tutorials/part/index").unlink()
    status = page(source, "status", EDITS)
    assert cells(status, "Another")[0] == "80 %"
    assert cells(status, "A part")[0] == "0 %"
    assert not cell(status, "A part").a  # there is no file to edit


@pytest.mark.parametrize(
    "url",
    [
        "owner/name",
        "git@github.com:owner/name",
        "https://github.com",
        "https://github.com/owner/name/edit/main/{path}#L{line}",
    ],
)
def test_what_is_no_address_of_a_repository_is_refused(url: str) -> None:
    config = SimpleNamespace(gallery_repository_url=url)

    with pytest.raises(ConfigError, match=r"like https://github\.com/owner") as it:
        check_repository(SimpleNamespace(), config)

    assert repr(url) in str(it.value)


def test_a_broken_catalog_of_another_language_is_named(source: Path) -> None:
    edit(source / PLACE, 'msgstr "한 페이지"', 'msgstr "한 페이지')

    result = build(source, language="en")

    assert result.returncode == 1
    assert re.search(r"status\.rst:4: .*page\.po:\d+: text without", result.stderr)
