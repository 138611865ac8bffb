"""The files beside the languages name only what is there."""

from pathlib import Path
from types import SimpleNamespace

from gallery_site.root_files import all_pages


def test_the_sitemap_names_a_page_only_in_languages_that_have_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "ko").mkdir()
    (tmp_path / "ko" / "page.html").touch()
    site = SimpleNamespace(address="https://a.org/", pages=lambda: ["nowhere", "page"])
    offered = [{"language": x, "tag": x, "name": ""} for x in ("en", "ko")]

    listed = list(all_pages(site, offered, tmp_path))

    assert listed == [{"ko": "https://a.org/ko/page.html"}]


def test_the_sitemap_has_addresses_as_a_server_takes_them(tmp_path: Path) -> None:
    (tmp_path / "ko").mkdir()
    (tmp_path / "ko" / "café & more.html").touch()
    site = SimpleNamespace(address="https://a.org/", pages=lambda: ["café & more"])
    offered = [{"language": "ko", "tag": "ko", "name": ""}]

    listed = list(all_pages(site, offered, tmp_path))

    assert listed == [{"ko": "https://a.org/ko/caf%C3%A9%20%26%20more.html"}]
