"""A reader sees how much is translated, who did it, and where to correct it."""

import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag
from building import Copy, edit
from sphinx.errors import ConfigError

from gallery_intl.catalogs import review
from gallery_intl.catalogs.review import Credits
from gallery_intl.page.catalog_links import check_repository, edit_url
from gallery_intl.page.gaps import people

REPOSITORY = "https://github.com/owner/name"
EDITS = f"gallery_repository_url={REPOSITORY}"
PLACE = "locales/ko/LC_MESSAGES/pages/page.po"
ENGLISH = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n'


@pytest.fixture(scope="module")
def plain(copy: Callable[[str], Copy]) -> Copy:
    """The site in both languages, with no address to edit at."""
    return built(copy("status"), "en", "ko")


@pytest.fixture(scope="module")
def editable(copy: Callable[[str], Copy]) -> Copy:
    """The site in Korean, with an address to edit at and a page that explains."""
    found = copy("status")
    (found.source / ".git").mkdir()
    found.build("ko", options=("-D", EDITS, "-D", "gallery_intl_how_to=how"))
    return found


def built(found: Copy, *languages: str) -> Copy:
    """Build it; our words read as in English, whatever the language is."""
    own = found.source / "locales/ko/LC_MESSAGES/gallery_intl.po"
    words = ("Reviewed by %s (changed since the review)", "Reviewed by %s")
    words += ("Not reviewed yet", "Words left: %d", "Fuzzy: %d", "Translated by %s")
    words += ("Reviewed: %(done)d of %(all)d", "%d %%", "Get the catalog of this page")
    entries = (f'\nmsgid "{word}"\nmsgstr "{word}"\n' for word in words)
    own.write_text(ENGLISH + "".join(entries), encoding="utf-8")
    assert found.build(*languages) == ""
    return found


def page(found: Copy, name: str, language: str = "ko") -> BeautifulSoup:
    return BeautifulSoup(found.html(language, name), "html.parser")


def cell(found: Copy, title: str, language: str = "ko") -> Tag:
    rows = page(found, "status", language).select("table.translation-status tbody tr")
    (row,) = (row for row in rows if row.th and row.th.get_text(strip=True) == title)
    assert row.td
    return row.td


def cells(found: Copy, title: str, language: str = "ko") -> list[str]:
    """Return the lines of the cell that a page of the table has."""
    return [p.get_text() for p in cell(found, title, language).find_all("p")]


def credits(found: Copy, name: str) -> Tag:
    (line,) = page(found, name).select(".translation-credits")
    return line


def test_a_page_has_its_share_its_rest_and_its_review(plain: Copy) -> None:
    assert cells(plain, "합") == [
        "50 %",
        "Words left: 6",
        "Fuzzy: 1",
        "Not reviewed yet",
    ]
    assert cells(plain, "페이지들")[-1] == "Reviewed by Lee, 2026-03-01"
    assert cells(plain, "현황")[-2:] == [
        "Reviewed by Lee, 2026-03-01 (changed since the review)",
        "Reviewed by Kim, 2026-04-01",
    ]
    assert cells(plain, "Sums", "en")[0] == "50 %"


def test_pages_are_in_reading_order_and_their_sum_is_last(plain: Copy) -> None:
    rows = page(plain, "status").select("table.translation-status tbody th")

    titles = [row.get_text(strip=True) for row in rows]
    assert titles[:3] == ["페이지들", "합", "현황"]
    assert titles[-1] == "전체"
    assert cells(plain, "전체")[-1] == "Reviewed: 2 of 4"


def test_translators_and_reviewers_are_named_on_their_page(plain: Copy) -> None:
    text = credits(plain, "pages/index").get_text()

    assert text.startswith("Translated by 김하나 · Reviewed by Lee, 2026-03-01 · ")
    assert credits(plain, "pages/page").get_text() == "Get the catalog of this page"
    assert not page(plain, "pages/page", "en").select(
        ".translation-credits, .intl-gaps"
    )


@pytest.mark.parametrize(
    ("language", "names", "shown"),
    [
        ("ko", ["Kim Minji"], ["Translated by Kim Minji"]),
        ("ko", ["Sums translators"], []),
        ("ko", [], []),
        ("ja", ["A", "B", "C"], ["Translated by A、B、C"]),
        ("tlh", ["A", "B"], ["Translated by A, B"]),
    ],
)
def test_a_team_with_the_name_of_the_site_is_no_person(
    language: str, names: list[str], shown: list[str]
) -> None:
    config = SimpleNamespace(project="Sums", language=language)
    env: Any = SimpleNamespace(config=config)

    assert list(people(env, Credits(tuple(names), ()))) == shown


def test_without_an_address_a_catalog_is_a_download(plain: Copy) -> None:
    found = page(plain, "pages/page")
    links = [
        ("pages/page", found.select_one(".intl-gaps a")),
        ("pages/page", credits(plain, "pages/page").a),
        ("status", cell(plain, "합").a),
    ]

    for name, link in links:
        assert link
        html = plain.source / "_build/html/ko" / name
        file = html.parent / str(link["href"])
        assert file.read_bytes() == (plain.source / PLACE).read_bytes()


def test_with_an_address_a_catalog_is_edited_there(editable: Copy) -> None:
    found = page(editable, "pages/page")
    place = f"{REPOSITORY}/edit/main/{PLACE}#L1"

    for link in (
        found.select_one(".intl-gaps a"),
        credits(editable, "pages/page").a,
        cell(editable, "합").a,
    ):
        assert link
        assert link["href"] == place


def test_gaps_and_status_lead_to_the_page_that_explains(editable: Copy) -> None:
    for name in ("pages/page", "status"):
        (link,) = page(editable, name).select("div.body a[href$='how.html']")
        assert not link.find_parent("table")


def test_notes_can_be_left_out(copy: Callable[[str], Copy]) -> None:
    found = copy("status")
    found.build("ko", options=("-D", "gallery_intl_notes=0"))

    html = page(found, "pages/page")
    assert not html.select(".intl-gaps, .translation-credits")
    assert [x.get_text() for x in html.select("p[lang=en]")] == ["One paragraph."]


def test_the_words_around_a_page_are_in_no_download_and_no_search(
    editable: Copy,
) -> None:
    for suffix in ("py", "ipynb"):
        text = editable.download("ko", f"page.{suffix}").read_text("utf-8")
        assert "One paragraph." in text
        assert "github.com" not in text
    index = (editable.source / "_build/html/ko/searchindex.js").read_text("utf-8")
    assert "paragraph" in index
    assert "편집" not in index


def test_an_edited_catalog_refreshes_the_table(copy: Callable[[str], Copy]) -> None:
    found = built(copy("status"), "ko")
    review.sign(found.source / PLACE, "Kim", "2026-03-01")
    found.build("ko")
    assert cells(found, "합")[-1] == "Reviewed by Kim, 2026-03-01"
    assert "Kim" in credits(found, "pages/page").get_text()

    edit(found.source / PLACE, 'paragraph."\nmsgstr ""', 'paragraph."\nmsgstr "문단."')
    (found.source / "locales/ko/LC_MESSAGES/pages/index.po").unlink()
    found.build("ko")

    assert cells(found, "합")[0] == "75 %"
    assert cells(found, "합")[-1].endswith("(changed since the review)")
    assert cells(found, "전체")[-1] == "Reviewed: 1 of 3"


def test_a_broken_catalog_of_another_language_is_named(
    copy: Callable[[str], Copy],
) -> None:
    found = copy("status")
    edit(found.source / PLACE, 'msgstr "합"', 'msgstr "합')

    warnings = found.build("en")

    assert re.search(r"status\.rst:4: .*page\.po:\d+: text without", warnings)


@pytest.mark.parametrize(
    ("repository", "inside"),
    [
        ("https://github.com/owner/name.git", "https://github.com/owner/name"),
        ("https://example.org/a/b/", "https://example.org/a/b"),
        ("https://gitlab.example.org/a/b", "https://gitlab.example.org/a/b/-"),
    ],
)
def test_a_host_has_its_own_addresses(
    repository: str, inside: str, tmp_path: Path
) -> None:
    """The repository may begin above the documentation."""
    docs = tmp_path / "docs"
    (tmp_path / ".git").mkdir()
    config = SimpleNamespace(
        gallery_intl_languages={},
        overrides={},
        language="en",
        gallery_repository_url=repository,
        gallery_repository_branch="next/2",
    )
    env: Any = SimpleNamespace(srcdir=docs, config=config)

    address = edit_url(env, docs / "../docs/한 b.po", 7)

    assert address == f"{inside}/edit/next/2/docs/%ED%95%9C%20b.po#L7"
    assert edit_url(env, tmp_path.parent / "elsewhere.po") == ""


@pytest.mark.parametrize(
    "url", ["owner/name", "git@github.com:owner/name", "https://x"]
)
def test_what_is_no_address_of_a_repository_is_refused(url: str) -> None:
    config: Any = SimpleNamespace(gallery_repository_url=url)
    app: Any = SimpleNamespace()

    with pytest.raises(ConfigError, match=r"like https://github\.com/owner"):
        check_repository(app, config)
