"""Say at the foot of a page that no GPU, or no more than one, has run it.

Every page has to be right on several GPUs, and a build seldom has one. What has run a
page is told by this build and by the page's records of its present code, so the line
goes away by itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.locale import _
from sphinx.transforms import SphinxTransform
from sphinx.util.typing import ExtensionMetadata

from gallery_intl import order
from gallery_intl.page.page import collects_messages, script_of
from gallery_intl.script.needs import needs
from gallery_run import machine
from gallery_run.machine import Machine
from gallery_run.machine_words import interface_line
from gallery_run.page_records import current, folder_of

FOOTER = "sphx-glr-footer"


def left_to_run(machines: Iterable[Machine]) -> str:
    """Say on what a page has still to run; "" once several GPUs have run it."""
    most = max((one.gpus for one in machines), default=0)
    if most == 0:
        return _("No GPU has run this page yet.")
    if most == 1:
        return _("One GPU has run this page, but several have not yet.")
    return ""


class SayWhatIsLeft(SphinxTransform):
    """Put the line at the foot of a page that uses GPUs."""

    default_priority = order.NAME_GPU_RUNS

    def apply(self, **kwargs: Any) -> None:
        docname = self.env.docname
        folder = folder_of(self.env, docname)
        script = script_of(self.env, docname)
        page = Path(self.env.doc2path(docname))
        here = machine.read(page)
        if not (folder and script and here) or collects_messages(self.env):
            return
        if not needs(script.text).uses_gpus:
            return
        self.env.note_dependency(machine.path_of(page))
        there = [record.machine for _path, record in current(folder, script.text)]
        if said := left_to_run([here, *there]):
            for footer in self.document.findall(nodes.container):
                if FOOTER in footer["classes"]:
                    line = interface_line(nodes.Text(said), name="sphx-glr-gpus")
                    footer.insert(len(footer) - 1, line)  # above the signature


def setup(app: Sphinx) -> ExtensionMetadata:
    # it reads a page again whose records have changed
    app.setup_extension("gallery_run.record_tabs")
    app.add_transform(SayWhatIsLeft)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
