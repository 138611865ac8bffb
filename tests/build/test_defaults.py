"""A gallery with Sphinx-Gallery's default settings: quiet catalogs, no English left."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from paths import ROOTS
from sphinx.testing.util import SphinxTestApp

from gallery_intl.catalogs import po

ROOT = ROOTS / "test-defaults"
PAGES = {
    "index": [
        "Tools",
        "The script :download:`plot_echo.py </auto_examples/signals/plot_echo.py>`.",
        "Scripts that use it",
    ],
    "auto_examples/index": [
        *("Examples", "Some scripts."),
        *("Shapes", "What stays.", "Signals", "What changes over time."),
    ],
    "auto_examples/shapes/index": ["Shapes", "What stays."],
    "auto_examples/shapes/plot_square": ["A square", "Four equal sides."],
    "auto_examples/signals/index": ["Signals", "What changes over time."],
    "auto_examples/signals/plot_echo": ["An echo", "The same thing again & again."],
    "auto_examples/signals/plot_wave": [
        *("A wave", "Three points of a wave. They are drawn."),
        *("the points", "One wave", "The end comes as text."),
    ],
}
WAVE = "auto_examples/signals/plot_wave.html"


class Site:
    """The gallery: the templates of its catalogs, and its pages in some languages."""

    def __init__(self, source: Path) -> None:
        self.source = source
        shutil.copytree(ROOT, source)
        self.templates = po.read_all(self.build("gettext", "en"), ".pot")
        for page, template in self.templates.items():
            for entry in template:
                entry.msgstr = "" if page.name in po.NO_PAGE else f"《{entry.msgid}》"
            path = po.po_path(source / "locales", "ko", page.as_posix())
            path.parent.mkdir(parents=True, exist_ok=True)
            po.write(path, template)

    def build(self, builder: str, language: str) -> Path:
        app = SphinxTestApp(
            builder,
            srcdir=self.source,
            builddir=self.source / "_build" / f"{builder}-{language}",
            confoverrides={
                "language": language,
                "suppress_warnings": ["config.cache"],  # of a function in conf.py
            },
        )
        app.build()
        app.cleanup()
        assert app.warning.getvalue() == ""
        return Path(app.outdir)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return Site(tmp_path_factory.mktemp("defaults") / "site")


@pytest.fixture(scope="module")
def korean(site: Site) -> Path:
    return site.build("html", "ko")


def page(folder: Path, name: str) -> Tag:
    html = BeautifulSoup((folder / name).read_bytes(), "html.parser")
    body = html.select_one("div.body")
    assert body
    return body


def texts(found: Iterator[Tag] | list[Tag]) -> list[str]:
    return [" ".join(one.get_text().split()) for one in found]


def test_the_catalogs_hold_what_the_authors_wrote(site: Site) -> None:
    """So a run that takes longer changes none, and 100 % can be reached."""
    found = {
        name.as_posix(): [entry.msgid for entry in template]
        for name, template in site.templates.items()
        if name.name not in po.NO_PAGE
    }

    assert found == PAGES


def test_a_page_says_all_of_it_in_the_readers_language(korean: Path) -> None:
    wave = page(korean, WAVE)

    assert not wave.select(".gaps")
    (note,) = wave.select(".sphx-glr-download-link-note p:not(.admonition-title)")
    assert texts([note]) == [
        "페이지 끝으로 가면 전체 예제 코드를 내려받을 수 있습니다."
    ]
    (timing,) = texts(wave.select(".sphx-glr-timing"))
    assert timing.startswith("스크립트 총 실행 시간: (0분 ")
    assert [x for x in texts(wave.select("p")) if x.startswith("추정 메모리 사용량: ")]
    assert texts(wave.select(".sphx-glr-example-tags")) == [
        "🏷 태그: waves, first steps"
    ]
    assert texts(wave.select(".sphx-glr-download a")) == [
        "Jupyter 노트북 내려받기: plot_wave.ipynb",
        "Python 소스 코드 내려받기: plot_wave.py",
        "압축 파일 내려받기: plot_wave.zip",
    ]
    assert texts(wave.select(".rubric")) == ["관련 예제"]
    assert texts(wave.select(".sphx-glr-signature")) == [
        "Sphinx-Gallery로 생성한 갤러리"
    ]


def test_a_figure_of_pixels_is_described_in_the_readers_language(korean: Path) -> None:
    (figure,) = page(korean, WAVE).select("img.sphx-glr-single-img")

    assert figure["alt"] == "《One wave》"


@pytest.mark.parametrize("name", ["auto_examples/index.html", "index.html", WAVE])
def test_cards_have_translated_titles_and_tooltips(korean: Path, name: str) -> None:
    cards = page(korean, name).select(".sphx-glr-thumbcontainer")

    shown = {x["tooltip"]: texts(x.select(".sphx-glr-thumbnail-title")) for x in cards}
    wave = "《Three points of a wave. They are drawn.》"
    assert shown.pop("《Four equal sides.》", ["《A square》"]) == ["《A square》"]
    assert shown == {
        "《The same thing again & again.》": ["《An echo》"],
        wave: ["《A wave》"],
    }


def test_computation_times_are_said_in_the_readers_language(korean: Path) -> None:
    times = page(korean, "sg_execution_times.html")

    assert texts(times.select("h1"))[0].startswith("실행 시간")
    assert texts(times.select("th")) == ["예제", "시간", "메모리(MB)"]
    said = texts(times.select("section > p"))
    assert said[0].startswith("모든 갤러리의 파일 3개를 실행하는 데 걸린 총시간: 00:0")
    assert times.select("section > p strong")


def test_the_sidebar_and_the_tags_speak_it_too(korean: Path) -> None:
    html = BeautifulSoup((korean / WAVE).read_bytes(), "html.parser")

    links = html.select(".sphx-glr-sidebar-item")
    assert {link["title"]: texts([link])[0] for link in links} == {
        "plot_wave.py": "소스 코드 내려받기",
        "plot_wave.ipynb": "Jupyter 노트북 내려받기",
        "plot_wave.zip": "압축 파일 내려받기",
    }
    script = (korean / "_static/sg-tags.js").read_text(encoding="utf-8")
    assert 'nameElement.textContent = "🏷 태그:";' in script
    assert 'clearElement.textContent = "모두 해제";' in script


def test_archives_and_links_from_elsewhere_lead_to_translated_files(
    korean: Path,
) -> None:
    (link,) = page(korean, "index.html").select("a.download[href$='plot_echo.py']")
    script = (korean / str(link["href"])).read_text(encoding="utf-8")
    assert "《An echo》" in script
    for kind, suffix in (("python", "py"), ("jupyter", "ipynb")):
        index = page(korean, "auto_examples/index.html")
        (link,) = index.select(f"a.download[href$='auto_examples_{kind}.zip']")
        with zipfile.ZipFile(korean / "auto_examples" / str(link["href"])) as archive:
            names = ("shapes/plot_square", "signals/plot_echo", "signals/plot_wave")
            assert archive.namelist() == [f"{name}.{suffix}" for name in names]
            for name in archive.namelist():
                assert "《" in archive.read(name).decode("utf-8")


def test_a_page_in_the_source_language_stays_as_it_was(site: Site) -> None:
    english = site.build("html", "en")
    wave = page(english, WAVE)

    assert not wave.select(".intl-needs")
    (timing,) = texts(wave.select(".sphx-glr-timing"))
    assert timing.startswith("Total running time of the script: (0 minutes ")
    assert texts(wave.select(".sphx-glr-download a")) == [
        "Download Jupyter notebook: plot_wave.ipynb",
        "Download Python source code: plot_wave.py",
        "Download zipped: plot_wave.zip",
    ]
    signature = "Gallery generated by Sphinx-Gallery"
    assert texts(wave.select(".sphx-glr-signature")) == [signature]
    assert texts(wave.select(".sphx-glr-thumbnail-title")) == ["An echo", "A wave"]
    (figure,) = wave.select("img.sphx-glr-single-img")
    assert figure["alt"] == "One wave"
    (script,) = english.glob("_downloads/*/plot_wave.py")
    assert "is translated" not in script.read_text(encoding="utf-8")
