"""Print how large the search index is, beside Sphinx's own, and how soon it answers.

    PYTHONPATH=.:tests/tools python tests/bench/bench_search.py [language ...]

The site must have been built. Each index is built afresh, since Sphinx keeps words that
are gone; its own by the splitter for English, and by the one for the language.
"""

import gzip
import subprocess
import sys
import tempfile
from pathlib import Path

import browser
from paths import PROJECT
from playwright.sync_api import Browser, sync_playwright
from polling import wait_until

SITE = PROJECT / "_build" / "html"
QUERIES = {
    "en": "gradients",
    "ko": "변화도의 평균",
    "zh_CN": "梯度平均",
    "ja": "勾配の平均",
}
BUILD = """
import sys
from sphinx.application import Sphinx
from sphinx.cmd.build import main
if sys.argv[1]:
    Sphinx.add_search_language = lambda self, language: None
assert not main(["-q", "-b", "html", "-D", "gallery_intl_run=0", *sys.argv[2:]])
"""
NOTE_FIRST_RESULT = """
new MutationObserver((_, observer) => {
  if (document.querySelector("#search-results li")) {
    window.firstResult = performance.now();
    observer.disconnect();
  }
}).observe(document, {childList: true, subtree: true});
"""


def build_index(language: str, splitter: str, stock: bool) -> bytes:
    """Build the pages of a language, with our search or Sphinx's; give the index."""
    with tempfile.TemporaryDirectory() as out:
        settings = [f"language={language}", f"html_search_language={splitter}"]
        options = [word for setting in settings for word in ("-D", setting)]
        subprocess.run(
            [sys.executable, "-c", BUILD, "stock" * stock, *options, ".", out],
            cwd=PROJECT,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return (Path(out) / "searchindex.js").read_bytes()


def size(index: bytes) -> tuple[float, float]:
    """Give kilobytes, raw and with gzip."""
    return len(index) / 1000, len(gzip.compress(index)) / 1000


def first_result(chromium: Browser, site: Path, query: str) -> float:
    """Give milliseconds from the request to the first result, the best of five.

    The pages of a language lie in ``site``.
    """
    found = []
    for _ in range(5):
        page = chromium.new_page()  # with a cache of its own
        page.add_init_script(NOTE_FIRST_RESULT)
        page.goto(f"{(site / 'search.html').as_uri()}?q={query}")
        wait_until(page, "window.firstResult")
        found.append(page.evaluate("window.firstResult"))
        page.close()
    return min(found)


def main(languages: list[str]) -> None:
    head = f"{'':8}{'raw':>7}{'gzip':>7}   {'of en splitter':>16}{'of own':>16}"
    print(f"{head}{'first result':>15}")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=browser.find(window=True), args=browser.ARGUMENTS
        )
        for language in languages:
            own = language.partition("_")[0]
            raw, packed = size(build_index(language, own, stock=False))
            ratios = ""
            for splitter in ("en", own):
                stock, stock_packed = size(build_index(language, splitter, stock=True))
                ratios += f"{raw / stock:8.2f}{packed / stock_packed:8.2f}"
            soon = first_result(chromium, SITE / language, QUERIES[language])
            print(f"{language:8}{raw:5.0f}kB{packed:5.0f}kB   {ratios}{soon:12.0f} ms")
        chromium.close()


if __name__ == "__main__":
    main(sys.argv[1:] or list(QUERIES))
