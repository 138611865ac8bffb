"""Show lessons as this site's cards, and its parts as rows of them.

What a card shows is in the field list at the head of a lesson: ``:Card:``, a line that
is a message, and ``:Picture:``, the name of a pictogram.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any, ClassVar

from babel.lists import format_list
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.locale import _
from sphinx.util.docutils import SphinxDirective

from gallery_intl.page.cards import SENTENCE, SHOWN, Gallery
from gallery_intl.project import Project
from gallery_intl.text.breaks import break_at_colon
from gallery_run.needs import world_size
from gallery_site.book.path import all_before, known_first, links, part_line
from gallery_site.pictograms import pictogram
from gallery_site.reading import minutes


class CardLine(SphinxDirective):
    """The line and the pictogram of a page's card, which the page does not show.

    The writer gives the line in the reader's language; where messages are collected it
    is one.
    """

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Any]] = {
        "class": directives.class_option,
        "picture": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        known = self.env.metadata[self.env.docname]
        known["card"] = self.arguments[0]
        known["card-marks"] = self.options.get("class", [])
        known["picture"] = self.options.get("picture", "")
        if not self.config.gallery_intl_collect:
            return []
        words, messages = self.parse_inline(self.arguments[0], lineno=self.lineno)
        line = nodes.paragraph(self.arguments[0], "", *words, *messages)
        line["context"] = "line of the page's card"
        self.set_source_info(line)
        return [line]


def line(known: dict[str, Any], name: str) -> nodes.paragraph:
    """Return the line of a page's card; English stays marked."""
    classes = [name, *known.get("card-marks", ())]
    return nodes.paragraph("", known.get("card", ""), classes=classes)


def dress(app: Sphinx, made: nodes.Element, page: str) -> None:
    """Give a card its pictogram, its own line, and what the lesson takes."""
    known = app.env.metadata[page]
    if "card" not in known:
        return
    title, _sentence = made[-2:]
    break_at_colon(next(title.findall(nodes.reference)))
    facts = nodes.paragraph("", takes(app, page), classes=["card-facts"])
    text = nodes.container("", title, line(known, "intl-card-text"), facts)
    text["classes"] = ["card-words"]
    made[:] = [pictogram(known.get("picture", ""), page), text]


def takes(app: Sphinx, page: str) -> str:
    """Return what a lesson takes: minutes, and processes or ranks."""
    script = Project.of(app.env).script(page)
    if script is None:
        return ""
    ranks = world_size(script.text)
    started = _("%d ranks") % ranks if ranks else _("1 process")
    return " · ".join([_("%d min") % minutes(script.text), started])


class part_head(nodes.General, nodes.Element):
    """A placeholder for a part's heading; ``docname`` is its page, ``number`` its."""


class Parts(Gallery):
    """The lessons of each part that is listed, behind its heading, and a toctree."""

    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        indexes = [f"{name.strip()}/index" for name in self.content if name.strip()]
        known = [page for page in indexes if self.is_known(page)]
        parts = [self.part(*pair) for pair in enumerate(known, start=1)]
        return [*parts, *self.toctree(known)]

    def part(self, number: int, page: str) -> nodes.container:
        self.env.metadata[self.env.docname].setdefault(SHOWN, {})[page] = None
        folder = PurePosixPath(page).parent
        lessons = filter(self.is_known, self.expand(folder, f"/{folder}/"))
        return nodes.container(
            "",
            part_head("", docname=page, number=number),
            *map(self.make_card, lessons),
            classes=["intl-cards", "part"],
            ids=[part_id(folder.name)],
        )

    def picture(self, page: str) -> list[nodes.Node]:
        return []


def part_id(name: str) -> str:
    return nodes.make_id(f"part-{name}")


class answer(nodes.General, nodes.Element):
    """A placeholder for a route: its last lessons, and the ids of parts."""


class Answer(SphinxDirective):
    """What a reader says of today, the lessons for that, and the page's parts."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {
        "picture": directives.unchanged_required,
        "parts": directives.unchanged_required,
        "lessons": directives.unchanged_required,  # what they ask for comes before them
    }

    def run(self) -> list[nodes.Node]:
        words, messages = self.parse_inline(self.arguments[0], lineno=self.lineno)
        title = nodes.paragraph(self.arguments[0], "", *words, classes=["answer-title"])
        self.set_source_info(title)
        parts = [part_id(name) for name in self.options["parts"].split()]
        made = nodes.container(
            "",
            pictogram(self.options["picture"], self.get_location()),
            title,
            *self.parse_content_to_nodes(),
            answer("", parts=parts, lessons=self.options.get("lessons", "").split()),
            classes=["answer", "no-search"],
        )
        return [made, *messages]


def head_of(app: Sphinx, page: str, number: int, origin: str) -> nodes.container:
    """Return number, title and line of a part."""
    _sentence, _classes, heading = app.env.metadata[page][SENTENCE]
    name = nodes.paragraph("", _("Part %s") % number, classes=["part-number"])
    words = [child.deepcopy() for child in app.env.titles[page].children]
    title = nodes.rubric("", "", *words, classes=heading)
    title["heading-level"] = 3
    text = line(app.env.metadata[page], "part-text")
    first = part_line(app, origin, page)
    return nodes.container(
        "", name, title, text, *first, classes=["part-head", "no-search"]
    )


def link_of(parts: dict[str, int], language: str) -> nodes.paragraph:
    """Name parts by their numbers, given by their ids; lead to the first of them."""
    names = [_("Part %s") % number for number in parts.values()]
    text = format_list(names, locale=language)
    link = nodes.reference("", text, internal=True, refid=next(iter(parts)))
    return nodes.paragraph("", "", link, classes=["answer-parts"])


def route(app: Sphinx, docname: str, goals: list[str]) -> nodes.enumerated_list:
    """Return lessons and what they ask for, in reading order, with their minutes."""
    known = known_first(app.env)
    wanted = {goal for goal in goals if goal in known}
    wanted |= {page for goal in wanted for page in all_before(goal, known)}
    stops = nodes.enumerated_list("", classes=["route"])
    for page in (page for page in known if page in wanted):
        text = " " + takes(app, page).partition(" · ")[0]
        time = nodes.inline("", text, classes=["stop-time"])
        stop = nodes.paragraph("", "", *links(app, docname, [page]), time)
        stops += nodes.list_item("", stop)
    return stops


def fill_parts(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Replace the placeholders, once all pages are read."""
    numbers = {}
    for head in list(document.findall(part_head)):
        numbers[head.parent["ids"][0]] = head["number"]
        head.replace_self(head_of(app, head["docname"], head["number"], docname))
    for node in list(document.findall(answer)):
        known = {part: numbers[part] for part in node["parts"] if part in numbers}
        made: list[nodes.Node] = []
        if node["lessons"]:
            made.append(route(app, docname, node["lessons"]))
        if known:
            made.append(link_of(known, app.config.language))
        node.replace_self(made)
