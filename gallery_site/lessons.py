"""List all lessons beside each page, by part, and lead from one to the next.

The theme lists the pages of one part, and leads through pages that hold nothing but
cards. It renders its list again for each page, which takes most of a build's time where
there are 1,000. Here the list is text that is made once for each folder, and a page
only marks its own entry in it.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment import BuildEnvironment
from sphinx.util.osutil import relative_uri

from gallery_intl.interface.lines import break_title
from gallery_intl.project import Project
from gallery_intl.text.breaks import at_colon

LINK = '<a href="{}">'
CURRENT = '<a aria-current="page" href="#">'

TITLES = "titles.json"  # what the list beside each page says
Relations = dict[str, list[Any]]  # of pages, in reading order: above, before, after


class Part(NamedTuple):
    """A page that lists lessons, or one beside such pages, which lists none."""

    page: str
    lessons: list[str]


def parts(relations: Relations, lessons: list[str]) -> list[Part]:
    """Group lessons by the pages that list them; what stands beside these is last."""
    groups: dict[str, list[str]] = {}
    for lesson in lessons:
        groups.setdefault(relations[lesson][0], []).append(lesson)
    inside = {*lessons, *(x for part in groups for x in path_to(relations, part))}
    root = next(iter(relations), None)
    beside = [page for page, (above, *_) in relations.items() if above == root]
    others = [Part(page, []) for page in beside if page not in inside]
    return [*(Part(*group) for group in groups.items()), *others]


def path_to(relations: Relations, page: str | None) -> Iterator[str]:
    """Yield a page and those above it."""
    while page:
        yield page
        page = relations[page][0]


class Lessons:
    """The lessons of one build, as its pages show them."""

    titles: dict[str, str]  # of all that is listed, as HTML
    parts: list[Part]
    around: dict[str, tuple[str | None, str | None]]
    lists: dict[str, str]  # by the folder from which they lead

    def outdated(self, app: Sphinx, env: BuildEnvironment) -> list[str]:
        """Return all pages if what is listed beside them has other titles now."""
        if app.builder.format != "html":
            return []
        self.find(app)
        listed, kept = json.dumps(self.titles), Path(app.doctreedir, TITLES)
        before = kept.read_text(encoding="utf-8") if kept.is_file() else ""
        kept.write_text(listed, encoding="utf-8")
        return [] if listed == before else sorted(env.found_docs)

    def find(self, app: Sphinx) -> None:
        builder = cast(StandaloneHTMLBuilder, app.builder)
        relations = app.env.collect_relations()
        script = Project.of(app.env).script
        order = [x for x in relations if script(x)]
        neighbours = zip(order, [None, *order], [*order[1:], None], strict=False)
        self.around = {page: (before, after) for page, before, after in neighbours}
        self.parts, self.lists = parts(relations, order), {}
        for page, lessons in self.parts:
            if lessons:  # a part's page stands before its first lesson
                self.around[page] = (self.around[lessons[0]][0], lessons[0])
        pages = (page for part in self.parts for page in (part.page, *part.lessons))
        self.titles = {
            page: builder.render_partial(app.env.titles[page])["title"]
            for page in pages
        }

    def show(
        self,
        app: Sphinx,
        pagename: str,
        _template: str,
        context: dict[str, Any],
        *_: object,
    ) -> None:
        """Give a page the list, and the lessons before and after it."""
        context["lessons"] = self.seen_from(app, pagename)
        around = self.around.get(pagename, (None, None))
        for name, page in zip(("prev", "next"), around, strict=True):
            context[name] = page and {
                "link": app.builder.get_relative_uri(pagename, page),
                "title": self.titles[page],
            }
            context[f"{name}_title"] = page and title_of_link(app, page)

    def seen_from(self, app: Sphinx, pagename: str) -> str:
        """Return the list with addresses that start at a page, its own entry marked."""
        uri = app.builder.get_target_uri(pagename)
        folder = posixpath.dirname(uri)
        base = f"{folder}/" if folder else ""
        if folder not in self.lists:
            self.lists[folder] = "".join(self.items(app, base))
        own = LINK.format(relative_uri(base, uri))
        return self.lists[folder].replace(own, CURRENT)

    def items(self, app: Sphinx, base: str) -> Iterator[str]:
        """Yield the entries of the list: parts, and below each its lessons."""

        def entry(page: str) -> str:
            link = LINK.format(relative_uri(base, app.builder.get_target_uri(page)))
            subject = at_colon(self.titles[page])[0].rstrip(":：")  # noqa: RUF001
            return f"<li>{link}{subject}</a>"

        for part in self.parts:
            below = "".join(f"{entry(lesson)}</li>\n" for lesson in part.lessons)
            yield f"{entry(part.page)}{below and f'<ul>{below}</ul>'}</li>\n"


def title_of_link(app: Sphinx, page: str) -> str:
    """Return the title of the page before or after as HTML, with its line breaks."""
    title = app.env.titles[page].deepcopy()
    break_title(app.config, title)
    builder = cast(StandaloneHTMLBuilder, app.builder)
    return str(builder.render_partial(title)["title"])
