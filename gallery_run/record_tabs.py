"""Show in tabs what the code blocks of a page printed and drew on other machines.

The tabs are written into the reST of a page before Sphinx reads it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from textwrap import indent

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.locale import _ as site_word
from sphinx.util.docutils import SphinxDirective
from sphinx.util.rst import escape

from gallery_intl.builders import collects_messages
from gallery_intl.page import page as pages
from gallery_intl.page.upstream import FIGURE
from gallery_run import fingerprint, machine, records
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
.. interface-text::

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
        parts.append(f".. image:: {url}/{name}\n   :alt: {alt}\n   :class: {FIGURE}")
    if output.lines:
        text = indent("\n".join(output.lines), "   ")
        parts.append(f".. code-block:: none\n   :class: recorded-out\n\n{text}")
    return "\n\n".join(parts)


class InterfaceText(SphinxDirective):
    """Keep texts that are in the reader's language already out of the messages."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        box = nodes.Element("", *self.parse_content_to_nodes())
        for text in box.findall(nodes.TextElement):
            if isinstance(text, nodes.rubric) or "no-search" in text["classes"]:
                text["translatable"] = False
        for image in box.findall(nodes.image):
            if "gallery_alt" not in image:  # `gallery_intl.figures` then translates it
                image["gallery_alt"], image["alt"] = image["alt"], ""
                image["gallery_page"] = self.env.docname
        return box.children


def folder_of(env: BuildEnvironment, docname: str) -> Path:
    return Path(env.srcdir, records.FOLDER, pages.in_gallery(env.config, docname))


def records_of(env: BuildEnvironment, docname: str) -> dict[str, Record]:
    """Return the records that a page shows."""
    script = pages.script_of(env, docname)
    return records.current(folder_of(env, docname), script.text) if script else {}


# The listeners below are not needed once pages are written before Sphinx starts.


def write_tabs(app: Sphinx, docname: str, source: list[str]) -> None:
    """Write the tabs into a page that Sphinx is about to read."""
    env, script = app.env, pages.script_of(app.env, docname)
    here, folder = machine.read(Path(env.doc2path(docname))), folder_of(env, docname)
    if script is None or here is None or collects_messages(env):
        return
    env.metadata[docname][records.FOLDER] = fingerprint.digest(folder)
    env.note_dependency(machine.path_of(Path(env.doc2path(docname))))
    source[0] = with_records(
        source[0],
        script.text,
        here,
        records_of(env, docname),
        f"/{os.path.relpath(folder, env.srcdir)}",
        env.config.language,
        site_word,
    )
    # downloads find the line of a text in the script by its line here
    pages.page_of(env).rst = source[0].split("\n")


def outdated(app: Sphinx, env: BuildEnvironment, *_changes: set[str]) -> list[str]:
    """Return the pages whose records are not those that they were read with."""
    return [
        docname
        for docname, about in env.metadata.items()
        if records.FOLDER in about
        and fingerprint.digest(folder_of(env, docname)) != about[records.FOLDER]
    ]
