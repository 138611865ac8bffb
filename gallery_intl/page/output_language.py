"""Tell screen readers that what a program prints is not in the page's language.

Code is: its comments are translated. An output is the same in all languages, in that
of the scripts, and a voice for Korean or Japanese would spell it out.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from gallery_intl.catalogs.po import SOURCE_LANGUAGE

OUTPUT = "sphx-glr-script-out"


def mark_outputs(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Mark each output, in a box: the label that CSS puts there is translated."""
    if app.config.language == SOURCE_LANGUAGE:
        return
    for block in list(document.findall(nodes.literal_block)):
        if OUTPUT in block["classes"]:
            box = nodes.container()
            block.replace_self(box)  # and hand over classes and names
            # docutils writes this class as lang="en"
            block["classes"] = [f"language-{SOURCE_LANGUAGE}"]
            box += block


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("doctree-resolved", mark_outputs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
