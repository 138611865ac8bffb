"""What the tests share: Sphinx's test application, the built site, a browser."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from gettext import NullTranslations
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from paths import PROJECT, ROOTS
from serving import serve
from sphinx import search

from gallery_intl import locale
from gallery_run.ranks import AT_EXIT

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytest_plugins = ["sphinx.testing.fixtures"]
# Begun in the background of a shell, tests and what they start would ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
# Programs that a lesson starts end as in the build: AT_EXIT/sitecustomize.py says why.
os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, [str(AT_EXIT), os.environ.get("PYTHONPATH")])
)
# What is read of pages lives to the end of a file: look for garbage more seldom.
gc.set_threshold(20_000)

# Files that take 20 seconds of a processor or more begin first, else the last one runs
# alone. Those that need a browser stand between the others.
LONG = """
    test_broken_pages test_every_page test_run_downloads test_accessibility test_build
    test_site test_browser test_machines test_search test_live test_records
    test_reading_aids test_ranks test_run test_repository
"""


def pytest_xdist_auto_num_workers() -> int:
    """Run one file more at once than there are processors: some wait for a browser."""
    return min((os.cpu_count() or 1) + 1, 4)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take long, as `--dist loadfile` gives them out."""
    place = {name: number for number, name in enumerate(LONG.split())}
    items.sort(key=lambda item: place.get(item.path.stem, len(place)))


@pytest.fixture(scope="module", autouse=True)
def own_search() -> Iterator[None]:
    """Let no file index with what another's builds have told Sphinx of languages."""
    before = dict(search.languages)
    yield
    search.languages.clear()
    search.languages.update(before)


@pytest.fixture(scope="session")
def rootdir() -> Path:
    """Where ``@pytest.mark.sphinx`` finds its roots."""
    return ROOTS


@pytest.fixture(scope="session")
def site() -> Path:
    """The built site; ``make test`` builds it first."""
    folder = PROJECT / "_build" / "html"
    assert folder.is_dir(), "no site to test: run make html"
    return folder


@pytest.fixture(autouse=True, scope="module")
def no_words_of_the_file_before() -> None:
    """Begin a file in English, whatever a site of the file before was in."""
    locale.use(NullTranslations())


@pytest.fixture(scope="session")
def served(site: Path) -> Iterator[str]:
    """The address at which the site is served, below a path of its own."""
    with serve(site.parent) as address:
        yield f"{address}/{site.name}/"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One browser for all tests."""
    import browser
    from playwright.sync_api import expect, sync_playwright

    path = browser.find()
    assert path, "no browser: run python tests/tools/browser.py"
    expect.set_options(timeout=30_000)  # milliseconds; a busy machine is no defect
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=path, args=browser.ARGUMENTS
        )
        yield running
        running.close()
