"""Run a page as a reader would, and note what each code block prints and draws.

The program of every rank is ``python -m gallery_run.recording page folder ranks``; a
plain program has 0 ranks. Rank 0 leaves ``record.json`` in the folder, a rank that
fails its error. Warnings do not count as printed: they name the files of this machine.
"""

from __future__ import annotations

import ast
import codeop
import contextlib
import io
import json
import os
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from gallery_intl.figures import style as figure_style
from gallery_intl.figures import svg
from gallery_intl.files import replace_file
from gallery_intl.script.source import Block, packages
from gallery_run import machine, records
from gallery_run.outcomes import script_error
from gallery_run.records import Figure, Output, Record, code_blocks, code_hash

ANSI = re.compile(r"\x1B(?:[@-Z\\-_]|\[[0-?]*[ -/]*[@-~])")


def play(page: Path, script: str) -> dict[int, Output]:
    """Run a page block by block; give what each of them printed and drew."""
    compile(script, str(page), "exec")  # a fault of the syntax, with its line
    if "matplotlib" in packages(script):
        figure_style.use()
    main = as_main(page, script)
    compiler = codeop.Compile()  # knows the ``from __future__`` of earlier blocks
    outputs = {}
    for number, block in enumerate(code_blocks(script)):
        output = run(block, str(page), compiler, main.__dict__)
        if output.lines or output.figures:
            outputs[number] = output
    return outputs


def as_main(page: Path, script: str) -> ModuleType:
    """Make a page the program of this process, for itself and what it spawns."""
    main = ModuleType("__main__", ast.get_docstring(ast.parse(script)))
    main.__file__ = str(page)
    sys.modules["__main__"] = main
    sys.argv[:] = [str(page)]
    sys.path[0] = str(page.parent)
    os.chdir(page.parent)
    return main


def run(
    block: Block, name: str, compiler: codeop.Compile, names: dict[str, Any]
) -> Output:
    """Run one code block, with its lines counted as in the script."""
    source = "\n" * (block.line - 1) + block.source
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compiler(source, name, "exec"), names)
    return Output(lines(printed.getvalue()), list(figures()))


def lines(text: str) -> list[str]:
    """Return what was printed as a page shows it: without colours and tabs."""
    text = ANSI.sub("", text.expandtabs()).strip("\n")
    return text.split("\n") if text.strip() else []


def figures() -> list[Figure]:
    plt = sys.modules.get("matplotlib.pyplot")
    if plt is None:
        return []
    saved_figures = []
    for number in plt.get_fignums():
        figure, drawn = plt.figure(number), io.StringIO()
        figure.savefig(drawn, format="svg")
        alt = " ".join(str(figure.get_label()).split())
        saved_figures.append(Figure(svg.finish(drawn.getvalue()), alt))
    plt.close("all")
    return saved_figures


def refusal(error: BaseException) -> str:
    """Return the sentence with which a page ended itself; "" for any other end."""
    said = isinstance(error, SystemExit) and isinstance(error.code, str)
    return " ".join(str(error).split()) if said else ""


def main() -> int:
    page, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    ranks = int(sys.argv[3])  # Slurm's scripts set WORLD_SIZE for all programs
    rank = int(os.environ["RANK"]) if ranks else 0
    script = page.read_text(encoding="utf-8")
    try:
        outputs = play(page, script)
    except BaseException as error:
        line, text = script_error(error, page)
        told = {"line": line, "text": text, "refusal": refusal(error)}
        # in one step: torchrun ends this rank as soon as another one has failed
        replace_file(folder / f"rank-{rank}.json", json.dumps(told).encode("utf-8"))
        return 1
    if rank == 0:
        here = machine.take(script, ranks)
        made = Record(code_hash(script), here, outputs)
        records.write(folder / "record.json", made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
