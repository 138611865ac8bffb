"""Fold code that is not the subject of a page: the start of ranks, and figures."""

from __future__ import annotations

from docutils import nodes
from sphinx.locale import _
from sphinx.util.docutils import SphinxDirective

from gallery_intl.page.directives import code_fold
from gallery_intl.writer.sphinx_gallery import CODE, code_block

START, FIGURE = "start", "figure"


def subject_of(code: str) -> str:
    """Return what code that a page folds is about; "" for other code."""
    if '"RANK" not in os.environ' in code and "init_process_group(" in code:
        return START
    return FIGURE if "plt.subplots(" in code else ""


def fold_code(rst: str) -> str:
    """Return a page of the gallery with such code in ``code-fold`` directives."""
    lines, folded, row = rst.split("\n"), list[str](), 0
    while row < len(lines):
        block = code_block(lines, row)
        subject = subject_of(block.code) if block else ""
        if not block or not subject:
            folded.append(lines[row])
            row += 1
            continue
        start = lines.index(CODE, row)
        code = [f"   {line}".rstrip() for line in lines[start : block.end]]
        folded += [*lines[row:start], f".. code-fold:: {subject}", "", *code, ""]
        row = block.end
    return "\n".join(folded)


class CodeFold(SphinxDirective):
    """Code that readers open to see it; the argument is its subject."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        titles = {
            START: _("Start the ranks: the same lines in every lesson"),
            FIGURE: _("The code of the figure"),
        }
        content = self.parse_content_to_nodes()
        return [code_fold(titles[self.arguments[0]], *content)]
