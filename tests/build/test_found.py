"""A site with an address is found in every language; one without says nothing wrong.

The small site is built once at an address below a path.
"""

import functools
import http.server
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote, urljoin, urlsplit
from xml.etree import ElementTree

import prepared
import pytest
from bs4 import BeautifulSoup, Tag
from paths import PROJECT, ROOTS
from PIL import Image
from playwright.sync_api import Browser
from sphinx.errors import ConfigError

from gallery_intl.interface.languages import find_siblings, place_below_site
from gallery_site.project import read_site
from gallery_site.root_files import write_root_files
from gallery_site.sharing import locale_name, open_graph_tags

ROOT = ROOTS / "test-site"
ADDRESS = "https://example.org/docs/"
PAGE, PART = (f"tutorials/part/{name}" for name in ("page", "index"))
LANGUAGES = ("en", "ko")
SETTINGS = f"""
html_baseurl = {ADDRESS.rstrip("/")!r}
gallery_site_picture = "_static/picture.png"
html_static_path = ["_static"]
"""
NS = {
    "s": "http://www.sitemaps.org/schemas/sitemap/0.9",
    "x": "http://www.w3.org/1999/xhtml",
}

each_language = pytest.mark.parametrize("language", LANGUAGES)


class Site:
    """A small site, and what its last build printed."""

    def __init__(self, folder: Path, settings: str = "") -> None:
        self.source = folder / "site"
        self.html = self.source / "_build" / "html"
        shutil.copytree(ROOT, self.source)
        (self.source / "_static").mkdir()
        shutil.copy(PROJECT / "_static" / "picture.png", self.source / "_static")
        with (self.source / "conf.py").open("a", encoding="utf-8") as conf:
            conf.write(settings)

    def run(self, module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        own = {"RUNS": str(self.source.parent / "runs")}
        return prepared.run(module, *arguments, env=own)

    def make(self, *arguments: str) -> str:
        """Build; give what is printed."""
        source = ("--source", str(self.source))
        result = self.run("gallery_site", *source, *arguments)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    def plain(self, folder: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Build Korean with Sphinx alone, into a folder of that name."""
        out = self.source.parent / "plain" / folder
        own = ("-D", "language=ko", "-D", "gallery_intl_run=0", *arguments)
        return self.run(
            "sphinx", "-q", "-W", "-b", "html", *own, str(self.source), str(out)
        )

    def page(self, name: str) -> BeautifulSoup:
        text = (self.html / name).read_text(encoding="utf-8")
        return BeautifulSoup(text, "html.parser")

    def pages(self, language: str) -> dict[str, BeautifulSoup]:
        """Map the paths of a language's pages to the pages."""
        names = [
            path.relative_to(self.html).as_posix()
            for path in sorted((self.html / language).rglob("*.html"))
            if "_static" not in path.parts
        ]
        return {name: self.page(name) for name in names}

    def file(self, address: str) -> Path:
        """Give the file that a server shows for an address of the site."""
        assert address.startswith(ADDRESS), address
        path = unquote(address.removeprefix(ADDRESS))
        return self.html / (path or "index.html")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The small site at its address, with a history: its text is older than a change
    of the Korean words."""
    site = Site(tmp_path_factory.mktemp("found"), SETTINGS)
    catalog = site.source / f"locales/ko/LC_MESSAGES/{PAGE}.po"
    text = catalog.read_text(encoding="utf-8")
    catalog.write_text(text.replace("한 페이지", "페이지"), encoding="utf-8")
    commit(site.source, "2026-01-05")
    catalog.write_text(text, encoding="utf-8")
    commit(site.source, "2026-02-07")
    site.make("html")
    return site


def commit(folder: Path, day: str) -> None:
    """Commit all of a folder on a day."""
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@b"]
    when = {f"GIT_{who}_DATE": f"{day}T12:00:00" for who in ("AUTHOR", "COMMITTER")}
    for step in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run([*git, *step], cwd=folder, check=True, env=os.environ | when)


def one(page: BeautifulSoup, selector: str) -> str:
    """Give the value of a tag that stands in a page exactly once."""
    (tag,) = page.select(selector)
    return str(tag.get("content") or tag.get("href"))


def alternates(page: BeautifulSoup) -> dict[str, str]:
    tags = page.select("head link[rel=alternate][hreflang]")
    addresses = {str(tag["hreflang"]): str(tag["href"]) for tag in tags}
    assert len(addresses) == len(tags)
    return addresses


def needs_address(tag: Tag) -> bool:
    is_link = tag.get("rel") == ["canonical"] or tag.get("hreflang") == "x-default"
    shared = str(tag.get("property", "")) + str(tag.get("name", ""))
    return is_link or shared.startswith(("og:", "twitter:"))


# pages


@each_language
def test_a_page_names_its_own_address(found: Site, language: str) -> None:
    for name, page in found.pages(language).items():
        assert one(page, "link[rel=canonical]") == ADDRESS + name


@each_language
def test_alternates_are_complete_and_mutual(found: Site, language: str) -> None:
    for name, page in found.pages(language).items():
        addresses = alternates(page)

        assert set(addresses) == {*LANGUAGES, "x-default"}, name
        assert addresses[language] == ADDRESS + name
        first = name == f"{language}/index.html"
        assert addresses["x-default"] == (ADDRESS if first else addresses["en"])
        for address in addresses.values():
            other = found.file(address).relative_to(found.html).as_posix()
            assert alternates(found.page(other)) == addresses


@each_language
def test_a_page_is_described_once_and_unlike_any_other(
    found: Site, language: str
) -> None:
    pages = found.pages(language)

    said = [one(page, "meta[name=description]") for page in pages.values()]

    assert len(set(said)) == len(said) == len(pages)
    assert all(text.strip(" —") == text for text in said)


def test_a_page_is_shared_in_the_words_of_its_language(found: Site) -> None:
    page = found.page(f"ko/{PAGE}.html")

    said = {
        str(tag["property"]): str(tag["content"]) for tag in page.select("[property]")
    }

    assert said["og:title"] == "한 페이지"
    assert said["og:description"] == "페이지에는 code가 있습니다. 둘째 문장입니다."
    assert said["og:site_name"] == "작은 사이트"
    assert said["og:url"] == f"{ADDRESS}ko/{PAGE}.html"
    assert (said["og:locale"], said["og:locale:alternate"]) == ("ko_KR", "en_US")
    assert one(page, "meta[name='twitter:card']") == "summary_large_image"


@each_language
def test_tags_are_tags_and_not_text(found: Site, language: str) -> None:
    for name in found.pages(language):
        head = (found.html / name).read_text(encoding="utf-8").partition("</head>")[0]

        assert "&lt;" not in head, name


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        *[("ko", "ko_KR"), ("zh_CN", "zh_CN"), ("ja", "ja_JP"), ("en", "en_US")],
        *[("zh-CN", "zh_CN"), ("pt-BR", "pt_BR"), ("zh-Hant-TW", "zh_TW")],
        *[("pt", "pt_BR"), ("eo_XX", "eo_XX"), ("??", "??")],
    ],
)
def test_a_language_has_a_territory_for_open_graph(
    language: str, expected: str
) -> None:
    assert locale_name(language) == expected


# the picture


def test_a_shared_page_shows_the_picture_of_the_site(found: Site) -> None:
    shared = [*found.pages("en").values(), *found.pages("ko").values()]
    with_text = [page for page in shared if page.select("meta[property='og:url']")]

    for page in [*with_text, found.page("index.html")]:
        address = one(page, "meta[property='og:image']")
        assert one(page, "meta[name='twitter:card']") == "summary_large_image"
        assert Image.open(found.file(address)).size == (1200, 630)
    assert len(with_text) == 6


def test_a_site_without_a_picture_names_none() -> None:
    tags = open_graph_tags(site_name="Site", language="en", others=[], picture="")

    assert "og:image" not in tags
    assert '<meta name="twitter:card" content="summary" />' in tags


# beside the languages


def test_the_sitemap_lists_every_page_with_its_languages(found: Site) -> None:
    tree = ElementTree.parse(found.html / "sitemap.xml")
    listed = {
        str(url.findtext("s:loc", namespaces=NS)): {
            link.attrib["hreflang"]: link.attrib["href"]
            for link in url.findall("x:link[@rel='alternate']", NS)
        }
        for url in tree.getroot().findall("s:url", NS)
    }

    names = ("index", PART, PAGE)
    pages = {f"{ADDRESS}{x}/{name}.html" for x in LANGUAGES for name in names}
    assert set(listed) == pages | {ADDRESS}
    for address, addresses in listed.items():
        name = found.file(address).relative_to(found.html).as_posix()
        assert addresses == alternates(found.page(name))
        assert address in addresses.values()


def test_robots_are_told_of_the_sitemap(found: Site) -> None:
    lines = (found.html / "robots.txt").read_text().splitlines()

    assert "Allow: /" in lines
    assert not any(line.startswith("Disallow") for line in lines)
    assert f"Sitemap: {ADDRESS}sitemap.xml" in lines


def test_the_front_page_has_an_address_and_languages(found: Site) -> None:
    page = found.page("index.html")

    assert one(page, "link[rel=canonical]") == ADDRESS
    assert one(page, "meta[name=description]") == "Small site · 작은 사이트"
    assert one(page, "meta[property='og:url']") == ADDRESS
    assert alternates(page) == alternates(found.page("ko/index.html"))


def test_the_404_page_speaks_every_language_at_any_depth(found: Site) -> None:
    page = found.page("404.html")

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


def test_a_second_build_changes_nothing(found: Site) -> None:
    # one language: of two, the second takes the same way
    def state() -> dict[str, bytes]:
        return {
            path.relative_to(found.html).as_posix(): path.read_bytes()
            for path in found.html.rglob("*")
            if path.is_file()
        }

    before = state()
    found.make("html", "ko")

    assert state() == before


# one language alone


def test_no_page_names_a_language_that_is_not_there(tmp_path: Path) -> None:
    site = Site(tmp_path, SETTINGS)
    site.make("html", "ko")

    alone = site.page(f"ko/{PAGE}.html")
    listed = (site.html / "sitemap.xml").read_text(encoding="utf-8")
    assert not alternates(alone)
    assert not alone.select(".language-menu")
    assert f"{ADDRESS}en/" not in listed

    (site.html / "en").mkdir()
    shutil.copyfile(site.html / "ko/index.html", site.html / "en/index.html")
    site.make("html", "ko")

    assert set(alternates(site.page("ko/index.html"))) == {*LANGUAGES, "x-default"}
    assert not alternates(site.page(f"ko/{PAGE}.html"))


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
@pytest.mark.parametrize("given", [ADDRESS, ADDRESS.rstrip("/")])
def test_a_language_has_its_address_below_the_sites(
    folder: str, expected: str, given: str
) -> None:
    app = SimpleNamespace(outdir=Path("_build", folder))
    languages = {"en": "English", "ko": "한국어"}
    config = SimpleNamespace(
        html_baseurl=given,
        language="ko",
        gallery_intl_languages=languages,
        gallery_intl_siblings=None,
    )

    find_siblings(app, config)
    place_below_site(config)

    assert config.html_baseurl == config.gallery_intl_address == expected


def test_an_address_without_a_host_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"no address of a site \(write 'https://"):
        place_below_site(SimpleNamespace(html_baseurl="example.org"))


def test_plain_sphinx_is_told_the_address_on_its_command_line(found: Site) -> None:
    out = found.source.parent / "plain" / "ko"

    result = found.plain("ko", "-D", "html_baseurl=https://other.example/x")

    assert result.returncode == 0, result.stderr
    text = (out / f"{PAGE}.html").read_text(encoding="utf-8")
    address = f"https://other.example/x/ko/{PAGE}.html"
    assert f'<link rel="canonical" href="{address}" />' in text
    notebook = next(out.rglob("page.ipynb")).read_text(encoding="utf-8")
    assert address in notebook

    result = found.plain("ko", "-D", "html_baseurl=")

    assert result.returncode == 0, result.stderr
    notebook = next(out.rglob("page.ipynb")).read_text(encoding="utf-8")
    assert "https://other.example" not in notebook
    for path in (out / f"{PAGE}.html", out / "search.html"):
        page = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
        assert not page.head.find_all(needs_address), path


# in a browser, below a policy that stops every script in a page


class Strict(http.server.SimpleHTTPRequestHandler):
    """Serves as a host does: its own 404 page, and a strict policy."""

    def end_headers(self) -> None:
        policy = "default-src 'self'; script-src 'self'"
        self.send_header("Content-Security-Policy", policy)
        super().end_headers()

    def send_error(self, code: int, *_: object, **__: object) -> None:
        content = Path(self.directory, "docs/404.html").read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Stay silent."""


@pytest.fixture(scope="module")
def host(found: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that has the small site at its path."""
    folder = tmp_path_factory.mktemp("host")
    (folder / "docs").symlink_to(found.html)
    handler = functools.partial(Strict, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/docs/"
    server.shutdown()


def test_a_reader_who_is_lost_can_search_without_scripts(
    chromium: Browser, host: str
) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()

    answer = page.goto(f"{host}ko/deep/below/nothing.html")
    page.locator("section[lang=ko] input").fill("페이지 하나")
    page.locator("section[lang=ko] button").click()

    assert answer
    assert answer.status == 404
    page.wait_for_url(lambda url: urlsplit(url).path == "/docs/ko/search.html")
    assert "q=" in urlsplit(page.url).query
    context.close()


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
        if "_static" not in path.parts
    ]

    said = [one(page, "meta[name=description]") for page in pages]

    assert len(said) > 10
    assert len(set(said)) == len(said)
    assert [text for text in said if not SCRIPTS[language].search(text)] == []
    assert [text for text in said if re.search(r"``|:\w+:`|</?\w+>|\s\s", text)] == []


def test_without_an_address_nothing_claims_one(tmp_path: Path) -> None:
    site = read_site(ROOT)
    for language in LANGUAGES:
        (tmp_path / language).mkdir()

    write_root_files(site, tmp_path)

    assert not site.address
    files = {path.name for path in tmp_path.iterdir() if path.is_file()}
    assert files == {"index.html", "front.css", "front.js", "robots.txt", ".nojekyll"}
    assert "Sitemap" not in (tmp_path / "robots.txt").read_text()
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    page = BeautifulSoup(text, "html.parser")
    assert not page.head.find_all(needs_address)
    assert not alternates(page)  # in a head they are absolute, or wrong
