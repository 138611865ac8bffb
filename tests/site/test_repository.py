"""With a repository, each page of each language leads to its source and to reports."""

from __future__ import annotations

import io
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from made import html
from paths import PROJECT

from gallery_intl.writer.tree import write_language
from gallery_site.head import HOOKS
from gallery_site.languages import run_sphinx
from gallery_site.project import read_site

URL = "https://github.com/owner/name"
Links = dict[str, list[str]]  # URLs by page, in the order of the page


@pytest.fixture(scope="module", params=["en", "zh_CN"])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def links(language: str, site: Path, tmp_path_factory: pytest.TempPathFactory) -> Links:
    """Build a language with a repository; return the links of its pages to it."""
    folder = tmp_path_factory.mktemp(language)
    source, out = folder / "source", folder / "out"
    project = read_site(PROJECT).project
    assert not write_language(project, language, source, HOOKS, [site.parent])
    warnings = io.StringIO()
    values = {"gallery_repository_url": URL}
    run_sphinx(source, "html", out, folder / "doctrees", values, warnings)
    assert not warnings.getvalue()
    return {
        page: [
            str(link["href"])
            for link in html(path).select(
                f"article a[href^='{URL}'], footer a[href^='{URL}']"
            )
        ]
        for page in read_site(PROJECT).pages()
        for path in [out / f"{page}.html"]
    }


def test_every_page_leads_to_files_of_the_project(links: Links, language: str) -> None:
    assert len(links) > 30
    for page, urls in links.items():
        edited = [urlsplit(url) for url in urls if url.startswith(f"{URL}/edit/main/")]
        places = [unquote(url.path).split("/", 5)[5] for url in edited]

        assert len(places) >= (1 if language == "en" else 2), page
        assert [x for x in places if not (PROJECT / x).is_file()] == []
        assert Path(places[-1]).stem == Path(page).name
        assert not places[-1].startswith("tutorials/")


def test_every_report_names_page_and_language(links: Links, language: str) -> None:
    for page, urls in links.items():
        (title,) = parse_qs(urlsplit(urls[-1]).query)["title"]

        assert title.removesuffix(f" ({language}/{page})") not in ("", title)


def test_without_a_repository_no_page_leads_to_one(site: Path) -> None:
    if read_site(PROJECT).config.gallery_repository_url:
        pytest.skip("the site has a repository")
    pages = [path.read_text("utf-8") for path in site.rglob("*.html")]

    assert len(pages) > 40
    assert not [page for page in pages if 'class="repository"' in page]
