"""Show beside this build's outputs what other machines printed and drew.

Where a page has records (`gallery_run.records`), the outputs of each of its code
blocks stand in tabs: first those of this build, then one tab for each machine. A
record of other code than the page's is left out and named; one that was edited stops
the build.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import SphinxError
from sphinx.locale import _
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata
from sphinx_design.shared import create_component

from gallery_intl import order
from gallery_intl.page import page as pages
from gallery_intl.page.outputs import Outputs, page_outputs
from gallery_run import machine, machine_words, records
from gallery_run.machine import Machine
from gallery_run.machine_words import interface_line
from gallery_run.page_records import current, folder_of
from gallery_run.records import Output, RecordError

logger = logging.getLogger(__name__)

LABEL = "output-machine"  # the line that `gallery_run.machine_labels` puts there
OWN = "this-build"


class UntrueRecord(SphinxError):
    """A record is not what a machine has printed."""

    category = "A record cannot be shown"


class Source(NamedTuple):
    """One machine's outputs of a page."""

    name: str  # for the memory of the reader's choice: the same on all pages
    label: str
    machine: Machine
    folder: Path
    outputs: dict[int, Output]


def sources_of(folder: Path, script: str) -> Iterator[Source]:
    """Give what other machines have printed and drawn of the code that a page shows."""
    for path, record in current(folder, script):
        where = record.machine
        label = where.label if where.gpu else where.cpu
        yield Source(path.stem, label, where, folder, record.outputs)


class ShowRecords(SphinxTransform):
    """Put the outputs of a page into tabs."""

    default_priority = order.SHOW_RECORDS

    def apply(self, **kwargs: Any) -> None:
        docname = self.env.docname
        folder = folder_of(self.env, docname)
        script = pages.script_of(self.env, docname)
        here = machine.read(Path(self.env.doc2path(docname)))
        if not (folder and script and here) or pages.collects_messages(self.env):
            return
        seen(self.env)[docname] = digest(folder)
        if not (sources := list(sources_of(folder, script.text))):
            return
        blocks = records.code_blocks(script.text)
        lines = [block.line for block in blocks]
        for outputs in page_outputs(self.document, blocks):
            self.show(outputs, lines.index(outputs.line), here, sources)

    def show(
        self, own: Outputs, number: int, here: Machine, sources: list[Source]
    ) -> None:
        """Put what one code block printed and drew into tabs."""
        if not own.shown and not any(number in one.outputs for one in sources):
            return
        for node in own.shown:
            own.parent.remove(node)
        printed = [node for node in own.shown if LABEL not in node["classes"]]
        tabs = [self.tab(OWN, here.label, here, printed)]
        for one in sources:
            output = one.outputs.get(number, Output([], []))
            shown = list(self.nodes_of(output, one))
            tabs.append(self.tab(one.name, one.label, one.machine, shown))
        own.parent.insert(
            own.place,
            create_component(
                "tab-set", ["sd-tab-set", "records"], children=tabs, translatable=False
            ),
        )

    def tab(
        self, name: str, label: str, there: Machine, shown: list[nodes.Element]
    ) -> nodes.container:
        """Make one tab: its label, where its outputs came from, the outputs."""
        head = nodes.rubric("", label, classes=["sd-tab-label"], translatable=False)
        head["sync_group"], head["sync_id"] = "machine", name
        facts = machine_words.facts(there, self.config.language)
        body = shown or [interface_line(nodes.Text(_("No output")), name="no-output")]
        content = create_component(
            "tab-content",
            ["sd-tab-content"],
            children=[interface_line(*facts, name="record-facts"), *body],
        )
        return create_component(
            "tab-item", ["sd-tab-item"], children=[head, content], selected=name == OWN
        )

    def nodes_of(self, output: Output, source: Source) -> Iterator[nodes.Element]:
        """Make what a page shows of an output: figures, then text, as it always does.

        `gallery_intl.figures` translates a figure with the words of ``gallery_page``.
        """
        for figure in output.figures:
            path = source.folder / records.figure_name(source.name, figure)
            yield nodes.image(
                uri="/" + Path(os.path.relpath(path, self.env.srcdir)).as_posix(),
                alt="",
                gallery_alt=figure.alt,
                gallery_page=self.env.docname,
                classes=["sphx-glr-single-img"],
                translatable=False,
            )
        if output.lines:
            text = "\n".join(output.lines)
            yield nodes.literal_block(
                text, text, language="none", classes=["recorded-out"]
            )


def name_stale(app: Sphinx) -> None:
    """Say which records are not shown; a warning would stop a strict build."""
    galleries = [Path(app.srcdir, one) for _, one in pages.folders(app.config)]
    folder = Path(app.srcdir, app.config.gallery_intl_records)
    try:
        for line in records.stale(folder, galleries):
            logger.info(line)
    except RecordError as error:
        raise UntrueRecord(str(error)) from None


def digest(folder: Path) -> str:
    """Tell whether anything about a page's records has changed."""
    found = hashlib.sha256()
    for path in sorted(folder.glob("*")):
        found.update(path.name.encode() + path.read_bytes())
    return found.hexdigest()


def seen(env: BuildEnvironment) -> dict[str, str]:
    """Give the digest of each page's records when the page was read."""
    if not hasattr(env, "gallery_intl_records"):
        env.gallery_intl_records = {}  # type: ignore[attr-defined]
    found: dict[str, str] = env.gallery_intl_records  # type: ignore[attr-defined]
    return found


def outdated(
    app: Sphinx,
    env: BuildEnvironment,
    added: set[str],
    changed: set[str],
    removed: set[str],
) -> list[str]:
    """Give the pages whose records are not those that they were read with."""
    return [
        docname
        for docname, known in seen(env).items()
        if docname in env.found_docs
        and (folder := folder_of(env, docname)) is not None
        and digest(folder) != known
    ]


def forget(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    seen(env).pop(docname, None)


def merge(
    app: Sphinx, env: BuildEnvironment, docnames: list[str], other: BuildEnvironment
) -> None:
    seen(env).update(seen(other))


def setup(app: Sphinx) -> ExtensionMetadata:
    app.setup_extension("sphinx_design")
    app.add_config_value("gallery_intl_records", records.FOLDER, "env", str)
    app.add_transform(ShowRecords)
    app.connect("builder-inited", name_stale, priority=order.NAME_STALE_RECORDS)
    app.connect("env-get-outdated", outdated)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    return {
        "env_version": 1,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
