"""Read what Sphinx-Gallery generated in the project, in sources written from it.

Seen in Sphinx-Gallery 0.20 to 0.22, which has no setting for a build that only reads:
an empty ``examples_dirs`` also takes them from ``minigallery`` and from Binder.
"""

from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.transforms import SphinxTransform
from sphinx_gallery import gen_gallery  # type: ignore[import-untyped]

# its listeners that run the scripts, and report how that went
GENERATING = (gen_gallery.generate_gallery_rst, gen_gallery.summarize_failing_examples)


def stop_generating(app: Sphinx, config: Config) -> None:
    """Let a build of written sources run no script; all settings stay.

    One that generates reads no written sources, which may be below the project's.
    """
    if not config.gallery_intl_project:
        config.exclude_patterns = [*config.exclude_patterns, "_build/source"]
        return
    for event in ("builder-inited", "build-finished"):
        for listener in list(app.events.listeners[event]):
            if listener.handler in GENERATING:
                app.disconnect(listener.id)


def read_from_project(app: Sphinx) -> None:
    """Let ``minigallery`` find examples and pages where they were generated."""
    if app.config.gallery_intl_project:
        app.config.sphinx_gallery_conf["src_dir"] = app.config.gallery_intl_project


class KeepFromCatalogs(SphinxTransform):
    """Let some text be no message: links of cards, code, and outputs.

    A link shows the title of its page. Code and outputs would else be messages where
    ``gettext_additional_targets`` has literal blocks.
    """

    default_priority = 15  # after the source workaround (10), before Locale (20)

    def apply(self, **_kwargs: Any) -> None:
        for only in self.document.findall(addnodes.only):
            before = only.previous_sibling()
            if isinstance(before, nodes.raw) and "sphx-glr-thumb" in before.astext():
                for paragraph in only.findall(nodes.paragraph):
                    paragraph["translatable"] = False
        for block in self.document.findall(nodes.literal_block):
            if block.get("language") == "Python" or is_output(block):
                block["translatable"] = False


def is_output(block: nodes.literal_block) -> bool:
    """Return whether a block is what a script printed, before its class is set."""
    before = block.parent.previous_sibling()
    return isinstance(before, nodes.pending) and "sphx-glr-script-out" in (
        before.details.get("class") or ()
    )
