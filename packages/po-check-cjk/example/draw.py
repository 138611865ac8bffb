"""Run po-check-cjk on the example, and draw what the terminal shows: output.svg."""

from __future__ import annotations

import html
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ARGUMENTS = ["po", "--glossary", "glossary.csv"]
LINE, LETTER, MARGIN = 20, 7.3, 16  # pixels


def lines() -> list[str]:
    """Return the command and its output."""
    command = [sys.executable, "-m", "po_check_cjk", *ARGUMENTS]
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True)
    shown = f"$ po-check-cjk {' '.join(ARGUMENTS)}\n{done.stdout}{done.stderr}"
    return shown.splitlines()


def drawing(texts: list[str]) -> str:
    width = round(max(map(len, texts)) * LETTER) + 2 * MARGIN
    height = len(texts) * LINE + 2 * MARGIN
    rows = "\n".join(
        f'<text x="{MARGIN}" y="{MARGIN - 5 + LINE * row}">{html.escape(text)}</text>'
        for row, text in enumerate(texts, start=1)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        ' font-family="ui-monospace, Menlo, Consolas, monospace" font-size="12"'
        f' fill="#e6edf3">\n<rect width="{width}" height="{height}" rx="8"'
        f' fill="#161b22"/>\n{rows}\n</svg>\n'
    )


if __name__ == "__main__":
    (HERE / "output.svg").write_text(drawing(lines()), encoding="utf-8")
