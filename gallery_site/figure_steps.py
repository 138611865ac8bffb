"""Show several figures of one code block one after the other, as steps.

Radio buttons and a style sheet choose the one that is shown, so it works by keyboard
and without a script. In print all of them are below each other.
"""

from __future__ import annotations

from html import escape

from docutils import nodes
from sphinx.locale import _
from sphinx.util.docutils import SphinxDirective

SEVERAL_FIGURES = ".. rst-class:: sphx-glr-horizontal\n"  # a list of figures follows


def as_steps(rst: str) -> str:
    """Return a generated page whose lists of figures are ``figure-steps``."""
    return rst.replace(SEVERAL_FIGURES, ".. figure-steps::\n")


class FigureSteps(SphinxDirective):
    """A list of figures, of which one is shown."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        parts = self.parse_content_to_nodes()
        figures = [figure for part in parts for figure in part.findall(nodes.image)]
        if not figures:  # in a format that has no words to translate
            return parts
        group = f"steps-{self.env.new_serialno('figure-steps')}"
        next_step = escape(_("Next step"))
        box = nodes.container(classes=["figure-steps", "no-search"])
        for number, figure in enumerate(figures, start=1):
            values = {"number": number, "all": len(figures)}
            label = escape(_("Step %(number)s of %(all)s") % values)
            state = "checked" if number == 1 else ""
            box += raw_html(
                f'<input type="radio" name="{group}" id="{group}-{number}"'
                f' aria-label="{label}" {state}>'
            )
            box += figure
            if number < len(figures):
                following = f"{group}-{number + 1}"
                box += raw_html(f'<label for="{following}">{next_step}</label>')
        return [box]


def raw_html(text: str) -> nodes.raw:
    return nodes.raw("", text, format="html")
