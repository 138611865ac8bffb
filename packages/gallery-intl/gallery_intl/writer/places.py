"""Replace places in written sources, which warnings name, by what a person wrote."""

import re
from pathlib import Path

from gallery_intl.project import Project
from gallery_intl.text.wrapping import one_line
from gallery_intl.writer.sphinx_gallery import GENERATED

PLACE = re.compile(
    r"^(?P<color>(?:\x1b\[[\d;]*m)*)"  # as Sphinx prints it in a terminal and in CI
    r"(?P<path>/.*?\.rst)(?::(?P<row>\d+)(?P<translated>:<translated>:\d+)?)?(?=:)",
    re.M,
)
MARKS = " \t#*-+:|.0123456789()\"'"  # what may be before a text


def with_origins(output: str, project: Project, target: Path, language: str) -> str:
    """Return Sphinx's output with lines of scripts and catalogs as places."""

    def origin(match: re.Match[str]) -> str:
        path, row = Path(match["path"]), int(match["row"] or 1)
        if not path.is_relative_to(target) or not path.is_file():
            return match[0]
        docname = path.relative_to(target).with_suffix("").as_posix()
        lines = path.read_text(encoding="utf-8").split("\n")
        if match["translated"]:
            known = catalog_place(project, docname, language, lines, row)
        else:
            known = script_place(project, docname, lines, row)
        return match["color"] + (known or f"{project.srcdir / docname}.rst:{row}")

    listed = "included in any toctree"
    remedy = f"{listed} (add its name to an index.rst)"
    return PLACE.sub(origin, output).replace(listed, remedy)


def script_place(
    project: Project, docname: str, lines: list[str], row: int
) -> str | None:
    """Return the line of a script that a line of its page is from."""
    script = project.script(docname)
    if script is None:
        return None
    starts = [int(x[1]) for x in map(GENERATED.match, lines[:row]) if x]
    near = starts[-1] if starts else 1
    text = lines[row - 1].strip()
    rows = [at for at, x in enumerate(script.text.split("\n"), 1) if text and text in x]
    line = min(rows, key=lambda at: abs(at - near), default=near)
    return f"{script.path}:{line}"


def catalog_place(
    project: Project, docname: str, language: str, lines: list[str], row: int
) -> str | None:
    """Return the line of the catalog with the message at a line of a page."""
    catalog = project.catalog(docname, language)
    words = {x: one_line(x).lstrip(MARKS) for x in catalog.entries}
    for start in (row, row - 1, row + 1, row - 2):
        text = one_line(" ".join(lines[max(start - 1, 0) :])).lstrip(MARKS)
        messages = [x for x in words if words[x] and text.startswith(words[x])]
        if messages:
            path, line = catalog.line(max(messages, key=len)) or ("", 0)
            return f"{path}:{line}"
    return None
