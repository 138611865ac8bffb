"""Print Lighthouse's scores of the built site: a phone, a slow network, all languages.

    PYTHONPATH=.:tests/tools python tests/bench/bench_lighthouse.py [runs]

The site is served compressed, as a host does it. Each page is measured several times
(three unless told), and the median counts. Lighthouse comes through npx, from Node's
registry.
"""

from __future__ import annotations

import functools
import gzip
import io
import json
import os
import shutil
import statistics
import subprocess
import sys
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import BinaryIO

import browser
from paths import PROJECT

SITE = PROJECT / "_build" / "html"
LIGHTHOUSE = "lighthouse@12.8.2"
LANGUAGES = ("en", "ko", "zh_CN", "ja")
PAGES = {
    "front page": "index.html",
    "part": "tutorials/start/index.html",
    "lesson": "tutorials/start/distributed_data_parallel.html",
    "search": "search.html?q=DataParallel",
}
WANTED = {"performance": 98, "accessibility": 100, "best-practices": 100, "seo": 100}
COMPRESSED = (".html", ".css", ".js", ".svg", ".json", ".xml", ".txt")
# the locale is the browser's: Korean pages are no worse for an English one
FLAGS = ["--quiet", "--output=json", "--output-path=stdout", "--locale=en"]

Scores = dict[str, float]


class Host(SimpleHTTPRequestHandler):
    """A file server that compresses and lets browsers keep files, like a web host."""

    protocol_version = "HTTP/1.1"

    def send_head(self) -> BinaryIO | None:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if path.suffix not in COMPRESSED or not path.is_file():
            return super().send_head()
        body = gzip.compress(path.read_bytes())
        self.send_response(200)
        self.send_header("Content-Type", f"{self.guess_type(path)}; charset=utf-8")
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        return io.BytesIO(body)

    def log_message(self, *_: object) -> None:
        """Stay silent."""


def serve() -> str:
    """Serve the site while this program runs; give its address."""
    handler = functools.partial(Host, directory=str(SITE))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


def measure(url: str) -> tuple[Scores, set[str]]:
    """Give the four scores of one run, from 0 to 100, and what it finds wanting."""
    arguments = ["npx", "--yes", LIGHTHOUSE, url, *FLAGS]
    flags = "--chrome-flags=--headless=new " + " ".join(browser.ARGUMENTS)
    ended = subprocess.run(
        [*arguments, flags],
        capture_output=True,
        text=True,
        env=os.environ | {"CHROME_PATH": browser.find(window=True) or ""},
    )
    if ended.returncode:
        raise SystemExit(f"Lighthouse did not run: {ended.stderr.strip()[-500:]}")
    report = json.loads(ended.stdout)
    scores = {name: 100 * report["categories"][name]["score"] for name in WANTED}
    return scores, set(faults(report))


def faults(report: dict) -> list[str]:
    """Name the audits that cost points in a category that is not full."""
    return [
        f"{name}: {report['audits'][reference['id']]['title']}"
        for name, category in report["categories"].items()
        if name in WANTED and 100 * category["score"] < WANTED[name]
        for reference in category["auditRefs"]
        if reference["weight"]
        and (report["audits"][reference["id"]]["score"] or 0) < 0.9
    ]


def report(address: str, runs: int) -> bool:
    """Print a line for every page in every language; tell whether all are as wanted."""
    good = True
    print(f"{'':17}", *(f"{name:>15}" for name in WANTED), flush=True)
    for name, path in {"languages": "", **PAGES}.items():
        for language in LANGUAGES if path else ("",):
            measured = [measure(f"{address}{language}/{path}") for _ in range(runs)]
            scores = {
                category: statistics.median(scores[category] for scores, _ in measured)
                for category in WANTED
            }
            good &= all(scores[category] >= WANTED[category] for category in WANTED)
            line = (f"{round(score):15}" for score in scores.values())
            print(f"{name:11}{language:6}", *line, flush=True)
            for fault in sorted(set().union(*(found for _, found in measured))):
                print(f"    {fault}")
    return good


def main(runs: int) -> int:
    if not shutil.which("npx"):
        print("Lighthouse is not measured: there is no npx (install Node 20 or newer)")
        return 0
    good = report(serve(), runs)
    wanted = " / ".join(map(str, WANTED.values()))
    print(f"wanted: {wanted}" if good else f"below what is wanted: {wanted}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 3))
