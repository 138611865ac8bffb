"""Records: what a page printed on another machine, shown beside this build's outputs.

No GPU is needed: the other machine is this one under another name.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup, Tag
from paths import PROJECT, ROOTS
from playwright.sync_api import Browser, expect
from serving import serve
from sphinx.testing.util import SphinxTestApp

from gallery_run import machine, record, records
from gallery_run.machine import Machine
from gallery_run.outputs import UntrueRecord
from gallery_run.record import Page, RecordingError, RefusalError
from gallery_run.records import Figure, Output, Record, RecordError
from gallery_run.words import left_to_run
from gallery_site import build
from gallery_site.project import BuildError, read_site

ROOT = ROOTS / "test-records"
GPU = Machine("AMD EPYC", 16, "NVIDIA H200", 1, cuda="13.0", date="2026-11-20")
RECORD = Record(
    "code", GPU, {0: Output(["one", "two"], []), 2: Output([], [Figure("<svg/>", "")])}
)
SCRIPT = """
'''
Title

torchrun --standalone --nproc-per-node=2 page.py
'''
# A comment.
print(1)  # another

text = '''a

# b'''

# %%
# Prose.
print(2)
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# A comment.\n", ""),
        ("  # another", "  # 다른 주석"),
        ("print(1)", "\n\n# one more\nprint(1)"),
        ("Title", "Another title\n\nand text"),
        ("# Prose.", "# Other prose.\n#\n# And more."),
    ],
)
def test_comments_and_prose_leave_a_record_valid(old: str, new: str) -> None:
    assert old in SCRIPT

    assert records.code_hash(SCRIPT.replace(old, new)) == records.code_hash(SCRIPT)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("print(1)", "print(3)"),
        ("a\n\n#", "a\n#"),
        ("# b", "# c"),
        ("node=2", "node=4"),
        ("# %%\n# Prose.\n", ""),
        ("text =", "# %%\ntext ="),
    ],
)
def test_other_code_makes_a_record_stale(old: str, new: str) -> None:
    assert old in SCRIPT

    assert records.code_hash(SCRIPT.replace(old, new)) != records.code_hash(SCRIPT)


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "page" / "1x-h200.json"

    records.write(path, RECORD)

    assert records.read(path) == RECORD
    assert [figure.read_text() for figure in path.parent.glob("*.svg")] == ["<svg/>"]


@pytest.mark.parametrize(
    ("suffix", "old", "new"),
    [
        ("json", '"two"', '"2"'),
        ("json", "H200", "H100"),
        ("json", "13.0", "13.1"),
        ("json", '"code"', '"other"'),
        ("json", " ]", "]"),
        ("svg", "<svg/>", "<svg />"),
    ],
)
def test_an_edited_record_is_refused(
    tmp_path: Path, suffix: str, old: str, new: str
) -> None:
    path = tmp_path / "1x-h200.json"
    records.write(path, RECORD)
    (edited,) = tmp_path.glob(f"*.{suffix}")
    assert old in edited.read_text()

    edited.write_text(edited.read_text().replace(old, new, 1))

    with pytest.raises(RecordError, match=r"1x-h200\.json:1: .*edited.*make record"):
        records.read(path)


def test_a_broken_record_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "1x-h200.json"
    records.write(path, RECORD)

    path.write_text(path.read_text().replace('"two"', '"two', 1))

    line = path.read_text().split("\n").index('    "two') + 1
    with pytest.raises(RecordError, match=rf"json:{line}: "):
        records.read(path)


def test_a_figure_that_is_gone_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "1x-h200.json"
    records.write(path, RECORD)

    next(tmp_path.glob("*.svg")).unlink()

    with pytest.raises(RecordError, match="FileNotFoundError"):
        records.read(path)


def test_a_record_leaves_the_figures_of_a_machine_with_a_longer_name(
    tmp_path: Path,
) -> None:
    other = tmp_path / "1x-h200-nvl.json"
    records.write(other, RECORD)

    records.write(tmp_path / "1x-h200.json", RECORD)

    assert records.read(other) == RECORD


def test_an_interrupted_record_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "1x-h200.json"
    records.write(path, RECORD)
    write = records.replace_file
    new = dataclasses.replace(RECORD, outputs={0: Output([], [Figure("<svg>", "")])})

    def stop(where: Path, data: bytes) -> None:
        if where == path:
            raise KeyboardInterrupt
        write(where, data)

    monkeypatch.setattr(records, "replace_file", stop)
    with pytest.raises(KeyboardInterrupt):
        records.write(path, new)
    assert records.read(path) == RECORD

    monkeypatch.undo()
    records.write(path, new)
    assert records.read(path) == new
    assert len(list(tmp_path.glob("*.svg"))) == 1  # the old figure is gone


@pytest.mark.parametrize(
    ("code", "gpus", "counts"),
    [
        ("cuda = 1", 0, [2]),
        ("cuda = 1", 1, [1]),
        ("cuda = 1", 8, [2, 1]),
        ("cpu = 1", 1, [2]),  # it uses no GPU, so it lacks none
    ],
)
def test_each_rank_has_a_gpu_of_its_own(
    code: str, gpus: int, counts: list[int]
) -> None:
    page = Page("page", Path("page.py"), f"{SCRIPT}{code}\n")

    assert page.rank_counts(gpus) == counts
    assert Page("x", Path("x.py"), "cuda = 1").rank_counts(gpus) == [0]


FOUR = Page("page", Path("page.py"), SCRIPT.replace("=2", "=4") + "cuda = 1\n")


def test_a_page_runs_with_the_most_ranks_that_it_accepts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def run_once(_: Page, ranks: int, deadline: float) -> str:
        if ranks > accepted:
            raise RefusalError(f"not with {ranks}")
        return f"ran with {ranks}"

    monkeypatch.setattr(record, "run_once", run_once)
    accepted = 1
    refused = ["not with 3", "not with 2"]
    assert record.run(FOUR, 3, 9) == ("ran with 1", refused)
    accepted = 0
    with pytest.raises(RefusalError, match="not with 3\nnot with 2\nnot with 1"):
        record.run(FOUR, 3, 9)


def test_a_failure_is_not_hidden_by_fewer_ranks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def run_once(_: Page, ranks: int, deadline: float) -> str:
        if ranks == 3:
            raise RecordingError("wrong with 3")
        return f"ran with {ranks}"

    monkeypatch.setattr(record, "run_once", run_once)

    with pytest.raises(RecordingError, match="wrong with 3"):
        record.run(FOUR, 3, 9)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A gallery to record."""
    return Path(shutil.copytree(ROOT, tmp_path / "site"))


def add_page(site: Path, name: str, code: str) -> None:
    path = site / "gallery" / f"{name}.py"
    path.write_text(f'"""\nTitle\n"""\n{code}\n', encoding="utf-8")


def test_a_page_that_fails_is_shown_with_its_line_and_others_go_on(
    site: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(record, "gpus_here", lambda: ("", 0))
    add_page(site, "part/a", "x = 1\n# %%\n# Text.\n\n\n1 / 0  # cuda")
    add_page(site, "part/b", "x = [  # cuda")
    add_page(site, "part/c", "print('fine')  # cuda")

    status = record.main(["--source", str(site), "--profile", "Other one"])

    out, err = capfd.readouterr()
    folder = site.resolve() / "gallery" / "part"
    assert status == 1
    assert f"{folder / 'a.py'}:9: rank 0 failed\n\nTraceback" in err
    assert "ZeroDivisionError" in err
    assert f"{folder / 'b.py'}:4: rank 0 failed\n\n" in err
    assert "SyntaxError" in err
    assert "part/a ... failed" in out
    made = sorted(path.parent.name for path in site.rglob("records/**/*.json"))
    assert made == ["c", "page"]
    path = site / "records" / "part" / "c" / "other-one.json"
    assert records.read(path).outputs == {0: Output(["fine"], [])}


def test_only_what_is_not_current_is_recorded_again(
    site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(record, "gpus_here", lambda: ("", 0))
    shutil.rmtree(site / "gallery" / "part")
    add_page(site, "a", "print('cuda')")
    add_page(site, "b", "print('cuda')")

    def recorded(*names: str) -> list[str]:
        assert record.main(["--source", str(site), *names]) == 0
        lines = capsys.readouterr().out.splitlines()
        return [line[0] for line in lines if "recorded already" not in line]

    assert recorded() == ["a", "b"]
    assert recorded() == []
    add_page(site, "a", "# A comment.\nprint('cuda')")
    add_page(site, "b", "print('cuda', 2)")
    assert recorded() == ["b"]
    assert recorded("gallery/a.py") == ["a"]  # named: in any case


def test_a_page_that_is_not_there_is_said(
    site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(record, "gpus_here", lambda: ("", 0))

    assert record.main(["--source", str(site), "part/gone"]) == 1

    assert "no page 'part/gone'; there are part/page" in capsys.readouterr().err


EVEN = """
import os, time
ranks, rank = int(os.environ["WORLD_SIZE"]), int(os.environ["RANK"])
if ranks % 2:
    if rank: time.sleep(600)
    raise SystemExit("This page needs an even number\\nof ranks.")
if rank == 0: print("cuda", ranks)
"""
ANY = EVEN.replace("% 2", "< 1")


@pytest.mark.parametrize(
    ("gpus", "code", "said", "ranks"),
    [
        (
            3,
            EVEN,
            "  it asks for 4 ranks and ran with 2\n"
            "  3 ranks refused: This page needs an even number of ranks.\n",
            2,
        ),
        (
            1,
            EVEN,
            "ranks ... not recorded\n"
            "  1 rank refused: This page needs an even number of ranks.\n",
            None,
        ),
        (1, ANY, "  it asks for 4 ranks and ran with 1\n", 1),
    ],
    ids=["three, even", "one, even", "one, any"],
)
def test_a_number_of_ranks_that_a_page_refuses_is_said(
    site: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    gpus: int,
    code: str,
    said: str,
    ranks: int | None,
) -> None:
    pytest.importorskip("torch")
    monkeypatch.setattr(record, "gpus_here", lambda: ("NVIDIA H200", gpus))
    script = f"torchrun --standalone --nproc-per-node=4 ranks.py\n'''\n{code}"
    (site / "gallery" / "ranks.py").write_text(f"'''\nTitle\n\n{script}")
    began = time.monotonic()

    status = record.main(["--source", str(site), "--profile", "some", "ranks"])

    out, err = capsys.readouterr()
    made = [records.read(path) for path in site.rglob("records/**/some.json")]
    assert (status, err) == (0, "")
    assert out.endswith(said)
    assert [one.machine.ranks for one in made] == ([ranks] if ranks else [])
    assert time.monotonic() - began < 60


def test_a_page_that_does_not_end_is_stopped(site: Path) -> None:
    add_page(site, "part/endless", "import time\ntime.sleep(600)")
    script = site / "gallery" / "part" / "endless.py"

    with pytest.raises(RecordingError, match=r"endless\.py:1: did not end within 1 s"):
        record.run_once(Page("x", script, script.read_text()), 0, 1)


def test_a_plain_page_has_no_ranks_whatever_a_shell_says(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slurm's scripts set these variables for all that they start."""
    for name, value in {"RANK": "3", "WORLD_SIZE": "8"}.items():
        monkeypatch.setenv(name, value)
    add_page(site, "part/plain", "print(1)")
    script = site / "gallery" / "part" / "plain.py"

    made = record.run_once(Page("x", script, script.read_text()), 0, 60)

    assert (made.machine.ranks, made.outputs[0].lines) == (0, ["1"])


def test_a_page_that_ends_its_process_is_no_record(site: Path) -> None:
    add_page(site, "part/gone", "import os\nos._exit(0)")
    script = site / "gallery" / "part" / "gone.py"

    with pytest.raises(RecordingError, match=r"gone\.py:1: ended with status 0"):
        record.run_once(Page("x", script, script.read_text()), 0, 60)


def test_a_rank_that_fails_alone_is_named_with_its_line(tmp_path: Path) -> None:
    """Its error looks like the echo of another's, but there is no other."""
    page = Page("page", tmp_path / "page.py", "")
    text = "RuntimeError: Connection closed by peer"
    (tmp_path / "rank-0.json").write_text(json.dumps({"line": 7, "text": text}))

    said = record.failure(page, tmp_path, 1, 60)

    assert said.startswith(f"{page.script}:7: rank 0 failed")


def test_a_rank_that_dies_is_named(site: Path) -> None:
    pytest.importorskip("torch")
    script = site / "gallery" / "part" / "ranks.py"
    die = "if os.environ['RANK'] == '1': os._exit(3)\nimport time; time.sleep(600)\n"
    script.write_text(script.read_text() + die)

    with pytest.raises(RecordingError, match=r"ranks\.py:1: (.|\n)*rank +: 1 "):
        record.run_once(Page("x", script, script.read_text()), 2, 100)


WITHOUT = ("sphinx", "sphinx_gallery", "docutils", "polib", "babel", "filelock")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A gallery that was recorded where no Sphinx is."""
    pytest.importorskip("torch")
    source = tmp_path_factory.mktemp("records") / "root"
    shutil.copytree(ROOT, source)
    blocked = source.parent / "blocked"
    blocked.mkdir()
    for name in WITHOUT:
        (blocked / f"{name}.py").write_text(f"raise ImportError('no {name} here')\n")
    command = [sys.executable, "-m", "gallery_run", "--source", str(source)]
    done = subprocess.run(
        [*command, "--profile", "other", "part/page", "part/ranks"],
        cwd=PROJECT,
        env=os.environ | {"PYTHONPATH": str(blocked)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return source


def test_recording_needs_no_sphinx(recorded: Path) -> None:
    made = records.read(recorded / "records" / "part" / "page" / "other.json")

    assert made.outputs[0] == Output(["printed by __main__", "bold"], [])
    assert made.outputs[2].lines == ["[] __main__"]
    assert made.outputs[2].figures[0].alt == "Two bars."
    assert 1 not in made.outputs


def test_ranks_are_recorded_under_torchrun(recorded: Path) -> None:
    made = records.read(recorded / "records" / "part" / "ranks" / "other.json")

    assert made.outputs == {0: Output(["ranks: 2"], [])}
    assert (made.machine.ranks, made.machine.asked) == (2, 2)


def render(source: Path, builder: str = "html", language: str = "en") -> SphinxTestApp:
    app = SphinxTestApp(
        builder,
        srcdir=source,
        builddir=source / f"_build-{builder}-{language}",
        confoverrides={"language": language},
    )
    try:
        app.build()
    finally:
        app.cleanup()
    assert app.warning.getvalue() == ""
    return app


@pytest.fixture(scope="module")
def shown(recorded: Path) -> Path:
    """The recorded gallery, built in two languages."""
    for language in ("en", "ko"):
        render(recorded, language=language)
    return recorded


def html(source: Path, language: str = "en", page: str = "page") -> BeautifulSoup:
    path = source / f"_build-html-{language}/html/tutorials/part/{page}.html"
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def tabs(page: BeautifulSoup) -> list[list[Tag]]:
    return [one.select(":scope > .sd-tab-content") for one in page.select(".records")]


def printed(panel: Tag) -> list[str]:
    return [pre.get_text().strip("\n") for pre in panel.select("pre")]


def test_a_record_shows_what_this_build_shows(shown: Path) -> None:
    first, last = tabs(html(shown))

    for own, other in (first, last):
        assert printed(own) == printed(other)
    assert printed(first[0]) == ["printed by __main__\nbold"]
    assert len(last[0].select("img")) == len(last[1].select("img")) == 1


def test_this_build_comes_first_and_each_tab_says_where_it_is_from(
    shown: Path,
) -> None:
    path = shown / "records" / "part" / "ranks" / "other.json"
    made = records.read(path)

    for language, processes in (("en", "2 processes"), ("ko", "프로세스 2개")):
        page = html(shown, language, "ranks")
        labels = [label.get_text(strip=True) for label in page.select(".records label")]
        facts = [line.get_text() for line in page.select(".record-facts")]
        assert labels == ["CPU", made.machine.cpu]
        assert len(facts) == 2
        assert all(made.machine.cpu in line and processes in line for line in facts)
        assert page.select(".records input")[0].has_attr("checked")
    top = html(shown, page="ranks").select_one(".outputs-made").get_text()
    assert top == (
        "Outputs on this page: 2 ranks on one CPU. "
        f"Tabs show those of other machines: {made.machine.cpu}."
    )
    assert "CPU 코어" in html(shown, "ko").select_one(".sphx-glr-machine").get_text()


def test_a_figure_of_a_record_has_the_words_of_the_language(shown: Path) -> None:
    folder = shown / "_build-html-ko/html/tutorials/part"

    _, (_, panel) = tabs(html(shown, "ko"))

    image = panel.img
    drawn = (folder / image["src"]).read_text(encoding="utf-8")
    assert image["alt"] == "막대 둘."
    assert ">행<" in drawn
    assert ">Rows<" not in drawn
    assert "dark-light" in image["class"]


@pytest.fixture
def page_records(shown: Path) -> Iterator[Path]:
    """The records of a page, put back after the test."""
    folder = shown / "records" / "part" / "page"
    before = {path: path.read_bytes() for path in folder.iterdir()}
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for path, data in before.items():
        path.write_bytes(data)


def state(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_mtime_ns, data)
        for path in folder.rglob("*")
        if path.is_file() and (data := path.read_bytes()) is not None
    }


def test_a_new_record_changes_its_page_and_runs_nothing(
    shown: Path, page_records: Path
) -> None:
    run = state(shown / "tutorials")
    other = html(shown, "ko", "ranks")
    made = records.read(page_records / "other.json")
    new = dataclasses.replace(made, machine=GPU, outputs={1: Output(["on a GPU"], [])})

    records.write(page_records / "1x-h200.json", new)
    app = render(shown, language="ko")

    page = html(shown, "ko")
    labels = [label.get_text(strip=True) for label in page.select(".records label")]
    assert labels == ["CPU", "1 × H200", made.machine.cpu] * 3
    quiet, gpu, _ = tabs(page)[1]
    assert printed(gpu) == ["on a GPU"]
    assert quiet.select_one(".no-output").get_text() == "출력 없음"
    assert "1 × NVIDIA H200 · CUDA 13.0 · 2026년 11월 20일" in gpu.get_text()
    assert state(shown / "tutorials") == run
    assert html(shown, "ko", "ranks") == other
    assert "0 added, 1 changed, 0 removed" in app.status.getvalue()


def test_a_stale_record_is_not_shown_and_is_named(
    shown: Path, page_records: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = page_records / "other.json"
    old = dataclasses.replace(records.read(path), code="of before")
    records.write(path, old)

    app = render(shown)
    build.check_records(read_site(shown))

    assert tabs(html(shown)) == []
    assert html(shown).select(".sphx-glr-script-out")
    named = f"{path}: not shown, the code of part/page has changed since"
    assert named in app.status.getvalue()
    assert named in capsys.readouterr().out


NO_GPU = "No GPU has run this page yet."
ONE_GPU = "One GPU has run this page, but several have not yet."
NO_GPU_KO = "아직 이 페이지를 GPU에서 실행한 기록이 없습니다."
ONE_GPU_KO = (
    "이 페이지를 GPU 하나에서 실행한 기록은 있지만, "
    "여러 GPU에서 실행한 기록은 아직 없습니다."
)
TWO = dataclasses.replace(GPU, gpus=2)
ON_CPU = Machine("AMD EPYC", 16)


@pytest.mark.parametrize(
    ("machines", "said"),
    [
        ([], NO_GPU),
        ([ON_CPU], NO_GPU),
        ([ON_CPU, GPU], ONE_GPU),
        ([GPU, GPU], ONE_GPU),  # one at a time
        ([ON_CPU, TWO, GPU], ""),
    ],
)
def test_the_most_gpus_that_ran_a_page_count(
    machines: list[Machine], said: str
) -> None:
    assert left_to_run(machines) == said


def left(source: Path, language: str = "en", page: str = "page") -> list[str]:
    """What a page says at its top of the GPUs that have still to run it."""
    (line,) = html(source, language, page).select(
        ".downloads + .outputs-made.no-search"
    )
    known = (NO_GPU, ONE_GPU, NO_GPU_KO, ONE_GPU_KO)
    return [said for said in known if line.get_text().endswith(f". {said}")]


def test_a_page_says_on_what_it_has_still_to_run(
    shown: Path, page_records: Path
) -> None:
    made = records.read(page_records / "other.json")
    one, two = (dataclasses.replace(made, machine=there) for there in (GPU, TWO))
    stale = dataclasses.replace(two, code="of before")

    render(shown)
    render(shown, language="ko")
    assert left(shown) == [NO_GPU]
    assert left(shown, "ko") == [NO_GPU_KO]
    assert left(shown, page="ranks") == []  # it uses no GPU

    records.write(page_records / "1x-h200.json", one)
    records.write(page_records / "2x-h200.json", stale)
    render(shown, language="ko")
    assert left(shown, "ko") == [ONE_GPU_KO]

    records.write(page_records / "2x-h200.json", two)
    render(shown, language="ko")
    assert left(shown, "ko") == []


def test_what_a_build_ran_on_gpus_has_run(shown: Path) -> None:
    page = shown / "tutorials" / "part" / "page.rst"
    noted = machine.path_of(page).read_bytes()
    here = machine.read(page)
    assert here

    machine.write(page, dataclasses.replace(here, gpu="NVIDIA H200", gpus=2))
    render(shown, language="ko")
    on_gpus = left(shown, "ko")
    machine.path_of(page).write_bytes(noted)
    render(shown, language="ko")

    assert (on_gpus, left(shown, "ko")) == ([], [NO_GPU_KO])


def test_a_record_of_no_page_is_named(shown: Path, page_records: Path) -> None:
    gone = shown / "records" / "part" / "gone"
    shutil.copytree(page_records, gone)

    found = list(records.stale(shown / "records", [shown / "tutorials"]))

    shutil.rmtree(gone)
    assert found == [
        f"{gone / 'other.json'}: not shown, there is no page part/gone (delete it)"
    ]


def test_an_edited_record_stops_the_build(shown: Path, page_records: Path) -> None:
    path = page_records / "other.json"
    path.write_text(path.read_text().replace("bold", "bolder"), encoding="utf-8")

    with pytest.raises(UntrueRecord, match=r"other\.json:1: .*make record"):
        render(shown)
    with pytest.raises(BuildError, match=r"other\.json:1: .*make record"):
        build.check_records(read_site(shown))


def test_downloads_and_catalogs_say_nothing_of_records(
    shown: Path, page_records: Path
) -> None:
    def made() -> dict[str, bytes]:
        render(shown, language="ko")
        catalogs = Path(render(shown, "gettext").outdir)
        downloads = shown / "_build-html-ko/html/_downloads"
        found = [*catalogs.rglob("page.pot"), *downloads.rglob("*.*")]
        return {path.name: path.read_bytes() for path in found}

    with_records = made()
    shutil.rmtree(page_records)
    without = made()

    assert {"page.pot", "page.py", "page.ipynb", "page.zip"} <= set(without)
    assert with_records == without
    assert not any(b"has run this page" in data for data in without.values())
    assert not any(NO_GPU_KO.encode() in data for data in without.values())
    assert tabs(html(shown, "ko")) == []


@pytest.fixture
def address(shown: Path) -> Iterator[str]:
    """Where a browser finds the recorded gallery."""
    folder = shown / "_build-html-ko" / "html"
    render(shown, language="ko")
    with serve(folder) as address:
        yield f"{address}/tutorials/part/"


def test_a_choice_holds_for_all_tabs_and_is_remembered(
    chromium: Browser, address: str
) -> None:
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{address}page.html")
    first = page.locator(".records").first
    expect(first.locator("input").first).to_be_checked()

    first.locator("label").nth(1).click()

    for number in range(2):
        panels = page.locator(".records").nth(number).locator("> .sd-tab-content")
        expect(panels.nth(0)).to_be_hidden()
        expect(panels.nth(1)).to_be_visible()
    page.goto(f"{address}ranks.html")
    panels = page.locator(".records > .sd-tab-content")
    expect(panels.nth(1)).to_be_visible()
    expect(panels.nth(0)).to_be_hidden()
    found = Axe().run(page, context=".records").response["violations"]
    assert [rule["id"] for rule in found] == []
    context.close()


def test_tabs_can_be_read_without_javascript_and_on_paper(
    chromium: Browser, address: str
) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}page.html")
    panels = page.locator(".records").first.locator("> .sd-tab-content")

    expect(panels.nth(0)).to_be_visible()
    page.locator(".records label").nth(1).click()
    expect(panels.nth(1)).to_be_visible()
    expect(panels.nth(0)).to_be_hidden()

    page.emulate_media(media="print")
    parts = page.locator(".records").first.locator("> label, > .sd-tab-content")
    tops = []
    for part in parts.all():
        expect(part).to_be_visible()
        tops.append(part.bounding_box()["y"])
    assert len(tops) == 4
    assert tops == sorted(tops)  # each label stands above what it names
    context.close()


def test_records_are_small_text(recorded: Path) -> None:
    path = recorded / "records" / "part" / "page" / "other.json"

    text = path.read_text(encoding="utf-8")

    assert json.loads(text)["outputs"]["0"]["lines"] == ["printed by __main__", "bold"]
    assert '    "printed by __main__",\n    "bold"\n' in text
    assert text.endswith("}\n")
