"""Install the wheel alone, and try it on a small gallery that another project has.

    python .ci/try_wheel.py [REQUIREMENT ...]

`make try-wheel` runs it after `make wheel`. The environment is new and has what the
wheel asks for, what the gallery's own scripts import, and nothing else; requirements
such as ``sphinx==8.2.3`` choose versions. It needs no make, so that it runs on Windows.
"""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
WHEELS = PROJECT / "_build" / "dist"
GALLERY = PROJECT / "tests" / "roots" / "test-signals"
OF_THE_SCRIPTS = "matplotlib"
OURS = """
extensions += ["gallery_intl"]
gallery_intl_languages = {"en": "English", "ko": "한국어"}
"""
LANGUAGES = ("en", "ko")
# what must not have come with the wheel
FOREIGN = ("torch", "gallery_run", "gallery_site", "pydata_sphinx_theme")
ABSENT = f"""import importlib.util
found = [name for name in {FOREIGN} if importlib.util.find_spec(name)]
assert not found, found
"""


class Environment:
    """A new environment, and its commands."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, with_pip=True)
        self.programs = folder / ("Scripts" if os.name == "nt" else "bin")
        # no package of the repository, and figures without a screen
        own = {"PYTHONPATH": "", "MPLBACKEND": "agg", "PYTHONUTF8": "1"}
        self.variables = os.environ | own

    def run(self, folder: Path, name: str, *arguments: str | Path) -> None:
        """Run a program of the environment; stop if it fails."""
        print("$", name, *(str(x).split("\n")[0] for x in arguments), flush=True)
        program = shutil.which(name, path=str(self.programs))
        if not program:
            sys.exit(f"the environment has no {name}")
        command = [program, *map(str, arguments)]
        done = subprocess.run(command, cwd=folder, env=self.variables, check=False)
        if done.returncode:
            sys.exit(f"{name} failed")


def wheel() -> Path:
    """Return the wheel that was built last."""
    found = sorted(WHEELS.glob("gallery_intl-*.whl"), key=lambda x: x.stat().st_mtime)
    if not found:
        sys.exit("no wheel: say make wheel")
    return found[-1]


def foreign_gallery(folder: Path) -> Path:
    """Copy the gallery, and add to its conf.py what a project adds."""
    source = folder / "docs"
    shutil.copytree(GALLERY, source)
    with (source / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write(OURS)
    return source


def code(script: str) -> str:
    """Return what a script does, without what it says of itself."""
    tree = ast.parse(script)
    return ast.dump(ast.Module(tree.body[1:], tree.type_ignores))


def faults(source: Path, site: Path) -> Iterator[str]:
    """Find what is wrong with the pages and downloads of two languages."""
    page = "auto_examples/filters/plot_smooth.html"
    for text in ("신호를 매끄럽게 하기", "값 다섯 개", "plot_smooth_001.png"):
        if text not in (site / "ko" / page).read_text(encoding="utf-8"):
            yield f"ko/{page} does not have {text!r}"
    scripts = sorted(source.glob("examples/*/*.py"))
    for language in LANGUAGES:
        for script in scripts:
            found = [*(site / language / "_downloads").rglob(script.name)]
            texts = [path.read_text(encoding="utf-8") for path in found]
            program = code(script.read_text(encoding="utf-8"))
            if len(found) != 1 or code(texts[0]) != program:
                yield f"{language}: {script.name} is offered as another program"


def main() -> None:
    """Try the wheel."""
    with tempfile.TemporaryDirectory(prefix="wheel-") as name:
        folder = Path(name)
        environment = Environment(folder / "venv")
        wanted = [wheel(), OF_THE_SCRIPTS, *sys.argv[1:]]
        quiet = ("--quiet", "--disable-pip-version-check")
        environment.run(folder, "python", "-m", "pip", "install", *quiet, *wanted)
        environment.run(folder, "python", "-c", ABSENT)
        source, site = foreign_gallery(folder), folder / "site"
        environment.run(source, "gallery-intl", "catalogs", "--", "-W")
        environment.run(source, "gallery-intl", "check")
        for language in LANGUAGES:
            options = ("-q", "-W", "-b", "html", "-D", f"language={language}")
            environment.run(source, "sphinx-build", *options, ".", site / language)
        if found := list(faults(source, site)):
            sys.exit("\n".join(found))
    print(f"{wheel().name}: installed alone, and {len(LANGUAGES)} languages built")


if __name__ == "__main__":
    main()
