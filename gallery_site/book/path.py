"""Say what a part asks for first: what its lessons have as ``:Prerequisites:``."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath
from weakref import WeakKeyDictionary

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.locale import _

from gallery_intl.page.interface_nodes import put_below_title
from gallery_intl.project import Project
from gallery_intl.text.breaks import at_colon
from gallery_run.words import interface_line

BEFORE = "know-first"  # in what Sphinx keeps of a page
Known = dict[str, list[str]]  # what each lesson asks for first, in reading order


_known: WeakKeyDictionary[BuildEnvironment, Known] = WeakKeyDictionary()


def known_first(env: BuildEnvironment) -> Known:
    """Return what the lessons say themselves, as they were when all were read."""
    if env not in _known:
        pages = env.collect_relations()
        first = {x: env.metadata[x].get(BEFORE, []) for x in pages}
        script = Project.of(env).script
        _known[env] = {x: first[x] for x in pages if script(x)}
    return _known[env]


def all_before(page: str, known: Known) -> set[str]:
    """Return what a lesson asks for, and what that asks for, and so on."""
    lessons, waiting = set[str](), [page]
    while waiting:
        new = {*known.get(waiting.pop(), ())} - lessons
        lessons |= new
        waiting += new
    return lessons


def before(pages: Iterable[str], known: Known) -> list[str]:
    """Return the lessons to know before some others; those name what is before them."""
    own = set(pages)
    asked = {x for page in own for x in known.get(page, ())} - own
    implied = {x for page in asked for x in all_before(page, known)}
    return [page for page in known if page in asked - implied]


def forget(app: Sphinx, env: BuildEnvironment) -> None:
    """Forget what the lessons said in the build before."""
    _known.pop(env, None)


def links(app: Sphinx, page: str, others: list[str]) -> list[nodes.Node]:
    """Return the subjects of lessons, each a link, with commas between them."""
    linked: list[nodes.Node] = []
    for other in others:
        subject = at_colon(app.env.titles[other].astext())[0].rstrip(":：")  # noqa: RUF001
        uri = app.builder.get_relative_uri(page, other)
        link = nodes.reference("", subject, internal=True, refuri=uri)
        linked += [*([nodes.Text(_(", "))] if linked else []), link]
    return linked


def path_line(app: Sphinx, page: str, name: str, others: list[str]) -> nodes.Element:
    """Return a line with links; ``name`` says what they are."""
    words = nodes.inline("", name, classes=["path-name"])
    return interface_line(
        words, nodes.Text(" "), *links(app, page, others), name="path"
    )


def lessons_of(folder: PurePosixPath, known: Known) -> list[str]:
    return [page for page in known if PurePosixPath(page).parent == folder]


def part_line(app: Sphinx, page: str, part: str) -> list[nodes.Element]:
    """Return the line for a part: what to know before it, if there is something."""
    known = known_first(app.env)
    first = before(lessons_of(PurePosixPath(part).parent, known), known)
    return [path_line(app, page, _("Prerequisites"), first)] if first else []


def show(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Say it below the title of a part's page, and which part it is."""
    folders = [PurePosixPath(lesson).parent for lesson in known_first(app.env)]
    part = PurePosixPath(docname)
    if part.name == "index" and part.parent in folders:
        for line in part_line(app, docname, docname):
            put_below_title(document, line)
        number = list(dict.fromkeys(folders)).index(part.parent) + 1
        words = nodes.Text(_("Part %s") % number)
        put_below_title(document, interface_line(words, name="path"))
