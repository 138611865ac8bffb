"""Show in tabs what the code blocks of a page printed and drew on other machines.

The tabs are written into the reST of a page before Sphinx reads it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from textwrap import indent

from sphinx.util.rst import escape

from gallery_intl.project import Project
from gallery_run import machine, records
from gallery_run.machine import Machine
from gallery_run.records import Output, Record, code_blocks
from gallery_run.words import Word, facts

PIECES = re.compile(  # what Sphinx-Gallery writes before each block, and below the last
    r"^(?=\.\. (?:GENERATED FROM PYTHON SOURCE LINES |_sphx_glr_download_"
    r"|rst-class:: sphx-glr-timing))",
    re.MULTILINE,
)
FIRST_LINE = re.compile(r"\.\. GENERATED FROM PYTHON SOURCE LINES (\d+)-.*\n")
CODE = re.compile(r"^\.\. code-block:: Python\n(?:\n| +.*\n)+", re.MULTILINE)
ALT_TEXT = re.compile(r"^\.\. alt-text:: (.+(?:\n +\S.*)*)", re.MULTILINE)
SILENT = Output([], {})
OWN = "this-build"  # the choice of a machine holds for all tabs of that name
TAB_SET = """
.. interface::

   .. tab-set::
      :class: records
      :sync-group: machine
"""
TAB = """
      .. tab-item:: {label}
         :sync: {name}

         .. rst-class:: record-facts no-search

            {facts}

{body}
"""


def with_records(
    rst: str,
    script: str,
    here: Machine,
    others: Mapping[str, Record],
    url: str,
    language: str,
    _: Word,
) -> str:
    """Put the outputs of each code block into tabs: this build's, then each record's.

    ``rst`` is the page that Sphinx-Gallery made of the script; ``others`` are its
    records by the name of their folders, which are below ``url``.
    """
    if not others:
        return rst
    blocks = [block.line for block in code_blocks(script)]
    machines = {OWN: here} | {name: one.machine for name, one in others.items()}
    pieces, alts = list[str](), list[str]()
    for piece in PIECES.split(rst):
        alts += [" ".join(alt.split()) for alt in ALT_TEXT.findall(piece)]
        start = FIRST_LINE.match(piece)
        if start is None or int(start[1]) not in blocks:
            pieces.append(piece)
            continue
        before, own, after = around_outputs(piece)
        bodies = {OWN: own}
        for name, one in others.items():
            output = one.outputs.get(blocks.index(int(start[1])), SILENT)
            bodies[name] = as_rst(output, f"{url}/{name}", alts)
        del alts[: own.count(".. image-sg:: ")]
        if any(bodies.values()):
            tabs = [tab(n, machines[n], bodies[n], language, _) for n in machines]
            piece = f"{before}{TAB_SET}{''.join(tabs)}\n{after}"
        pieces.append(piece)
    return "".join(pieces)


def around_outputs(piece: str) -> tuple[str, str, str]:
    """Split the reST of a code block into what is before its outputs, they, the rest.

    They are below the code; above it on a page that is one code block.
    """
    start = piece.index("\n") + 1
    code = CODE.search(piece, start)
    first, last = code.span() if code else (start, start)
    if above := piece[start:first].strip():
        return piece[:start], above, piece[first:]
    return piece[:last], piece[last:].strip(), ""


def tab(name: str, there: Machine, body: str, language: str, _: Word) -> str:
    """Return a tab: its label, the facts about its machine, and outputs."""
    times, device, rest = facts(there, language, _)
    silent = ".. rst-class:: no-output no-search\n\n   " + _("No output")
    return TAB.format(
        label=escape(there.name if name != OWN or there.gpu else "CPU"),
        name=name,
        facts=f"{times}``{device}``{escape(rest)}",
        body=indent(body or silent, " " * 9),
    )


def as_rst(output: Output, url: str, alts: list[str]) -> str:
    """Return figures, then text, as a page shows them; ``alts`` are the author's."""
    parts = []
    for number, (name, label) in enumerate(output.figures.items()):
        alt = alts[number] if number < len(alts) else label
        options = f"   :alt: {alt}\n   :class: sphx-glr-single-img"
        parts.append(f".. image:: {url}/{name}\n{options}")
    if output.lines:
        text = indent("\n".join(output.lines), "   ")
        parts.append(f".. code-block:: none\n   :class: recorded-out\n\n{text}")
    return "\n\n".join(parts)


def records_of(project: Project, docname: str) -> dict[str, Record]:
    """Return the records that a page shows, by the names of their folders."""
    script = project.script(docname)
    folder = project.srcdir / records.FOLDER / project.in_gallery(docname)
    return records.current(folder, script.text) if script else {}


def write_tabs(rst: str, project: Project, docname: str, language: str) -> str:
    """Return the reST of a page with the outputs of its records in tabs."""
    script = project.script(docname)
    here = machine.read(project.srcdir / f"{docname}.rst")
    others = records_of(project, docname)
    if script is None or here is None or not others:
        return rst
    url = f"/{records.FOLDER}/{project.in_gallery(docname)}"

    def word(text: str) -> str:
        return project.interface_word(text, language)

    return with_records(rst, script.text, here, others, url, language, word)
