"""Tell screen readers that what a program prints is not in the page's language.

Code is: its comments are translated. An output is the same in all languages, in that
of the scripts, and a voice for Korean or Japanese would spell it out.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util.typing import ExtensionMetadata

from gallery_intl.catalogs import SOURCE_LANGUAGE

OUTPUT = "sphx-glr-script-out"


class MarkOutputs(SphinxTransform):
    """Mark each output of a script with the language of the scripts."""

    default_priority = 880  # when all that is to be translated is

    def apply(self, **kwargs: object) -> None:
        if self.config.language == SOURCE_LANGUAGE:
            return
        for block in self.document.findall(nodes.literal_block):
            if OUTPUT in block["classes"]:
                # docutils writes this class as lang="en"
                block["classes"].append(f"language-{SOURCE_LANGUAGE}")


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_transform(MarkOutputs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
