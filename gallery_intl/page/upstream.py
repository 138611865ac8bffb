"""What Sphinx-Gallery writes into a page, as seen in its version 0.22.1.

It promises none of this, and a name that changed raises nothing: things are only not
found any more. So `tests/build/test_upstream_page.py` asks the installed version.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx_gallery.gen_gallery import (  # type: ignore[import-untyped]
    generate_gallery_rst,
)
from sphinx_gallery.py_source_parser import (  # type: ignore[import-untyped]
    IGNORE_BLOCK_PATTERN,
    remove_config_comments,
    remove_ignore_blocks,
)

try:
    from sphinx_gallery._doctree_links import (  # type: ignore[import-untyped]
        code_links_block,
    )
except ImportError:  # before 0.22 names in code are linked in the written pages

    class code_links_block(nodes.TextElement):  # type: ignore[no-redef]
        """Nothing writes this node."""


# Its listener that runs the scripts and writes their pages into the source folder.
GENERATOR = generate_gallery_rst

# The note above the title, that links to the end of the page. It is in an ``only``.
NOTE = "sphx-glr-download-link-note"
# The container at the end of a page, in an ``only`` too, and in it a box for each
# download, whose last class tells the kind: ``sphx-glr-download-python``. Beside the
# boxes stand the badges of Binder and JupyterLite, which are not ours.
FOOTER = "sphx-glr-footer"
BOX = "sphx-glr-download"
# Paragraphs below the author's text: how long the script took, its tags, the signature.
# The one that says how much memory it took has no class.
LINES = ("sphx-glr-timing", "sphx-glr-example-tags", "sphx-glr-signature")
MEMORY = re.compile(r"Estimated memory usage: +[\d.]+ MB")
TIME = re.compile(r".+ \((?P<minutes>\d+) minutes (?P<seconds>[\d.]+) seconds\)", re.S)
TAGS_SIGN = "🏷"
TAGS = re.compile(rf"{TAGS_SIGN} Tags: (.+)", re.S)
# What stands above examples that are like the one of the page.
RELATED, RELATED_FILE = "Related examples", ".recommendations"
# The raw HTML of a card: what opens it, and what shows its title.
TOOLTIP = re.compile(r'(class="sphx-glr-thumbcontainer"[^>]* ?tooltip=")[^"]*(")')
CARD_TITLE = re.compile(r'(<div class="sphx-glr-thumbnail-title">).*?(</div>)', re.S)
# The pages of computation times, and what each says of all.
TIMES = "sg_execution_times"
TOTAL = re.compile(
    r"(?P<time>\S+) total execution time for (?P<count>\d+) files? from (?P<where>.+):"
)
SERVICES = re.compile(r"in your browser via (.+)\.")
CODE = re.compile(r"Download (.+) source code")
# What a code block printed, what it drew, and on whatever a page begins with.
OUTPUT = "sphx-glr-script-out"
FIGURE = "sphx-glr-single-img"
EXAMPLE_TITLE = "sphx-glr-example-title"
PREFIX = "sphx-glr"
# Where Matplotlib's directive ``plot`` writes, beside the folder of doctrees.
PLOTS = "plot_directive"

# The comment before each block of a page, and the labels before its first text and
# before its footer, as lines of reST.
GENERATED = re.compile(r"\.\. GENERATED FROM PYTHON SOURCE LINES (\d+)-\d+")
LABEL = ".. _sphx_glr_"
FOOTER_LABEL = f"{LABEL}download_"


def block_line(comment: nodes.comment) -> int | None:
    """Return the script's line of the block that follows; None for another comment."""
    match = GENERATED.match(f".. {comment.astext()}")
    return int(match[1]) if match else None


def furniture(document: nodes.document, docname: str) -> Iterator[nodes.Element]:
    """Yield what stands on a page beside the author's text: all of some pages."""
    if is_times(docname):
        yield document
        return
    for node in document.findall(nodes.Element):
        names = {NOTE, FOOTER, *LINES}.intersection(node["classes"])
        is_memory = isinstance(node, nodes.paragraph) and MEMORY.match(node.astext())
        if names or is_memory or is_related(node):
            yield node


def with_tooltip(html: str, text: str) -> str:
    """Return the HTML that opens a card with another tooltip."""
    return TOOLTIP.sub(lambda match: f"{match[1]}{text}{match[2]}", html)


def with_title(html: str, text: str) -> str:
    """Return the HTML of a card's title with another title."""
    return CARD_TITLE.sub(lambda match: f"{match[1]}{text}{match[2]}", html)


def is_related(node: nodes.Element) -> bool:
    """Return whether a node is the heading above related examples."""
    is_heading = isinstance(node, nodes.rubric) and node.astext() == RELATED
    return is_heading and str(node.source).endswith(RELATED_FILE)


def is_times(docname: str) -> bool:
    """Return whether a page says how long scripts took."""
    return docname.rpartition("/")[2] == TIMES


def services(note: str) -> list[str]:
    """Return where a note says that an example is run: JupyterLite, Binder."""
    match = SERVICES.search(" ".join(note.split()))
    return match[1].split(" or ") if match else []


def language_of_code(label: str) -> str:
    """Return the programming language of a download's label, if it names one."""
    match = CODE.fullmatch(label)
    return "" if match is None or "all examples" in label else match[1]


def tags(text: str) -> str:
    """Return the tags of a line that lists them."""
    match = TAGS.fullmatch(text)
    return match[1] if match else ""


def running_time(text: str) -> dict[str, str]:
    """Return minutes and seconds of a line that says how long the script took."""
    match = TIME.fullmatch(text)
    return match.groupdict() if match else {}


def total_time(text: str) -> dict[str, str]:
    """Return what a page of computation times says of all."""
    match = TOTAL.fullmatch(text)
    return match.groupdict() if match else {}


def linked_code(document: nodes.document) -> Iterator[nodes.TextElement]:
    """Yield the blocks of code that are written with links, as page and not as text."""
    yield from document.findall(code_links_block)


def shown(code: str, settings: dict[str, Any]) -> str:
    """Return what a page shows of a code block, as docutils gives it back."""
    code = remove_ignore_blocks(code)
    if settings.get("remove_config_comments"):
        code = remove_config_comments(code)
    lines = (f"    {line}".expandtabs(8)[4:].rstrip() for line in code.split("\n"))
    return "\n".join(lines).strip("\n")


def without_ignored(code: str) -> str:
    """Return a code block with empty lines in place of those that no page shows."""
    return str(IGNORE_BLOCK_PATTERN.sub(lambda x: "\n" * x[0].count("\n"), code))
