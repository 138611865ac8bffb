"""The live view shows a saved sentence in the open page, and what the check finds."""

import subprocess
import sys
from pathlib import Path

import pytest
from commands import SmallSite, edit, environment
from playwright.sync_api import Browser, expect

PAGE = "tutorials/part/page"


@pytest.mark.parametrize("options", [[], ["--no-run"]], ids=["run", "RUN=no"])
def test_a_saved_sentence_is_on_screen_and_checked(
    tmp_path: Path, chromium: Browser, options: list[str]
) -> None:
    site = SmallSite(tmp_path / "site")
    command = [sys.executable, "-u", "-m", "gallery_site", "--source", str(site.source)]
    live = subprocess.Popen(
        [*command, "live", "ko", "--port", "0", *options],
        env=environment({"RUNS": str(site.runs)}),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        lines = iter(live.stdout.readline, "")  # type: ignore[union-attr]
        address = next(line for line in lines if line.startswith("http")).split()[0]
        page = chromium.new_page()
        page.goto(f"{address}{PAGE}.html")
        assert site.runs.exists() == (not options)

        edit(site.po(PAGE), "문단 하나.", "고친 문단 (하나.")

        expect(page.get_by_text("고친 문단 (하나.")).to_be_visible()
        assert ".po:19: brackets:" in next(lines)
        page.context.close()
    finally:
        live.kill()
        live.wait()
