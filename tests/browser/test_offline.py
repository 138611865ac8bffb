"""The site as a zip: opened by double click, all of it works."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from paths import PROJECT
from playwright.sync_api import Browser, Page, expect
from tags import tags_of

from gallery_site import offline
from gallery_site.project import BuildError, Site, read_site

LESSON = "tutorials/ranks/hello_ranks.html"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, site: Path) -> Site:
    """The built site, whose archive goes to a folder of the test."""
    out = tmp_path_factory.mktemp("out")
    (out / "html").symlink_to(site)
    return read_site(PROJECT)._replace(out=out)


@pytest.fixture(scope="module")
def unpacked(built: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that a reader finds in the archive."""
    path = offline.pack(built)
    place = tmp_path_factory.mktemp("offline") / "내 문서 & files"
    with zipfile.ZipFile(path) as archive:
        archive.extractall(place)
    (folder,) = place.iterdir()
    assert folder.name == path.stem == "multi-gpu-examples"
    return folder


def test_every_link_of_an_unpacked_page_leads_to_a_file(unpacked: Path) -> None:
    pages = [p for p in sorted(unpacked.rglob("*.html")) if "_static" not in p.parts]
    assert unpacked / "index.html" in pages

    dead = [
        f"{page.relative_to(unpacked)}: {link}"
        for page in pages
        for link in inner_links(page)
        if not leads_to_file(unpacked, page, link)
    ]

    assert not dead, "\n".join(dead)


def inner_links(page: Path) -> set[str]:
    """Give what a page links to or loads that is no address of another site."""
    tags = tags_of(page.read_text(encoding="utf-8"))
    links = {x[name] or "" for _, x in tags for name in ("href", "src") if name in x}
    assert links
    return {
        link for link in links if urlsplit(link).scheme not in ("http", "https", "data")
    }


def leads_to_file(folder: Path, page: Path, link: str) -> bool:
    path = unquote(urlsplit(link).path)
    target = (page.parent / path).resolve() if path else page
    return target.is_file() and target.is_relative_to(folder.resolve())


@pytest.mark.parametrize("language", ["en", "ko", "zh_CN", "ja"])
def test_an_unpacked_language_opens_is_searched_and_gives_its_notebook(
    chromium: Browser, unpacked: Path, language: str
) -> None:
    errors: list[str] = []
    page = chromium.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))

    page.goto((unpacked / "index.html").as_uri())
    page.locator(f"a[href='{language}/index.html']").click()
    page.wait_for_url(f"file://**/{language}/index.html")
    search(page, "DataParallel")
    page.goto((unpacked / language / LESSON).as_uri())
    # a browser shows a file from a disk, where a server's it would keep
    page.locator(".downloads a.download[href$='.ipynb']").click()
    page.wait_for_url("file://**/hello_ranks.ipynb")

    assert json.loads(page.inner_text("body"))["nbformat"] == 4
    assert not errors
    page.close()


def search(page: Page, query: str) -> None:
    """Search as a reader does, and go to the first page found."""
    page.keyboard.press("Control+k")
    page.locator("dialog[open] input[type=search]").fill(query)
    page.keyboard.press("Enter")
    first = page.locator("#search-results li a").first
    expect(first).to_be_visible()
    first.click()
    expect(page.locator("article h1")).to_be_visible()


def test_the_same_site_gives_the_same_bytes(site: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(site / "en", tmp_path / "copy")
    for path in copy.rglob("*"):
        os.utime(path, (10**9, 10**9))  # in 2001

    assert offline.packed(copy, "x") == offline.packed(site / "en", "x")


def test_a_site_that_is_not_built_is_named(built: Site, tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"does not exist yet \(build it: make html\)"):
        offline.pack(built._replace(out=tmp_path))


@pytest.mark.parametrize(
    ("title", "name"), [("Multi-GPU examples", "multi-gpu-examples"), ("예제", "site")]
)
def test_a_name_is_safe_on_any_system(title: str, name: str) -> None:
    assert offline.file_name(title) == name
