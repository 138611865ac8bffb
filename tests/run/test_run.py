"""The gallery: run once, whatever happens on the way."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import leftover_processes
import psutil
import pytest
from paths import ROOTS

from gallery_run import fingerprint, generate
from gallery_run.run import GalleryError, run_gallery

ROOT = ROOTS / "test-run"
HANG = "import time\ntime.sleep(60)\n"
TORCHRUN = "torchrun --standalone --nproc-per-node=2 ranks.py"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Path]:
    """A gallery of two pages; each run of a page is a line of the file `runs`."""
    shutil.copytree(ROOT, tmp_path / "site")
    running = leftover_processes.children()
    yield tmp_path / "site"
    assert leftover_processes.new_since(running) == []


def run(site: Path, **overrides: object) -> str:
    said: list[str] = []
    run_gallery(
        site,
        site,
        overrides={"gallery_intl_deadline": 30, **overrides},
        say=said.append,
    )
    return "".join(said)


def runs(site: Path) -> list[str]:
    file = site / "runs"
    return file.read_text().split() if file.exists() else []


def page(site: Path, name: str, code: str, docstring: str = "Text.") -> Path:
    script = site / "gallery" / "part" / f"{name}.py"
    script.write_text(f'"""\nTitle\n=====\n\n{docstring}\n"""\n\n{code}')
    return script


def files(site: Path) -> set[str]:
    """The generated files; a run's time is in the contents of one, in no name."""
    folder = site / "pages"
    return {str(f.relative_to(folder)) for f in folder.rglob("*") if f.is_file()}


def start(site: Path) -> subprocess.Popen[str]:
    command = "import sys, pathlib as p; from gallery_run.run import run_gallery as r"
    command += "; r(p.Path(sys.argv[1]), p.Path(sys.argv[1]))"
    return subprocess.Popen(
        [sys.executable, "-c", command, str(site)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def wait_until(true: object, seconds: float = 15) -> None:
    limit = time.monotonic() + seconds
    while not true():  # type: ignore[operator]
        assert time.monotonic() < limit
        time.sleep(0.05)


def has_ended(process: int) -> bool:
    """Tell whether a process ended; somebody may still have to take note of it."""
    try:
        return psutil.Process(process).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_a_second_run_starts_nothing(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = run(site)
    monkeypatch.delattr("gallery_run.run.Child")

    again = run(site)

    assert again == ""
    assert "2 to run, 0 unchanged" in said
    assert runs(site) == ["first", "second"]


def test_only_a_changed_script_runs_again_as_python_does_by_itself(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown, conf = site / "gallery/part/shown.py", site / "conf.py"
    shown.write_text('"""\nShown\n=====\n"""\n\n1 / 0\n')
    pattern = r'"(first|second)\.py$"'
    conf.write_text(conf.read_text().replace(r'"\.py$"', pattern))
    run(site)
    monkeypatch.setenv("PYTHONWARNINGS", "default")
    with (site / "gallery/part/second.py").open("a") as script:
        script.write("import sys\nassert not sys.warnoptions\n")

    said = run(site)

    assert "1 to run, 2 unchanged" in said  # the third is never run
    assert runs(site) == ["first", "second", "second"]


def test_a_changed_setting_runs_every_script_again(site: Path) -> None:
    run(site)

    run(site, **{"sphinx_gallery_conf.capture_repr": ["__repr__"]})

    assert runs(site) == ["first", "second"] * 2


def test_a_deleted_page_comes_back(site: Path) -> None:
    run(site)
    before = files(site)
    (site / "pages/part/first.rst").unlink()

    run(site)

    assert files(site) == before
    assert runs(site) == ["first", "second", "first"]


def test_a_renamed_script_leaves_no_page_behind(site: Path) -> None:
    run(site)
    before = files(site)
    (site / "gallery/part/first.py").rename(site / "gallery/part/third.py")

    run(site)

    assert files(site) == {name.replace("first", "third") for name in before}


def test_what_a_person_wrote_beside_generated_pages_stays(site: Path) -> None:
    run(site)
    own = {
        "pages/own/index.rst",
        "pages/own/data/table.csv",
        "pages/part/hand.rst",
        "pages/part/hand.py",
        "pages/part/first.csv",
        "pages/part/hand.py.md5",
        "pages/part/draft.new",
    }
    for name in own:
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).touch()
    (site / "gallery/part/first.py").unlink()

    run(site)
    shutil.rmtree(site / "gallery/part")
    run(site)

    assert {name for name in own if (site / name).exists()} == own
    assert not (site / "pages/part/second.rst").exists()
    assert not (site / "pages/part/images").exists()


def test_figures_of_an_earlier_run_are_removed(tmp_path: Path) -> None:
    images = tmp_path / "images"
    (images / "thumb").mkdir(parents=True)
    mine = ["sphx_glr_x_001.svg", "sphx_glr_x_002.png", "thumb/sphx_glr_x_thumb.png"]
    others = ["sphx_glr_x_001_001.svg", "sphx_glr_xy_001.svg", "logo.png"]
    for name in [*mine, *others]:
        (images / name).touch()

    generate.remove_figures(tmp_path / "x.py")

    assert not [name for name in mine if (images / name).exists()]
    assert [name for name in others if (images / name).exists()] == others


def test_a_failing_script_is_named_with_its_line_and_traceback(site: Path) -> None:
    script = page(site, "first", 'raise ValueError("boom")\n')

    with pytest.raises(GalleryError) as failure:
        run(site)
    page(site, "first", "print('mended')\n")
    run(site)

    text = str(failure.value)
    assert text.startswith("gallery/part/first.py:8: the script failed\n")
    assert f'File "{script}", line 8' in text
    assert text.count("boom") == 2  # the line and the error
    assert "gen_rst" not in text
    assert "mended" in (site / "pages/part/first.rst").read_text()


@pytest.mark.parametrize(
    ("code", "words"),
    [("print(\n", "first.py:8"), ("import sys\nsys.exit(0)\n", "SystemExit: 0")],
)
def test_a_script_that_cannot_end_well_fails(site: Path, code: str, words: str) -> None:
    page(site, "first", code)

    with pytest.raises(GalleryError) as failure:
        run(site)

    assert words in str(failure.value)


@pytest.mark.parametrize(
    ("docstring", "also"), [("Text.", ""), (TORCHRUN, "rank 1 did not end")]
)
def test_a_page_that_hangs_is_stopped_where_it_stands(
    site: Path, docstring: str, also: str
) -> None:
    page(site, "first", HANG, docstring)
    began = time.monotonic()

    with pytest.raises(GalleryError) as failure:
        run(site, gallery_intl_deadline=4)

    assert time.monotonic() - began < 20
    assert "gallery/part/first.py did not end within 4 s" in str(failure.value)
    assert also in str(failure.value)
    assert 'first.py", line 9' in str(failure.value)


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ("os.kill(os.getpid(), 9)", "was ended by SIGKILL"),
        ("os._exit(0)", "ended with exit status 0"),
    ],
)
def test_a_rank_0_that_is_gone_is_named_whatever_it_wrote(
    site: Path, ends: str, words: str
) -> None:
    code = "import os, time\n" + r"os.write(2, b'much noise\n' * 500_000 + b'\xff')"
    code += f"\nif os.environ['RANK'] == '0': {ends}\ntime.sleep(60)\n"
    page(site, "first", code, TORCHRUN)

    with pytest.raises(GalleryError) as failure:
        run(site)

    said = str(failure.value)
    assert said.startswith(f"gallery/part/first.py: the process that ran it {words}")
    assert "much noise" in said
    assert len(said) < 10_000


def test_a_rank_that_ends_early_is_named_when_rank_0_waits_forever(site: Path) -> None:
    code = "import os, sys, time\nif os.environ['RANK'] == '1': sys.exit(0)\n"
    page(site, "first", f"{code}time.sleep(60)\n", TORCHRUN)

    with pytest.raises(GalleryError) as failure:
        run(site, gallery_intl_deadline=4)

    assert "first.py did not end within 4 s" in str(failure.value)
    assert "rank 1 ended early, with exit status 0" in str(failure.value)


def test_ctrl_c_ends_ranks_that_hang_and_what_they_started(site: Path) -> None:
    note = site / "child"
    code = "import os, subprocess, time\nif os.environ['RANK'] == '1':\n"
    code += "    child = subprocess.Popen(['sleep', '60'], start_new_session=True)\n"
    code += f"    open({str(note)!r}, 'w').write(f'{{child.pid}}.')\n"
    page(site, "first", f"{code}time.sleep(60)\n", TORCHRUN)
    process = start(site)
    wait_until(lambda: note.exists() and note.read_text().endswith("."), 60)
    below = psutil.Process(process.pid).children(recursive=True)

    process.send_signal(2)
    said, _ = process.communicate()
    _, alive = psutil.wait_procs(below, timeout=15)

    assert "KeyboardInterrupt" in said
    assert int(note.read_text()[:-1]) in [child.pid for child in below]
    assert alive == []


def test_what_a_rank_leaves_running_ends_with_the_run(site: Path) -> None:
    note = site / "child"
    code = "import os, subprocess\nif os.environ['RANK'] == '1':\n"
    code += "    child = subprocess.Popen(['sleep', '60'], start_new_session=True)\n"
    code += f"    open({str(note)!r}, 'w').write(str(child.pid))\n"
    page(site, "first", code, TORCHRUN)

    run(site)

    assert has_ended(int(note.read_text()))


def test_a_rank_that_fails_makes_its_page_run_again(site: Path) -> None:
    wrong = (
        'import os, time\nif os.environ["RANK"] == "1":\n    raise OSError("mine")\n'
    )
    wrong += 'time.sleep(0.3)\nraise RuntimeError("Connection closed by peer")\n'
    page(site, "ranks", wrong, TORCHRUN)

    with pytest.raises(GalleryError) as failure:
        run(site)
    page(site, "ranks", "print('well')\n", TORCHRUN)
    run(site)

    assert str(failure.value).startswith("gallery/part/ranks.py: rank 1 ended with")
    assert 'raise OSError("mine")' in str(failure.value)
    assert "well" in (site / "pages/part/ranks.rst").read_text()


def test_a_run_that_is_killed_leaves_nothing_running_and_recovers(site: Path) -> None:
    script = page(site, "ranks", HANG, TORCHRUN)
    process = start(site)
    wait_until((site / "pages/part/ranks.py.running").exists)
    wait_until(lambda: len(psutil.Process(process.pid).children(True)) == 2)
    below = psutil.Process(process.pid).children(recursive=True)
    temporary = Path(below[0].environ()["TMPDIR"])

    process.kill()
    process.communicate()
    _, alive = psutil.wait_procs(below, timeout=5)
    script.unlink()
    run(site)

    assert alive == []
    assert not temporary.exists()
    assert runs(site) == ["first", "second"]
    assert not any("ranks" in name for name in files(site))


def test_a_page_that_was_interrupted_after_its_script_runs_again(site: Path) -> None:
    run(site)
    target = site / "pages/part/first.py"
    generate.note(target).touch()
    (site / "pages" / fingerprint.NAME).unlink()

    run(site)

    assert runs(site).count("first") == 2
    assert not generate.note(target).exists()


def test_two_runs_at_once_execute_once(site: Path) -> None:
    page(site, "second", HANG.replace("60", "1"))

    both = [start(site), start(site)]
    said = [process.communicate()[0] for process in both]

    assert [process.returncode for process in both] == [0, 0]
    assert runs(site) == ["first"]
    assert sum("to run" in text for text in said) == 1
    assert sum("waiting" in text for text in said) == 1


def test_temporary_files_of_scripts_are_removed(site: Path) -> None:
    code = "import tempfile\nprint(tempfile.mkdtemp())\n"
    page(site, "first", code)

    run(site)

    text = (site / "pages/part/first.rst").read_text()
    folder = next(line.strip() for line in text.splitlines() if os.sep + "tmp" in line)
    assert not Path(folder).exists()
