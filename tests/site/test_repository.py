"""With a repository, what each page of each language leads to is in it."""

from __future__ import annotations

import io
import pickle
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from docutils import nodes
from paths import PROJECT

from gallery_site.languages import run_sphinx
from gallery_site.project import Site, read_site

URL = "https://github.com/owner/name"
READ = ("en", "zh_CN")  # the source, and a translation whose name has a region
Links = dict[str, list[str]]  # addresses by page, in the order of the page


@pytest.fixture(scope="module")
def project(site: Path) -> Site:
    """The project whose site was built."""
    return read_site(PROJECT)


@pytest.fixture(scope="module", params=READ)
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def ways(
    project: Site, language: str, tmp_path_factory: pytest.TempPathFactory
) -> Links:
    """Read the pages of a language with a repository; give their ways out."""
    folder = tmp_path_factory.mktemp(language)
    values = {
        "language": language,
        "gallery_intl_run": False,
        "gallery_repository_url": URL,
    }
    warnings = io.StringIO()
    assert not run_sphinx(PROJECT, "dummy", folder, folder, values, warnings), (
        warnings.getvalue()
    )
    return {page: links(folder / f"{page}.doctree") for page in project.pages()}


def links(doctree: Path) -> list[str]:
    """Give the links of a page to its repository."""
    document = pickle.loads(doctree.read_bytes())
    found = (link.get("refuri", "") for link in document.findall(nodes.reference))
    return [url for url in found if url.startswith(URL)]


def test_every_page_leads_to_files_of_the_project(ways: Links, language: str) -> None:
    kinds = ["blob", "edit"] if language == "en" else ["blob", "edit", "edit"]
    for page, urls in ways.items():
        own = urls[-len(kinds) - 1 :]
        places = [unquote(urlsplit(url).path).split("/", 5)[3:] for url in own]

        assert [kind for kind, *_branch_and_path in places] == [*kinds, "issues"], page
        files = [PROJECT / path for _kind, branch, path in places[:-1]]
        assert {branch for _kind, branch, _path in places[:-1]} == {"main"}
        assert not [path for path in files if not path.is_file()]
        assert files[0] == files[1]
        assert files[0].stem == files[-1].stem
        assert PROJECT / "tutorials" not in files[0].parents
        assert not urlsplit(own[0]).fragment


def test_every_report_names_page_and_language(ways: Links, language: str) -> None:
    for page, urls in ways.items():
        query = parse_qs(urlsplit(urls[-1]).query)

        (title,) = query["title"]
        assert title.removesuffix(f" ({language}/{page})") not in ("", title)


def test_without_a_repository_no_page_has_a_way_out(site: Path) -> None:
    if read_site(PROJECT).config.gallery_repository_url:
        pytest.skip("the site has a repository")
    pages = [path.read_text("utf-8") for path in site.rglob("*.html")]

    assert len(pages) > 40
    assert not [page for page in pages if "ways-out" in page]
