"""Show several figures of one code block one after the other, as steps.

Radio buttons and a style sheet choose the one that is shown, so it works by keyboard
and without a script. In print all of them are below each other.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.locale import _
from sphinx.util.docutils import SphinxDirective

SEVERAL_FIGURES = ".. rst-class:: sphx-glr-horizontal\n"  # a list, as Sphinx-Gallery's
BUTTON = '<input type="radio" name="{name}" id="{name}-{number}" aria-label="{label}"{}>'
NEXT = '<label for="{name}-{number}">{label}</label>'


def as_steps(rst: str) -> str:
    """Return a page of the gallery with figures of one block in a ``figure-steps`` directive."""
    return rst.replace(SEVERAL_FIGURES, ".. figure-steps::\n")


class FigureSteps(SphinxDirective):
    """A list of images, of which one is shown."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        parts = self.parse_content_to_nodes()
        images = [image for part in parts for image in part.findall(nodes.image)]
        name = f"steps-{self.env.new_serialno('steps')}"
        box = nodes.container(classes=["figure-steps", "no-search"])
        for number, image in enumerate(images, start=1):
            label = _("Step %(number)s of %(all)s") % {
                "number": number,
                "all": len(images),
            }
            checked = " checked" if number == 1 else ""
            button = BUTTON.format(checked, name=name, number=number, label=label)
            after = NEXT.format(
                name=name, number=number % len(images) + 1, label=_("Next step")
            )
            box += nodes.raw("", button, format="html")
            box += image
            box += nodes.raw("", after, format="html")
        return [box]
