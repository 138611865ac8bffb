"""A language as a zip: opened by double click it is whole, and leads nowhere else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from paths import PROJECT
from playwright.sync_api import Browser, Page, expect
from tags import tags_of

from gallery_site import offline
from gallery_site.project import BuildError, Site, read_site

LANGUAGES = ("en", "ko", "zh_CN", "ja")
LESSON = "tutorials/ranks/hello_ranks.html"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, site: Path) -> Site:
    """The built site, whose archives go to a folder of the test's own."""
    out = tmp_path_factory.mktemp("out")
    (out / "html").symlink_to(site)
    return read_site(PROJECT)._replace(out=out)


@pytest.fixture(scope="module", params=LANGUAGES)
def unpacked(
    request: pytest.FixtureRequest,
    built: Site,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """The folder that a reader finds in the archive, at a place of the reader's."""
    (path,) = offline.pack(built, [request.param])
    place = tmp_path_factory.mktemp("offline") / "내 문서 & files"
    with zipfile.ZipFile(path) as archive:
        archive.extractall(place)
    (folder,) = place.iterdir()
    assert folder.name == path.stem == f"multi-gpu-examples-{request.param}"
    return folder


def test_no_link_of_an_unpacked_page_is_dead_or_leads_out(unpacked: Path) -> None:
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


def test_an_unpacked_language_opens_is_searched_and_gives_its_notebook(
    chromium: Browser, unpacked: Path
) -> None:
    errors: list[str] = []
    page = chromium.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))

    page.goto((unpacked / "index.html").as_uri())
    search(page, "DataParallel")
    page.goto((unpacked / LESSON).as_uri())
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


def test_the_same_site_gives_the_same_bytes(
    built: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path,) = offline.pack(built, ["en"])
    first = path.read_bytes()

    copy = built._replace(out=built.out.parent / "copy")
    shutil.copytree(built.html / "en", copy.html / "en")
    for path in copy.html.rglob("*"):
        os.utime(path, (10**9, 10**9))  # in 2001
    rglob = Path.rglob
    monkeypatch.setattr(Path, "rglob", lambda *x: reversed([*rglob(*x)]))
    (again,) = offline.pack(copy, ["en"])

    assert again.read_bytes() == first


def test_an_archive_that_cannot_be_written_leaves_the_old_one(
    built: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path,) = offline.pack(built, ["en"])
    before = path.read_bytes()

    def fail(self: zipfile.ZipFile, *_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(zipfile.ZipFile, "writestr", fail)
    with pytest.raises(OSError, match="no space"):
        list(offline.pack(built, ["en"]))

    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("fr", "no language 'fr'; the site has en, ko, zh_CN, ja"),
        ("ja", "make html-ja"),
    ],
)
def test_a_language_that_is_not_built_is_named(
    built: Site, tmp_path: Path, language: str, said: str
) -> None:
    with pytest.raises(BuildError, match=said):
        list(offline.pack(built._replace(out=tmp_path), [language]))


def test_the_command_says_where_the_archive_is_or_what_to_do(tmp_path: Path) -> None:
    shutil.copy(PROJECT / "conf.py", tmp_path)
    for package in ("gallery_intl", "gallery_run", "gallery_site"):
        (tmp_path / package).symlink_to(PROJECT / package)

    ended = subprocess.run(
        [sys.executable, "-m", "gallery_site", "zip", "ko"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == 1
    assert ended.stderr.startswith("Error: ")
    assert "(build it: make html-ko)" in ended.stderr


@pytest.mark.parametrize(
    ("title", "name"),
    [("Multi-GPU examples", "multi-gpu-examples-ko"), ("멀티 예제", "site-ko")],
)
def test_a_name_is_safe_on_any_system(title: str, name: str) -> None:
    assert offline.file_name(title, "ko") == name


def test_only_links_to_other_languages_are_taken_out() -> None:
    menu = (
        '<details class="language-menu"><a hreflang="ko" href="../ko/">a</a></details>'
    )
    alternate = '\n<link href="../../ko/a.html" hreflang="ko" rel="alternate">'
    kept = '<link rel="icon" href="i.svg"><details class="more">b</details>'

    assert offline.without_siblings(menu + alternate + kept + menu) == kept
