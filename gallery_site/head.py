"""Begin a lesson with what it teaches, what it takes, and its downloads.

The author writes fields directly below the title, which the writer replaces by the
directives of this module::

    :Card: Each rank knows its number.
    :Learn: You will start one file four times.
    :Prerequisites: :doc:`/part/another`
    :Picture: ranks
    :Oldest torch: 2.8

``Card`` and ``Learn`` are messages like any paragraph. ``Prerequisites`` has links
only, whose text is the title of the page that they lead to.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.environment import BuildEnvironment
from sphinx.locale import _
from sphinx.util.docutils import SphinxDirective

from gallery_intl.catalogs.page_catalog import PageCatalog
from gallery_intl.catalogs.po import lang_class
from gallery_intl.page.interface_nodes import around
from gallery_intl.page.interface_nodes import line as plain_line
from gallery_intl.project import Project, joined
from gallery_intl.script.source import packages
from gallery_intl.writer.record import code_state
from gallery_intl.writer.tree import Hooks
from gallery_run import fingerprint, machine, words
from gallery_run.needs import world_size
from gallery_run.record_tabs import records_of, write_tabs
from gallery_run.records import FOLDER
from gallery_run.words import interface_line
from gallery_site import checks
from gallery_site.book.path import BEFORE
from gallery_site.downloads import FIELDS, fields_of, pinned_versions, standalone
from gallery_site.figure_steps import as_steps
from gallery_site.folds import fold_code
from gallery_site.reading import minutes

SPHINX_GALLERY = "https://sphinx-gallery.github.io"
LINKED = re.compile(r":doc:`([^`<]+)`")
NOTE = re.compile(
    r"^\.\. only:: html\n\n {4}\.\. note::\n(?: {8}.*\n|\n)+", re.MULTILINE
)
FOOTER = re.compile(r"^\.\. _sphx_glr_download_.*", re.MULTILINE | re.DOTALL)


def furnish(rst: str, catalog: PageCatalog, project: Project) -> str:
    """Replace what Sphinx-Gallery adds to a lesson, and the author's fields."""
    rst = NOTE.sub("", rst, count=1)
    rst = as_steps(fold_code(FOOTER.sub(".. lesson-foot::\n", rst)))
    return replace_fields(rst, catalog, project)


def state(project: Project, docname: str) -> str:
    """Return what changes with the records of a page, and with the code of the site."""
    folder = project.srcdir / FOLDER / project.in_gallery(docname)
    return fingerprint.digest(folder) + code_state(Path(__file__).parent)


HOOKS = Hooks(write_tabs, furnish, checks.guard, state, standalone)


def replace_fields(rst: str, catalog: PageCatalog, project: Project) -> str:
    """Replace the fields at the head of a page by directives."""
    match = FIELDS.search(rst)
    if not match:
        return rst
    fields = {name: " ".join(text.split()) for name, text in fields_of(match).items()}
    lines = [
        *card_line(fields, catalog, project),
        *(lesson_head(fields) if fields.keys() - {"Card"} else []),
    ]
    return rst[: match.start()] + "\n".join(lines) + "\n" + rst[match.end() :]


def card_line(
    fields: dict[str, str], catalog: PageCatalog, project: Project
) -> Iterator[str]:
    if text := fields.get("Card"):
        yield f".. card-line:: {catalog.translation(text) or text}"
        if catalog.is_gap(text):
            yield f"   :class: {lang_class(project.source_language)}"
        if picture := fields.get("Picture"):
            yield f"   :picture: {picture}"
        yield ""


def lesson_head(fields: dict[str, str]) -> Iterator[str]:
    yield ".. lesson-head::"
    if known := LINKED.findall(fields.get("Prerequisites", "")):
        yield f"   :know-first: {' '.join(known)}"
    if oldest := fields.get("Oldest torch"):
        yield f"   :oldest-torch: {oldest}"
    yield from ("", f"   {fields.get('Learn', '')}".rstrip(), "")


class LessonHead(SphinxDirective):
    """What a lesson teaches, its facts, what to know first, and its downloads."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {
        "know-first": directives.unchanged_required,
        "oldest-torch": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        learn = self.parse_content_to_nodes()
        for paragraph in learn:
            if isinstance(paragraph, nodes.paragraph):
                paragraph["classes"].append("learn")
                paragraph["context"] = "what a reader will have done"
        script = Project.of(self.env).script(self.env.docname)
        if self.config.gallery_intl_collect or script is None:
            return learn
        known = [*self.know_first()]
        oldest = self.options.get("oldest-torch", "")
        made_on = outputs_made_on(self.env)
        lines = [interface_line(nodes.Text(made_on), name="outputs-made")]
        if (world_size(script.text) or 1) > 1:
            lines[0]["classes"].append("by-ranks")
        return [
            *learn,
            facts(self.env, script.text, oldest),
            *known,
            buttons(self.env.docname),
            *(lines if made_on else []),
        ]

    def know_first(self) -> Iterator[nodes.Element]:
        """Yield the list of the lessons to know first, if there are any."""
        names = self.options.get("know-first", "").split()
        pages = [joined(self.env.docname, name) for name in names]
        self.env.metadata[self.env.docname][BEFORE] = pages
        if not pages:
            return
        links, _messages = self.parse_inline(
            _(", ").join(f":doc:`/{page}`" for page in pages), lineno=self.lineno
        )
        text = nodes.paragraph("", "", *links, translatable=True)
        yield nodes.field_list(
            "",
            nodes.field(
                "",
                nodes.field_name("", _("Prerequisites"), translatable=False),
                nodes.field_body("", text),
            ),
            classes=["know-first", "titles"],
        )


def facts(env: BuildEnvironment, script: str, oldest: str) -> nodes.definition_list:
    """Return a list: how long a lesson takes, how it is started, what it needs."""
    return nodes.definition_list(
        "",
        fact(_("Time"), _("%d minutes") % minutes(script)),
        fact(_("Runs as"), words.started(script)),
        fact(_("Needs"), *needs(env, script, oldest)),
        classes=["facts", "no-search"],
    )


def fact(name: str, *lines: str) -> nodes.definition_list_item:
    shown = (interface_line(nodes.Text(line), name="fact") for line in lines)
    return nodes.definition_list_item(
        "", nodes.term("", name, translatable=False), nodes.definition("", *shown)
    )


def needs(env: BuildEnvironment, script: str, oldest: str) -> Iterator[str]:
    """Yield the packages of a script, with torch's version, and what else it needs."""
    built = pinned_versions(env).get("torch", "")
    torch = f"torch {built}".strip()
    if built and oldest:
        versions = {"oldest": oldest, "built": built}
        torch = _("torch %(oldest)s or newer (here %(built)s)") % versions
    names = packages(script)
    yield _(", ").join(torch if name == "torch" else name for name in names)
    yield from words.notebook_needs(script)
    yield words.devices(script)


def buttons(docname: str) -> nodes.bullet_list:
    """Return the links to the downloads; the notebook comes first."""
    labels = {
        ".ipynb": _("Notebook %s"),
        ".py": _("Program %s"),
        ".zip": _("Both %s"),
    }
    name = PurePosixPath(docname).name
    items = []
    for suffix, label in labels.items():
        link = addnodes.download_reference(
            "",
            "",
            nodes.inline("", label % suffix),
            reftarget=f"{name}{suffix}",
            refdoc=docname,
        )
        items.append(nodes.list_item("", interface_line(link, name="button")))
    return nodes.bullet_list("", *items, classes=["downloads", "no-search"])


def outputs_made_on(env: BuildEnvironment) -> str:
    """Return where the outputs of a lesson were made."""
    project = Project.of(env)
    here = machine.read(project.srcdir / f"{env.docname}.rst")
    if here is None:
        return ""
    known = records_of(project, env.docname).values()
    return words.made_on(here, [record.machine for record in known])


class LessonFoot(SphinxDirective):
    """How long a script took, on which machine, and what made the page of it."""

    def run(self) -> list[nodes.Node]:
        if self.config.gallery_intl_collect:
            return []
        page = Project.of(self.env).srcdir / f"{self.env.docname}.rst"
        self.env.note_dependency(page.with_suffix(".cost.json"))
        classes = ["sphx-glr-footer", "sphx-glr-footer-example", "no-search"]
        return [nodes.container("", *self.lines(page), classes=classes)]

    def lines(self, page: Path) -> Iterator[nodes.Element]:
        seconds = running_time(page)
        if seconds is not None:
            text = _("Running time of the script: %.1f seconds") % seconds
            yield plain_line(nodes.Text(text), classes=["sphx-glr-timing"])
        if here := machine.read(page):
            times, device, rest = words.facts(here, self.config.language, _)
            before, _sign, after = _("Outputs from: %s").partition("%s")
            name = nodes.literal("", device, classes=["device"])
            parts = [nodes.Text(before + times), name, nodes.Text(rest + after)]
            yield interface_line(*parts, name="sphx-glr-machine")
        link = nodes.reference("", "Sphinx-Gallery", refuri=SPHINX_GALLERY)
        text = _("Gallery generated by %s")
        yield plain_line(*around(text, link), classes=["sphx-glr-signature"])


def running_time(page: Path) -> float | None:
    """Return how many seconds a page's script took when it was last run."""
    try:
        text = page.with_suffix(".cost.json").read_text(encoding="utf-8")
        return float(json.loads(text)["time"])
    except (OSError, ValueError, KeyError):
        return None
