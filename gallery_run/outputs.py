"""Say once where the outputs of a page were made; show what other machines printed.

A sentence or two stand at the page's top, the details at its foot. Where a page has
records (`gallery_run.records`), the outputs of each of its code blocks stand in tabs:
first those of this build, then one tab for each machine.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from gallery_intl.builders import collects_messages
from gallery_intl.page.outputs import Outputs, page_outputs
from gallery_intl.page.upstream import FIGURE, FOOTER
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import SphinxError
from sphinx.locale import _
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx_design.shared import create_component

from gallery_intl import order
from gallery_intl.catalogs.po import SOURCE_LANGUAGE
from gallery_intl.page import page as pages
from gallery_intl.page.interface_nodes import with_class
from gallery_run import fingerprint, machine, records, words
from gallery_run.furniture import NEEDS
from gallery_run.machine import Machine
from gallery_run.records import Output, Record, RecordError
from gallery_run.words import interface_line

logger = logging.getLogger(__name__)

OWN = "this-build"
RECORDS = "records"  # in what Sphinx keeps of a page: a digest of its records


class UntrueRecord(SphinxError):
    """A record is not what a machine has printed."""

    category = "A record cannot be shown"


def folder_of(env: BuildEnvironment, docname: str) -> Path | None:
    """Return the folder of a page's records; None for a page that is no script's."""
    for _examples, generated in pages.folders(env.config):
        if docname.startswith(f"{generated}/"):
            name = docname.removeprefix(f"{generated}/")
            return Path(env.srcdir, env.config.gallery_intl_records, name)
    return None


class ShowMachines(SphinxTransform):
    """Name the machine at a page's top and foot; put others' outputs into tabs."""

    default_priority = order.SHOW_MACHINES

    def apply(self, **kwargs: Any) -> None:
        docname = self.env.docname
        page = Path(self.env.doc2path(docname))
        folder = folder_of(self.env, docname)
        script = pages.script_of(self.env, docname)
        here = machine.read(page)
        if not (folder and script and here) or collects_messages(self.env):
            return
        self.env.note_dependency(machine.path_of(page))
        self.env.metadata[docname][RECORDS] = fingerprint.digest(folder)
        others = records.of_page(folder, script.text)
        blocks = records.code_blocks(script.text)
        lines = [block.line for block in blocks]
        for outputs in page_outputs(self.document, blocks) if others else ():
            number = lines.index(outputs.line)
            self.show_tabs(outputs, number, here, folder, others)
        self.open([one.machine for one in others.values()], here, script.text)
        self.close(here)

    def open(self, others: list[Machine], here: Machine, script: str) -> None:
        """Say at the top where the outputs were made, and which GPUs never ran it."""
        text = nodes.Text(words.made_on(here, others, script))
        for needs in with_class(self.document, nodes.bullet_list, NEEDS):
            place = needs.parent.index(needs) + 1
            needs.parent.insert(place, interface_line(text, name="outputs-made"))

    def close(self, here: Machine) -> None:
        """Give at the foot the details of the machine of this build."""
        before, _found, after = _("Outputs from: %s").partition("%s")
        facts = words.facts(here, self.config.language)
        parts = [nodes.Text(before), *facts, nodes.Text(after)]
        for footer in with_class(self.document, nodes.container, FOOTER):
            # above the signature
            footer.insert(-1, interface_line(*parts, name="sphx-glr-machine"))

    def show_tabs(
        self,
        own: Outputs,
        number: int,
        here: Machine,
        folder: Path,
        others: dict[str, Record],
    ) -> None:
        """Put what one code block printed and drew into tabs."""
        if not own.shown and not any(number in one.outputs for one in others.values()):
            return
        for node in own.shown:
            own.parent.remove(node)
        tabs = [self.tab(OWN, here.label, here, own.shown)]
        for name, other in others.items():
            there, output = other.machine, other.outputs.get(number, Output([], []))
            shown = list(self.nodes_of(output, folder, name))
            describe_alike(own.shown, shown)
            tabs.append(self.tab(name, words.tab_label(there), there, shown))
        own.parent.insert(
            own.place,
            create_component(
                "tab-set", ["sd-tab-set", "records"], children=tabs, translatable=False
            ),
        )

    def tab(
        self, name: str, label: str, there: Machine, shown: list[nodes.Element]
    ) -> nodes.container:
        """Return one tab: its label, where its outputs came from, the outputs."""
        head = nodes.rubric("", label, classes=["sd-tab-label"], translatable=False)
        head["sync_group"], head["sync_id"] = "machine", name
        facts = words.facts(there, self.config.language)
        body = shown or [interface_line(nodes.Text(_("No output")), name="no-output")]
        content = create_component(
            "tab-content",
            ["sd-tab-content"],
            children=[interface_line(*facts, name="record-facts"), *body],
        )
        return create_component(
            "tab-item", ["sd-tab-item"], children=[head, content], selected=name == OWN
        )

    def nodes_of(
        self, output: Output, folder: Path, name: str
    ) -> Iterator[nodes.Element]:
        """Yield what a page shows of an output: figures, then text, as it always does.

        `gallery_intl.figures` translates a figure with the words of ``gallery_page``.
        """
        for figure in output.figures:
            path = folder / records.figure_name(name, figure)
            yield nodes.image(
                uri="/" + Path(os.path.relpath(path, self.env.srcdir)).as_posix(),
                alt="",
                gallery_alt=figure.alt,
                gallery_page=self.env.docname,
                classes=[FIGURE],
                translatable=False,
            )
        if output.lines:
            text = "\n".join(output.lines)
            yield nodes.literal_block(
                text, text, language="none", classes=["recorded-out"]
            )


def describe_alike(own: list[nodes.Element], others: list[nodes.Element]) -> None:
    """Give figures from elsewhere the words that describe those of the build."""
    both = ([x for x in some if isinstance(x, nodes.image)] for some in (own, others))
    for image, other in zip(*both, strict=False):
        if alt := image.get("alt"):
            other["alt"] = alt
            tag = f"language-{SOURCE_LANGUAGE}"
            other["classes"] += [name for name in image["classes"] if name == tag]


def name_stale(app: Sphinx) -> None:
    """Say which records are not shown; a warning would stop a strict build."""
    galleries = [Path(app.srcdir, one) for _, one in pages.folders(app.config)]
    folder = Path(app.srcdir, app.config.gallery_intl_records)
    try:
        for line in records.stale(folder, galleries):
            logger.info(line)
    except RecordError as error:
        raise UntrueRecord(str(error)) from None


def outdated(app: Sphinx, env: BuildEnvironment, *_changes: set[str]) -> list[str]:
    """Return the pages whose records are not those that they were read with."""
    return [
        docname
        for docname, about in env.metadata.items()
        if RECORDS in about
        and (folder := folder_of(env, docname)) is not None
        and fingerprint.digest(folder) != about[RECORDS]
    ]
