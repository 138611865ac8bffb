"""State beside each output the machine that it came from.

A word or two stand at each output ("CPU, 4 processes"), the whole at the foot of the
page. A run of the gallery notes it (`gallery_run.machine`); what was not run says
nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.locale import _
from sphinx.transforms import SphinxTransform
from sphinx.util.typing import ExtensionMetadata

from gallery_intl import order
from gallery_intl.page.outputs import page_outputs
from gallery_intl.page.page import collects_messages, script_of
from gallery_run import machine, machine_words
from gallery_run.machine_words import interface_line

FOOTER = "sphx-glr-footer"


class LabelOutputs(SphinxTransform):
    """Put the labels at the outputs and the line at the foot."""

    default_priority = order.LABEL_MACHINE

    def apply(self, **kwargs: Any) -> None:
        page = Path(self.env.doc2path(self.env.docname))
        script = script_of(self.env, self.env.docname)
        found = machine.read(page)
        if not (script and found) or collects_messages(self.env):
            return
        self.env.note_dependency(machine.path_of(page))
        for outputs in page_outputs(self.document, script.blocks()):
            if outputs.shown:
                label = nodes.Text(machine_words.short(found))
                line = interface_line(label, name="output-machine")
                outputs.parent.insert(outputs.place, line)
        facts = machine_words.facts(found, self.config.language)
        for footer in self.document.findall(nodes.container):
            if FOOTER in footer["classes"]:
                footer.insert(len(footer) - 1, self.foot(facts))  # above the signature

    def foot(self, facts: list[nodes.Node]) -> nodes.paragraph:
        """Say in one line where the outputs of the page came from."""
        before, _found, after = _("Outputs from: %s").partition("%s")
        parts = [nodes.Text(before), *facts, nodes.Text(after)]
        return interface_line(*parts, name="sphx-glr-machine")


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_transform(LabelOutputs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
