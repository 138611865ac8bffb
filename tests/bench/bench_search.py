"""Print the size of the search index, and the time until the first result.

    PYTHONPATH=.:tests/tools python tests/bench/bench_search.py [language ...]

The site must have been built. `tests/tools/queries.py` prints how good results are.
"""

import gzip
import sys
from pathlib import Path

import browser
from paths import PROJECT
from playwright.sync_api import Browser, sync_playwright

SITE = PROJECT / "_build" / "html"
INDEX = "_static/cjk-search-index.js"
QUERIES = {
    "en": "gradients",
    "ko": "변화도의 평균",
    "zh_CN": "梯度平均",
    "ja": "勾配の平均",
}
NOTE_FIRST_RESULT = """
new MutationObserver((_, observer) => {
  if (document.querySelector("#search-results li")) {
    window.firstResult = performance.now();
    observer.disconnect();
  }
}).observe(document, {childList: true, subtree: true});
"""


def sizes(index: Path) -> tuple[float, float]:
    """Return kilobytes, raw and with gzip."""
    content = index.read_bytes()
    return len(content) / 1000, len(gzip.compress(content)) / 1000


def first_result(chromium: Browser, folder: Path, query: str) -> float:
    """Return milliseconds from the request to the first result, the best of five."""
    found = []
    for _ in range(5):
        page = chromium.new_page()  # with a cache of its own
        page.add_init_script(NOTE_FIRST_RESULT)
        page.goto(f"{(folder / 'search.html').as_uri()}?q={query}")
        page.wait_for_function("window.firstResult")
        found.append(page.evaluate("window.firstResult"))
        page.close()
    return min(found)


def main(languages: list[str]) -> None:
    print(f"{'':8}{'raw':>8}{'gzip':>8}{'first result':>16}")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=browser.find(window=True), args=browser.ARGUMENTS
        )
        for language in languages:
            raw, packed = sizes(SITE / language / INDEX)
            soon = first_result(chromium, SITE / language, QUERIES[language])
            print(f"{language:8}{raw:6.0f}kB{packed:6.0f}kB{soon:13.0f} ms")
        chromium.close()


if __name__ == "__main__":
    main(sys.argv[1:] or list(QUERIES))
