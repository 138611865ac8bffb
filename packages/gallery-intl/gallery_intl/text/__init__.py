"""Letters: which end markup, how wide they are, where lines and sentences end."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # what needs no Sphinx imports this package too
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata


def setup(app: Sphinx) -> ExtensionMetadata:
    from gallery_intl.text.cjk import end_markup_at_cjk

    end_markup_at_cjk()
    return {"parallel_read_safe": True, "parallel_write_safe": True}
