"""Say on a page that its script was not run: its outputs and figures are missing."""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.locale import _
from sphinx.transforms import SphinxTransform
from sphinx.util.typing import ExtensionMetadata

from gallery_intl import order
from gallery_intl.page import page as pages


class MarkPreview(SphinxTransform):
    """Put a note below the title of each gallery page."""

    default_priority = order.MARK_PREVIEW

    def apply(self, **kwargs: object) -> None:
        if not self.config.gallery_intl_preview:
            return
        self.leave_out_figures()
        title = next(self.document.findall(nodes.title), None)
        if title is None or pages.script_of(self.env, self.env.docname) is None:
            return
        text = _("Preview: the script was not run. Outputs and figures are left out.")
        note = nodes.paragraph("", text, translatable=False, classes=["gaps"])
        title.parent.insert(title.parent.index(title) + 1, note)

    def leave_out_figures(self) -> None:
        """Remove images of what the gallery would have drawn."""
        for image in list(self.document.findall(nodes.image)):
            path, file = self.env.relfn2path(image["uri"], self.env.docname)
            generated = any(
                path.startswith(f"{gallery}/")
                for _examples, gallery in pages.folders(self.config)
            )
            if generated and not Path(file).is_file():
                image.parent.remove(image)


def setup(app: Sphinx) -> ExtensionMetadata:
    # set by the live view; a change concerns all pages
    app.add_config_value("gallery_intl_preview", False, "env", bool)
    app.add_transform(MarkPreview)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
