"""Records: what a page printed on another machine, in tabs next to this build's."""

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from paths import PROJECT, ROOTS
from pretended import PRETEND

from gallery_run import record, records
from gallery_run.machine import Machine
from gallery_run.record_tabs import with_records
from gallery_run.records import Output, Record, RecordError, program
from gallery_run.run import run_gallery
from gallery_site.build import check_records
from gallery_site.languages import build_source
from gallery_site.messages import collect
from gallery_site.project import BuildError, read_site

GPU = Machine("AMD EPYC", 16, "NVIDIA H200", 1, cuda="13.0", date="2026-11-20")
OUTPUTS = {0: Output(["one", "*two*"], {}), 2: Output([], {"1.svg": "Label"})}
RECORD = Record("script", GPU, OUTPUTS, {"1.svg": "<svg/>"})
SCRIPT = """'''
Title

torchrun --standalone --nproc-per-node=2 page.py
'''
print(1)  # a comment

text = '''a

# b'''
# %%
# Prose.
print(2)  # cuda
"""


@pytest.mark.parametrize(
    ("old", "new", "stale"),
    [
        ("  # a comment", "\n\n# 다른 주석", False),
        ("Title", "Another title\n\nand text", False),
        ("print(1)", "print(3)", True),
        ("a\n\n#", "a\n#", True),
        ("node=2", "node=4", True),
        ("# %%\n# Prose.\n", "", True),
    ],
)
def test_only_other_code_makes_a_record_stale(old: str, new: str, stale: bool) -> None:
    assert old in SCRIPT

    changed = program(SCRIPT.replace(old, new))

    assert (changed != program(SCRIPT)) == stale


def test_an_edited_record_is_refused(tmp_path: Path) -> None:
    records.write(tmp_path, RECORD)
    assert records.read(tmp_path) == RECORD

    for file, old in (("record.json", "one"), ("record.json", '"'), ("1.svg", "<svg")):
        text = (tmp_path / file).read_text()
        (tmp_path / file).write_text(text.replace(old, "x", 1))
        with pytest.raises(RecordError, match=r"record\.json: .*git.*make record"):
            records.read(tmp_path)
        (tmp_path / file).write_text(text)


def test_each_rank_has_a_gpu_of_its_own() -> None:
    assert [record.rank_count(SCRIPT, gpus) for gpus in (0, 1, 8)] == [2, 1, 2]
    assert record.rank_count(SCRIPT.replace("cuda", "cpu"), 1) == 2  # it lacks none
    assert record.rank_count("cuda = 1", 8) == 0


BLOCK = """.. GENERATED FROM PYTHON SOURCE LINES %d-9

.. code-block:: Python

    x = 1

%s"""
OWN = ".. image-sg:: /own.svg\n\n"
ALT = ".. alt-text:: What the\n  author wrote.\n\n"
END = ".. _sphx_glr_download_page.py:\n"
PAGE = f"{ALT}{BLOCK % (2, OWN)}{BLOCK % (5, '')}{BLOCK % (8, '')}{END}"
THREE = '"""A page."""\nx = 1\n# %%\n# Text.\nx = 1\n# %%\n# Text.\nx = 1\n'


def test_tabs_are_written_where_a_machine_has_outputs() -> None:
    def tabs(page: str, **others: Record) -> str:
        intel = Machine("Intel", 2)
        return with_records(page, THREE, intel, others, "/x", "en", "{}!".format)

    first, second, third = tabs(PAGE, gpu=RECORD).split(".. GENERATED")[1:]
    drawn = tabs(PAGE, gpu=RECORD._replace(outputs={0: OUTPUTS[2]}))
    comment, code = (BLOCK % (2, "")).split("\n\n", 1)
    above = tabs(f"{comment}\n\n{OWN}{code}", gpu=RECORD)  # of a page that is one block

    places = ["x = 1", "tab-item:: CPU", "own.svg", "tab-item:: 1 × H200", "   *two*"]
    assert sorted(places, key=first.index) == places
    assert "tab-item" not in second
    assert third.index("No output!") < third.index(":: /x/gpu/1.svg\n")
    assert third.endswith(f"\n\n{END}")
    assert ":alt: Label" in third
    assert ":alt: What the author wrote." in drawn
    assert above.index("CPU") < above.index("own.svg") < above.index("x = 1")
    assert tabs(PAGE) == PAGE


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A gallery recorded on two GPUs that torch believes in, where no Sphinx is."""
    folder = tmp_path_factory.mktemp("records")
    source = Path(shutil.copytree(ROOTS / "test-records", folder / "site"))
    for name in ("sphinx", "sphinx_gallery", "docutils", "polib", "babel", "psutil"):
        (folder / f"{name}.py").write_text("raise ImportError('not here')\n")
    path = os.pathsep.join(map(str, (folder, PRETEND, PROJECT)))
    slurm = {"RANK": "3", "WORLD_SIZE": "8"}  # it sets these for plain programs too
    subprocess.run(
        [sys.executable, "-m", "gallery_run"],
        cwd=source,
        env=os.environ | slurm | {"PYTHONPATH": path, "PRETEND": "cuda:2"},
        check=True,
    )
    return source


def test_pages_are_recorded_without_sphinx(recorded: Path) -> None:
    (page,) = (recorded / "records/part/page").iterdir()
    ranks = records.read(recorded / "records/part/ranks/2-h200")

    assert records.read(page).outputs == {
        0: Output(["printed by __main__", "bold"], {}),
        2: Output(["[] __main__"], {"1.svg": "Two bars."}),
    }
    assert ranks.outputs == {0: Output(["ranks: 2 GPUs: 2"], {})}


def test_a_page_that_fails_is_named_and_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(record, "LIMIT", 10)
    (tmp_path / "gallery").mkdir()
    ends = "1 / 0", "import os; os._exit(0)", "import time; time.sleep(600)"
    for name, code in zip("abcd", [*ends, "print('fine')"], strict=True):
        (tmp_path / f"gallery/{name}.py").write_text(f"'''A page.'''\n{code}  # cuda")

    assert record.main(list("abcd")) == 1

    error = capfd.readouterr().err
    assert 'a.py", line 2, in <module>' in error
    assert "c.py:1: did not end within 10 s" in error
    assert error.count("not recorded, see above") == 3
    (made,) = (tmp_path / "records").rglob("record.json")
    assert records.read(made.parent).outputs == {0: Output(["fine"], {})}


def render(source: Path, language: str = "ko") -> None:
    """Build one language from what the last run made."""
    out = io.StringIO()
    site = read_site(source)
    run_gallery(source, source)
    build_source(site, language, [], out, is_live=False)
    assert out.getvalue() == ""


def html(source: Path, page: str = "page") -> BeautifulSoup:
    path = source / f"_build/stage/ko/tutorials/part/{page}.html"
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def labels(page: BeautifulSoup) -> list[str]:
    return [label.get_text(strip=True) for label in page.select(".records label")]


@pytest.fixture(scope="module")
def built(recorded: Path) -> Path:
    """The gallery in Korean, with one more record."""
    (other,) = (recorded / "records/part/page").iterdir()
    new = records.read(other)._replace(machine=GPU)
    records.write(other.with_name("1-h200"), new)
    render(recorded)
    return recorded


@pytest.fixture
def site(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "site", symlinks=True))


def test_tabs_and_their_words_are_in_the_language_of_the_page(built: Path) -> None:
    page, ranks = html(built), html(built, "ranks")

    _own, panel, _cpu = page.select(".records")[1].select(":scope > .sd-tab-content")
    drawn = built / "_build/stage/ko/tutorials/part" / panel.img["src"]
    assert labels(page)[:2] == ["CPU", "1 × H200"]
    assert page.select("[data-sync-group=machine][data-sync-id='1-h200']")
    assert panel.p.get_text() == "1 × NVIDIA H200 · CUDA 13.0 · 2026년 11월 20일"
    assert panel.img["alt"] == "막대 둘."
    assert ">행<" in drawn.read_text(encoding="utf-8")
    assert panel.pre.get_text() == "[] __main__\n"
    assert labels(ranks) == ["CPU", "2 × H200"]
    assert "프로세스 2개" in ranks.select(".record-facts")[1].get_text()


def test_without_records_downloads_catalogs_and_gaps_are_the_same(site: Path) -> None:
    def made() -> dict[str, bytes]:
        render(site)
        found = [*(site / "_build/stage/ko/_downloads").rglob("*.*")]
        found += collect(read_site(site)).rglob("page.pot")
        return {path.name: path.read_bytes() for path in found}

    with_tabs, gaps = made(), html(site).select_one(".intl-gaps")
    shutil.rmtree(site / "records")

    assert made() == with_tabs
    assert {"page.pot", "page.py", "page.ipynb", "page.zip"} <= set(with_tabs)
    assert (labels(html(site)), html(site).select_one(".intl-gaps")) == ([], gaps)


def test_a_stale_record_is_named_and_not_shown_and_an_edited_one_stops_the_build(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = site / "records/part/page/1-h200"
    records.write(folder, records.read(folder)._replace(script="x = 0"))
    shutil.copytree(folder, site / "records/part/gone/1-h200")

    render(site)
    check_records(read_site(site))

    assert "1 × H200" not in labels(html(site))
    output = capsys.readouterr().out
    assert f"{folder}/record.json: not shown, the code of part/page has" in output
    assert "not shown, there is no page part/gone (delete it)" in output

    (folder / "record.json").write_text("{}")

    with pytest.raises(RecordError, match=r"record\.json: .*make record"):
        render(site)
    with pytest.raises(BuildError, match=r"record\.json: .*make record"):
        check_records(read_site(site))
