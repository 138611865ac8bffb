"""The site as a zip: opened by double click, all of it works."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from pathlib import Path

import pytest
from made import contents
from paths import PROJECT
from playwright.sync_api import expect
from readers import LESSON, Open, each_language

from gallery_site import offline
from gallery_site.project import BuildError, Site, read_site


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


def test_the_archive_has_every_file_of_the_site(unpacked: Path, site: Path) -> None:
    assert contents(unpacked) == contents(site)


@each_language
def test_an_unpacked_language_opens_is_searched_and_gives_its_notebook(
    open_page: Open, troubles: list[str], unpacked: Path, language: str
) -> None:
    page = open_page((unpacked / "index.html").as_uri())
    page.locator(f"a[href='{language}/index.html']").click()
    page.wait_for_url(f"file://**/{language}/index.html")
    page.keyboard.press("Control+k")
    page.locator("dialog[open] input[type=search]").fill("DataParallel")
    page.keyboard.press("Enter")
    page.locator("#search-results li a").first.click()
    expect(page.locator("article h1")).to_be_visible()
    page.goto((unpacked / language / LESSON).as_uri())
    # a browser shows a file from a disk, where it would save a server's
    page.locator(".downloads a.download[href$='.ipynb']").click()
    page.wait_for_url("file://**/hello_ranks.ipynb")

    assert json.loads(page.inner_text("body"))["nbformat"] == 4
    assert not troubles, "\n".join(troubles)


def test_the_same_site_gives_the_same_bytes(site: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(site / "en", tmp_path / "copy")
    for path in copy.rglob("*"):
        os.utime(path, (10**9, 10**9))  # in 2001

    assert offline.packed(copy, "x") == offline.packed(site / "en", "x")


def test_a_site_that_is_not_built_is_named(built: Site, tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"does not exist yet \(build it: make html\)"):
        offline.pack(built._replace(out=tmp_path))
