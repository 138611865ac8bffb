"""Each page has a description; with an address, links to itself in every language."""

import re
import shutil
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote, urljoin

import pytest
from bs4 import BeautifulSoup
from commands import SmallSite, run
from made import html
from sphinx.errors import ConfigError

from gallery_intl.interface.languages import find_siblings, place_below_site

ADDRESS = "https://example.org/docs/"
PAGE = "tutorials/part/page"
LANGUAGES = ("en", "ko")

each_language = pytest.mark.parametrize("language", LANGUAGES)


class Site(SmallSite):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "site")
        self.add_settings(f"html_baseurl = {ADDRESS.rstrip('/')!r}\n")

    def read(self, name: str) -> BeautifulSoup:
        return html(self.html / name)

    def by_name(self, language: str) -> dict[str, BeautifulSoup]:
        """Map the paths of a language's pages to the pages."""
        names = [x.relative_to(self.html).as_posix() for x in self.pages(language)]
        return {name: self.read(name) for name in names}

    def file(self, address: str) -> Path:
        """Return the file that a server shows for a URL of the site."""
        assert address.startswith(ADDRESS), address
        path = unquote(address.removeprefix(ADDRESS))
        return self.html / (path or "index.html")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Site:
    site = Site(tmp_path_factory.mktemp("found"))
    site.make("html")
    return site


def one(page: BeautifulSoup, selector: str) -> str:
    """Return the value of a tag that stands in a page exactly once."""
    (tag,) = page.select(selector)
    return str(tag.get("content") or tag.get("href"))


def alternates(page: BeautifulSoup) -> dict[str, str]:
    tags = page.select("head link[rel=alternate][hreflang]")
    addresses = {str(tag["hreflang"]): str(tag["href"]) for tag in tags}
    assert len(addresses) == len(tags)
    return addresses


# pages


@each_language
def test_a_page_names_its_own_address(found: Site, language: str) -> None:
    for name, page in found.by_name(language).items():
        assert one(page, "link[rel=canonical]") == ADDRESS + name


@each_language
def test_alternates_are_complete_and_mutual(found: Site, language: str) -> None:
    for name, page in found.by_name(language).items():
        addresses = alternates(page)

        assert set(addresses) == {*LANGUAGES, "x-default"}, name
        assert addresses[language] == ADDRESS + name
        first = name == f"{language}/index.html"
        assert addresses["x-default"] == (ADDRESS if first else addresses["en"])
        for address in addresses.values():
            other = found.file(address).relative_to(found.html).as_posix()
            assert alternates(found.read(other)) == addresses


def test_the_front_page_links_to_itself_in_every_language(found: Site) -> None:
    page = found.read("index.html")

    assert one(page, "link[rel=canonical]") == ADDRESS
    assert one(page, "meta[name=description]") == "Small site · 작은 사이트"
    assert alternates(page) == alternates(found.read("ko/index.html"))


def test_the_404_page_has_every_language_at_any_depth(found: Site) -> None:
    page = found.read("404.html")

    parts = [str(part["lang"]) for part in page.select("section[lang]")]
    assert parts == list(LANGUAGES)
    assert one(page, "meta[name=robots]") == "noindex"
    assert not page.select("style, script, [style], [onclick]")
    used = [tag["href"] for tag in page.select("a, link")]
    forms = [tag["action"] for tag in page.select("form[method=get]:has([name=q])")]
    assert [found.file(urljoin(ADDRESS, x)).parent.name for x in forms] == parts
    for path in (*used, *forms):
        assert path.startswith("/docs/")
        assert found.file(urljoin(ADDRESS, path)).is_file()


# one language alone


def test_no_page_names_a_language_that_is_not_there(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.make("html", "ko")

    alone = site.read(f"ko/{PAGE}.html")
    assert not alternates(alone)
    assert not alone.select(".language-menu")

    (site.html / "en").mkdir()
    shutil.copyfile(site.html / "ko/index.html", site.html / "en/index.html")
    site.make("html", "ko")

    assert set(alternates(site.read("ko/index.html"))) == {*LANGUAGES, "x-default"}
    assert not alternates(site.read(f"ko/{PAGE}.html"))


@pytest.mark.parametrize(
    ("siblings", "below"),
    [
        ("../../{language}/docs/", "ko/docs/"),
        ({"en": "", "ko": "ko"}, "ko/"),
        ({"en": "", "ko": "https://ko.example.org"}, ""),
        ("https://{language}.example.org/", ""),
    ],
)
def test_a_place_of_its_own_is_below_the_sites_address(
    siblings: str | dict[str, str], below: str
) -> None:
    config = SimpleNamespace(
        html_baseurl=ADDRESS, language="ko", gallery_intl_siblings=siblings
    )

    place_below_site(config)

    assert config.html_baseurl == ADDRESS + below


@pytest.mark.parametrize(
    ("folder", "expected"),
    [("ko", f"{ADDRESS}ko/"), ("out", ADDRESS)],
    ids=["beside other languages", "alone"],
)
def test_a_language_has_its_address_below_the_sites(folder: str, expected: str) -> None:
    config = SimpleNamespace(
        html_baseurl=ADDRESS,
        language="ko",
        gallery_intl_languages={"en": "English", "ko": "한국어"},
        gallery_intl_siblings=None,
    )

    find_siblings(SimpleNamespace(outdir=Path("_build", folder)), config)
    place_below_site(config)

    assert config.html_baseurl == config.gallery_intl_address == expected


def test_an_address_without_a_host_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"no address of a site \(write 'https://"):
        place_below_site(SimpleNamespace(html_baseurl="example.org"))


def test_plain_sphinx_takes_the_address_from_its_command_line(found: Site) -> None:
    source, out = found.source, found.source.parent / "plain" / "ko"
    options = ("-q", "-W", "-D", "language=ko")

    def build(address: str) -> str:
        own = ("-D", f"html_baseurl={address}", source, out)
        result = run("sphinx", *options, *own)
        assert result.returncode == 0, result.stderr
        return (out / f"{PAGE}.html").read_text(encoding="utf-8")

    address = f"https://other.example/x/ko/{PAGE}.html"
    text = build("https://other.example/x")
    assert f'<link rel="canonical" href="{address}" />' in text
    assert "페이지에는" in text

    page = BeautifulSoup(build(""), "html.parser")
    assert not page.select("[rel=canonical], [rel=alternate][hreflang]")


# the site as it is: without an address


SCRIPTS = {
    "ko": re.compile(r"[가-힣]"),
    "zh_CN": re.compile(r"[一-鿿]"),
    "ja": re.compile(r"[ぁ-ヿ]"),
    "en": re.compile(r"[a-z]"),
}


@pytest.mark.parametrize("language", list(SCRIPTS))
def test_every_page_is_described_in_its_language(site: Path, language: str) -> None:
    pages = [
        BeautifulSoup(path.read_text("utf-8").partition("</head>")[0], "html.parser")
        for path in sorted((site / language).rglob("*.html"))
        if "_static" not in path.parts and path.name != "search.html"
    ]

    said = [one(page, "meta[name=description]") for page in pages]

    assert len(said) > 10
    assert len(set(said)) == len(said)
    assert [text for text in said if not SCRIPTS[language].search(text)] == []
    assert [text for text in said if re.search(r"``|:\w+:`|</?\w+>|\s\s", text)] == []
