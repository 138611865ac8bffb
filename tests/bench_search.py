"""Print how large the search index is, beside Sphinx's own, and how soon it answers.

    PYTHONPATH=. python tests/bench_search.py [language ...]

The site must have been built. Sphinx's own index is built twice for each language: by
its splitter for English, and by the one that it has for the language.
"""

import gzip
import subprocess
import sys
import tempfile
from pathlib import Path

import browser
from playwright.sync_api import Browser, sync_playwright

PROJECT = Path(__file__).parent.parent
SITE = PROJECT / "_build" / "html"
QUERIES = {
    "en": "gradients",
    "ko": "변화도의 평균",
    "zh_CN": "梯度平均",
    "ja": "勾配の平均",
}
BUILD = """
import sys
import gallery_intl
gallery_intl.FEATURES = [x for x in gallery_intl.FEATURES if x != "search"]
from sphinx.cmd.build import main
assert not main(["-q", "-b", "html", "-D", "gallery_intl_run=0", *sys.argv[1:]])
"""
NOTE_FIRST_RESULT = """
new MutationObserver((_, observer) => {
  if (document.querySelector("#search-results li")) {
    window.firstResult = performance.now();
    observer.disconnect();
  }
}).observe(document, {childList: true, subtree: true});
"""


def sphinxs_own(language: str, splitter: str) -> bytes:
    """Build the pages of a language with Sphinx's search; give the index."""
    with tempfile.TemporaryDirectory() as out:
        settings = [f"language={language}", f"html_search_language={splitter}"]
        options = [word for setting in settings for word in ("-D", setting)]
        subprocess.run(
            [sys.executable, "-c", BUILD, *options, ".", out],
            cwd=PROJECT,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return (Path(out) / "searchindex.js").read_bytes()


def size(index: bytes) -> tuple[float, float]:
    """Give kilobytes, raw and with gzip."""
    return len(index) / 1000, len(gzip.compress(index)) / 1000


def first_result(chromium: Browser, language: str) -> float:
    """Give milliseconds from the request to the first result, the best of five."""
    found = []
    for _ in range(5):
        page = chromium.new_page()  # with a cache of its own
        page.add_init_script(NOTE_FIRST_RESULT)
        address = (SITE / language / "search.html").as_uri()
        page.goto(f"{address}?q={QUERIES[language]}")
        page.wait_for_function("window.firstResult")
        found.append(page.evaluate("window.firstResult"))
        page.close()
    return min(found)


def main(languages: list[str]) -> None:
    head = f"{'':8}{'raw':>7}{'gzip':>7}   {'of en splitter':>16}{'of own':>16}"
    print(f"{head}{'first result':>15}")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=browser.find(), args=browser.ARGUMENTS
        )
        for language in languages:
            raw, packed = size((SITE / language / "searchindex.js").read_bytes())
            ratios = ""
            for splitter in ("en", language.partition("_")[0]):
                stock, stock_packed = size(sphinxs_own(language, splitter))
                ratios += f"{raw / stock:8.2f}{packed / stock_packed:8.2f}"
            soon = first_result(chromium, language)
            print(f"{language:8}{raw:5.0f}kB{packed:5.0f}kB   {ratios}{soon:12.0f} ms")
        chromium.close()


if __name__ == "__main__":
    main(sys.argv[1:] or list(QUERIES))
