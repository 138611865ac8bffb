"""The live view: a saved edit is on the open page by itself, a fault as well."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import prepared
import psutil
import pytest
from paths import PROJECT, ROOTS
from playwright.sync_api import Browser, Error, Page, expect

from gallery_intl.catalogs import po as catalogs
from gallery_intl.files import replace_file
from gallery_site import live_build
from gallery_site.live import WRITTEN, Pages, Watcher, is_source, page_of
from gallery_site.live_build import Job, mirror, recall
from gallery_site.live_check import findings, page_at
from gallery_site.project import read_site

ROOT = ROOTS / "test-site"
PAGE = "tutorials/part/page"
NOTE = "이 미리 보기에는 출력이 없습니다."
PATIENCE = 60_000  # ms, for machines that do other things too
SAVES = """
from pathlib import Path

def setup(app):
    app.connect("build-finished", save_once)

def save_once(app, error):
    po = Path(app.confdir, "locales/ko/LC_MESSAGES/tutorials/part/page.po")
    done = Path(app.confdir, "done")
    if app.config.language == "ko" and not done.exists():
        done.touch()
        text = po.read_text(encoding="utf-8")
        po.write_text(text.replace("한 페이지", "고친 제목"), encoding="utf-8")
"""


class Session:
    """A running live view and what it has said."""

    def __init__(self, source: Path, *arguments: str, begin: Any) -> None:
        self.source, self.url = source, ""
        command = [sys.executable, "-m", "gallery_site", "--source", str(source)]
        self.out, theirs = os.pipe()
        with open(theirs, "wb") as written:
            self.process = begin(
                [*command, "live", "ko", "--port", "0", *arguments],
                stdout=written,
                stderr=written,
                env=os.environ,
                start_new_session=True,
            )
        self.said: list[str] = []
        self.news = threading.Condition()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self) -> None:
        with open(self.out, encoding="utf-8") as said:
            for line in said:
                with self.news:
                    self.said.append(line)
                    self.news.notify_all()

    def wait_for(self, pattern: str, after: int = 0, patience: int = PATIENCE) -> str:
        """Wait until a line has the pattern; give its first group, or all of it."""

        def found() -> re.Match[str] | None:
            return re.search(pattern, "".join(self.said[after:]))

        with self.news:
            assert self.news.wait_for(found, patience / 1000), "".join(self.said)
            match = found()
        return match[match.lastindex or 0]

    def wait_until_built(self) -> None:
        """Wait until all that was edited is built: no page that is opened reloads."""

        def is_built() -> bool:
            said = "".join(self.said)
            ends = max(map(said.rfind, ("all built in ", "(shown on the page,")))
            return said.rfind("\n  ") < ends  # the line of an edited file

        with self.news:
            assert self.news.wait_for(is_built, PATIENCE / 1000), "".join(self.said)

    def send(self, number: signal.Signals) -> int:
        """Send a signal to all its processes, as a terminal does; wait for its end."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)
        status = self.process.wait(PATIENCE / 1000)
        self.reader.join()
        return status


@contextlib.contextmanager
def running(
    source: Path,
    *arguments: str,
    patience: int = PATIENCE,
    begin: Any = subprocess.Popen,
) -> Iterator[Session]:
    """Run a live view until the end of the block, however it ends."""
    session = Session(source, *arguments, begin=begin)
    try:
        session.url = session.wait_for(r"(http://\S+/)", patience=patience)
        yield session
    finally:
        session.send(signal.SIGKILL)


@pytest.fixture(scope="module")
def patience() -> Iterator[None]:
    expect.set_options(timeout=PATIENCE)
    yield
    expect.set_options(timeout=30_000)


@pytest.fixture(scope="module")
def start(
    tmp_path_factory: pytest.TempPathFactory, patience: None
) -> Iterator[Callable[..., Session]]:
    """Start a live view of a copy of the small site."""
    with pytest.MonkeyPatch.context() as patch, contextlib.ExitStack() as sessions:

        def start(*arguments: str, conf: str = "", **options: Any) -> Session:
            folder = tmp_path_factory.mktemp("live")
            source = shutil.copytree(ROOT, folder / "site")
            with (source / "conf.py").open("a", encoding="utf-8") as file:
                file.write(conf)
            (folder / "torch.py").write_text("raise ImportError('no torch here')\n")
            patch.setenv("RUNS", str(folder / "runs"))
            patch.setenv("PYTHONPATH", os.pathsep.join((str(PROJECT), str(folder))))
            return sessions.enter_context(running(source, *arguments, **options))

        yield start


@pytest.fixture(scope="module")
def session(start: Callable[..., Session]) -> Session:
    """One live view for the tests that only edit, each its own words.

    It and the runs of its gallery are forks; that of the preview is begun by Python.
    """
    return start(begin=prepared.Started)


@pytest.fixture
def opened(session: Session, chromium: Browser) -> Iterator[Page]:
    """Open the page; nobody closes it: Chromium hangs if it reloads at that moment.

    It is taken off the line instead, or each edit of other tests would load it again.
    """
    page = chromium.new_page()
    session.wait_until_built()  # by the test before: else the page reloads as it loads
    page.goto(f"{session.url}{PAGE}.html")
    yield page
    session.wait_until_built()
    with contextlib.suppress(Error):  # it is just being loaded again
        page.evaluate("ws.close()")


def po(source: Path, name: str = PAGE) -> Path:
    return catalogs.po_path(source / "locales", "ko", name)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    replace_file(path, text.replace(old, new).encode())


def problems(page: Page) -> object:
    return expect(page.locator("#live-problems"))


def test_a_saved_catalog_is_on_the_open_page(session: Session, opened: Page) -> None:
    heading = opened.locator("h1")
    expect(heading).to_contain_text("한 페이지")
    so_far = len(session.said)

    edit(po(session.source), "한 페이지", "새 제목")

    expect(heading).to_contain_text("새 제목")
    session.wait_for("all built", so_far)
    # its compiled catalog is no edit: nothing is built twice
    assert "".join(session.said[so_far:]).count("page.po") == 1


def test_a_page_that_shows_its_words_follows(session: Session, opened: Page) -> None:
    opened.goto(f"{session.url}tutorials/part/index.html")
    card = opened.locator(".intl-card-text")
    expect(card).to_contain_text("페이지에는")

    edit(po(session.source), "페이지에는", "이 페이지에는")

    expect(card).to_contain_text("이 페이지에는")


def test_a_broken_catalog_is_shown_until_it_is_mended(
    session: Session, opened: Page
) -> None:
    edit(po(session.source), "\n\n", '\n\nmsgid "<b>open\n\n')

    problems(opened).to_contain_text(re.compile(r"page\.po:\d+: text without"))
    session.wait_for(r"locales/ko/LC_MESSAGES/tutorials/part/page\.po:\d+: text")
    expect(opened.locator("h1")).to_be_visible()
    opened.wait_for_timeout(3000)  # the next build is prepared, with the fault
    so_far = len(session.said)

    edit(po(session.source), '\n\nmsgid "<b>open\n\n', "\n\n")

    expect(opened.locator("#live-problems")).to_have_count(0)
    expect(opened.locator("h1")).to_be_visible()
    assert "text without" not in "".join(session.said[so_far:])


def test_a_fault_names_the_line_of_the_catalog_and_is_escaped(
    session: Session, opened: Page
) -> None:
    catalog, faulty = po(session.source), ":doc:`<i>nowhere</i> <nowhere>`"

    edit(catalog, "문단 하나.", faulty)

    problems(opened).to_contain_text(re.compile(r"page\.po:\d+: roles"))
    assert opened.locator("#live-problems i").count() == 0

    edit(catalog, faulty, "문단 하나.")

    expect(opened.locator("#live-problems")).to_have_count(0)


def test_what_the_check_finds_is_on_the_page_and_in_the_terminal(
    session: Session, opened: Page
) -> None:
    catalog, found = po(session.source), opened.locator("#live-findings")
    said = re.compile(r"tutorials/part/page\.po:\d+: literals: .+\(.+\)")

    edit(catalog, "``code``가", "``<b>cod</b>``가")

    expect(found).to_contain_text(said)
    assert found.locator("b").count() == 0
    session.wait_for(said.pattern)

    found.locator("summary").click()
    opened.reload()
    expect(found).to_have_js_property("open", False)  # it stays as it was left
    with opened.expect_request("**/live-problems?*index*") as asked:
        opened.goto(f"{session.url}index.html")
    # asked once more: a page that is loaded anew has the answer no longer
    told = opened.request.get(asked.value.url).json()
    assert told == {"problems": "", "findings": []}
    opened.goto(f"{session.url}{PAGE}.html")
    expect(found).to_have_count(1)

    edit(catalog, "``<b>cod</b>``가", "``code``가")

    expect(found).to_have_count(0)
    expect(opened.locator("h1")).to_be_visible()


def test_a_saved_script_and_a_failing_one_are_on_the_open_page(
    session: Session, opened: Page
) -> None:
    script = session.source / "gallery" / "part" / "page.py"
    output = opened.locator(".sphx-glr-script-out")

    edit(script, 'print("the output")', 'print("another output")')
    expect(output).to_contain_text("another output")

    edit(script, 'print("another output")', "1 / 0")
    problems(opened).to_contain_text("ZeroDivisionError")
    session.wait_for(r"gallery/part/page\.py:\d+: the script failed")

    edit(script, "1 / 0", 'print("a third output")')
    expect(output).to_contain_text("a third output")


def test_the_browser_asks_for_each_file_again(opened: Page) -> None:
    """An edit is seen on pages and in scripts that were open before, too."""
    with opened.expect_response(re.compile(r"\.js($|\?)")) as asked:
        page = opened.reload()

    assert asked.value.headers["cache-control"] == "no-cache"
    # unchanged on disk, it still has another number of builds
    assert page.headers["cache-control"] == "no-store"
    assert "etag" not in page.headers


def test_what_is_served_reloads_itself_and_what_lies_on_disk_does_not(
    session: Session, opened: Page
) -> None:
    assert "websocket-reload" in opened.content()
    for path in (session.source / "_build").rglob("*.html"):
        assert "websocket-reload" not in path.read_text(encoding="utf-8"), path
    assert not (session.source / "_build" / "html").exists()


def test_a_preview_runs_no_script_and_says_so(
    start: Callable[..., Session], chromium: Browser
) -> None:
    preview = start("--no-run", conf=SAVES)
    page = chromium.new_page()
    page.goto(f"{preview.url}{PAGE}.html")
    # saved when the first build was at its end, and never since
    expect(page.locator("h1")).to_contain_text("고친 제목")

    edit(po(preview.source, "sphinx"), 'msgstr "출력:"', f'msgstr "출력:"\n\n{note()}')

    expect(page.get_by_text(NOTE)).to_be_visible()
    assert page.locator(".sphx-glr-script-out").count() == 0
    assert not (preview.source.parent / "runs").exists()
    assert not (preview.source / "tutorials").exists()
    so_far = len(preview.said)
    edit(po(preview.source), "고친 제목", "미리 본 제목")
    expect(page.locator("h1")).to_contain_text("미리 본 제목")

    preview.wait_for("page built", so_far)  # and the rest is being built
    assert preview.send(signal.SIGINT) == 130
    assert not re.search("Traceback|has ended", "".join(preview.said[so_far:]))


def test_a_test_that_fails_leaves_no_live_view(tmp_path: Path) -> None:
    source = shutil.copytree(ROOT, tmp_path / "site")
    with pytest.raises(AssertionError), running(source, patience=0):
        pass

    assert not [
        process
        for process in psutil.process_iter(["cmdline"])
        if str(source) in (process.info["cmdline"] or ())
    ]


def note() -> str:
    text = "Preview: the script was not run. Outputs and figures are left out."
    return f'msgid "{text}"\nmsgstr "{NOTE}"'


def test_a_used_port_gives_one_clear_line(tmp_path: Path) -> None:
    shutil.copytree(ROOT, tmp_path / "site")
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        command = [sys.executable, "-m", "gallery_site", "--source", "site"]

        done = subprocess.run(
            [*command, "live", "ko", "--port", port],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(PROJECT)},
            capture_output=True,
            text=True,
            check=False,
        )

    assert done.returncode == 1
    assert re.fullmatch(rf"Error: port {port}: .+\(.+\)\n", done.stderr)


@pytest.fixture
def job(tmp_path: Path) -> Job:
    source = shutil.copytree(ROOT, tmp_path / "site")
    site = read_site(source)
    return Job(site, "ko", site.out / "live" / "ko", False)


@pytest.mark.parametrize(
    "name",
    [
        "locales/ko/LC_MESSAGES/a.mo",
        "locales/ko/LC_MESSAGES/.a.po.x1",
        "locales/ko/LC_MESSAGES/.#a.po",
        "locales/ko/LC_MESSAGES/a.po~",
        "locales/ko/LC_MESSAGES/4913",
        "locales/ja/LC_MESSAGES/a.po",
        "tutorials/part/page.rst",
        "_build/live/ko/html/index.html",
    ],
)
def test_only_what_people_write_is_an_edit(job: Job, name: str) -> None:
    assert not is_source(job, job.site.srcdir / name)


def test_what_people_write_is_an_edit(job: Job) -> None:
    for suffix in WRITTEN - {".po"}:
        assert is_source(job, job.site.srcdir / f"a{suffix}")
    assert is_source(job, job.catalogs / "part" / "a.po")


def test_an_edit_of_the_interface_concerns_all_pages(job: Job) -> None:
    assert page_of(job, job.catalogs / "part" / "a.po") == "part/a"
    assert page_of(job, job.catalogs / "sphinx.po") is None
    assert page_of(job, job.site.srcdir / "conf.py") is None


def test_the_findings_of_a_page_are_its_own_and_the_interfaces(job: Job) -> None:
    edit(po(job.site.srcdir), "``code``가", "``cod``가")
    edit(po(job.site.srcdir, "sphinx"), 'msgstr "출력:"', 'msgstr "출력。"')

    (interface,) = findings(job, [])
    own = findings(job, ["tutorials/part/page"])

    assert interface.startswith("locales/ko/LC_MESSAGES/sphinx.po:")
    assert interface in own
    assert [text.split(": ")[1] for text in own if text != interface] == ["literals"]
    assert findings(job, ["../ko/LC_MESSAGES/tutorials/part/page"]) == [interface]
    edit(job.catalogs / "sphinx.po", "\n\n", '\n\nmsgid "open\n\n')
    (broken,) = findings(job, [])
    assert re.search(r"sphinx\.po:\d+: broken-catalog: ", broken)


@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("/", "index"),
        ("/index.html", "index"),
        ("/tutorials/part/", "tutorials/part/index"),
        ("/tutorials/part/page.html", "tutorials/part/page"),
    ],
)
def test_an_address_names_a_page(path: str, page: str) -> None:
    assert page_at(path) == page


def test_the_sources_of_a_preview_share_all_but_what_is_made(tmp_path: Path) -> None:
    source, target = tmp_path / "a", tmp_path / "b"
    (source / "docs" / "tutorials").mkdir(parents=True)
    (source / "docs" / "a.rst").touch()
    (source / "conf.py").touch()
    made = [source / "docs" / "tutorials"]

    mirror(source, target, made)
    (source / "conf.py").unlink()
    mirror(source, target, made)

    found = {path.relative_to(target) for path in target.rglob("*")}
    assert found == {Path("docs"), Path("docs/a.rst")}


def test_after_a_fault_the_last_good_environment_is_used(tmp_path: Path) -> None:
    known, good = tmp_path / "doctrees" / "known", tmp_path / "good"
    recall(known, good)
    known.write_text("read with a fault, and never without")
    recall(known, good)
    assert not known.exists()

    good.write_text("good")
    recall(known, good)

    assert known.read_text() == "good"


@pytest.mark.parametrize(
    ("page", "files", "read"),
    [("a", {"filenames": ["a.rst"]}, ["a"]), ("not there yet", {}, ["a", "b"])],
)
def test_the_page_of_an_edit_is_built_alone_and_first(
    page: str, files: dict[str, list[str]], read: list[str], monkeypatch: Any
) -> None:
    # a new title would have all pages written, which list it beside their text
    monkeypatch.setattr(live_build.gc, "disable", lambda: None)
    monkeypatch.setattr(live_build.os, "nice", lambda _: None)
    app, changed = MagicMock(), ["a", "b"]
    app.env.found_docs, app.env.doc2path = {"a", "b"}, "{}.rst".format

    live_build.build(app, {page})
    for call in app.connect.call_args_list:
        call.args[1](app, app.env, changed)

    app.build.assert_called_once_with(**files)
    assert changed == read


def test_a_page_that_is_just_being_replaced_can_be_sent(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("what was there when it was looked up")
    found = page.stat()
    page.write_text("what is there now")

    request = {"type": "http", "headers": []}
    sent = Pages(directory=tmp_path).file_response(page, found, request)

    assert int(sent.headers["content-length"]) == page.stat().st_size


class Line:
    """The line of an open page, sent after a number of builds."""

    def __init__(self, builds: int) -> None:
        self.path_params = {"builds": builds}
        self.heard: list[str] = []

    async def send_text(self, text: str) -> None:
        self.heard.append(text)


def test_each_page_hears_of_a_build_that_it_does_not_show(job: Job) -> None:
    async def scenario() -> None:
        watcher = Watcher(job)
        watcher.process.kill()
        waiting = [asyncio.create_task(watcher.watch_reloads(each)) for each in opened]
        await asyncio.sleep(0)
        watcher.tell()
        for line in (late, newer):
            waiting.append(asyncio.create_task(watcher.watch_reloads(line)))
        await asyncio.wait(waiting, timeout=1)

    opened, late, newer = [Line(0), Line(0)], Line(0), Line(1)
    with ThreadPoolExecutor() as pool:  # Playwright has a loop of its own in this one
        pool.submit(asyncio.run, scenario()).result()
    assert [line.heard for line in (*opened, late)] == [["refresh"]] * 3
    assert newer.heard == []


def test_a_process_that_was_killed_is_named(job: Job) -> None:
    watcher = Watcher(job)
    watcher.process.kill()

    watcher.build(set())

    assert "has ended" in watcher.problems
