"""Run a page, and record what each of its code blocks prints and draws.

Each rank runs ``python -m gallery_run.record_page page folder ranks``; a plain program
has 0 ranks. Rank 0 writes the record into the folder. Standard error is not recorded:
warnings name files of this machine.
"""

from __future__ import annotations

import codeop
import contextlib
import io
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from gallery_intl.figures import style, svg
from gallery_intl.script.source import packages
from gallery_run import machine, records
from gallery_run.records import Output, Record, code_blocks

ANSI = re.compile(r"\x1B(?:[@-Z\\-_]|\[[0-?]*[ -/]*[@-~])")


def run_blocks(page: Path, script: str) -> tuple[dict[int, Output], dict[str, str]]:
    """Run a page block by block; return outputs by block, and figures by file name."""
    compile(script, str(page), "exec")  # a syntax error is reported with its line
    if "matplotlib" in packages(script):
        style.use()
    names = become(page).__dict__
    compiler = codeop.Compile()  # keeps the ``from __future__`` of earlier blocks
    outputs, svgs = dict[int, Output](), dict[str, str]()
    for number, block in enumerate(code_blocks(script)):
        source = "\n" * (block.line - 1) + block.source  # errors name the page's lines
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compiler(source, str(page), "exec"), names)
        output = Output(as_lines(printed.getvalue()), {})
        for drawn, alt in open_figures():
            name = f"{len(svgs) + 1}.svg"
            svgs[name], output.figures[name] = drawn, alt
        if any(output):
            outputs[number] = output
    return outputs, svgs


def become(page: Path) -> ModuleType:
    """Make a page the main module of this process and of those that it spawns."""
    main = ModuleType("__main__")
    main.__file__ = str(page)
    sys.modules["__main__"] = main
    sys.argv[:] = [str(page)]
    sys.path[0] = str(page.parent)
    os.chdir(page.parent)
    return main


def as_lines(text: str) -> list[str]:
    """Return printed text as a page shows it: without colors and tabs."""
    text = ANSI.sub("", text.expandtabs()).strip("\n")
    return text.splitlines() if text.strip() else []


def open_figures() -> Iterator[tuple[str, str]]:
    """Yield SVG and alt text of the open figures, and close them."""
    if plt := sys.modules.get("matplotlib.pyplot"):
        for figure in map(plt.figure, plt.get_fignums()):
            figure.savefig(file := io.StringIO(), format="svg")
            yield svg.finish(file.getvalue()), " ".join(figure.get_label().split())
        plt.close("all")


def main() -> None:
    page, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    ranks = int(sys.argv[3])  # Slurm sets RANK and WORLD_SIZE for plain programs too
    script = page.read_text(encoding="utf-8")
    outputs, svgs = run_blocks(page, script)
    if ranks == 0 or os.environ["RANK"] == "0":
        here = machine.take(script, ranks)
        records.write(folder, Record(script, here, outputs, svgs))


if __name__ == "__main__":
    main()
