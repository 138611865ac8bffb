"""Complete the templates of catalogs that Sphinx has collected from written sources.

Sphinx collects the text of the pages. Here each message gets the script that it is
from, and a comment about what it is; comments in code and the words of figures, which
Sphinx does not see, are added where they are in the script.
"""

import os
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import polib  # type: ignore[import-untyped]
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.nodes import extract_messages

from gallery_intl.catalogs import po
from gallery_intl.catalogs.labels import LABEL
from gallery_intl.figures.words import figure_messages
from gallery_intl.project import Project, Script
from gallery_intl.script.comments import Comment, comments
from gallery_intl.script.placing import Texts
from gallery_intl.script.source import directive_end
from gallery_intl.script.translate import sketches, written
from gallery_intl.text.wrapping import one_line
from gallery_intl.writer.page import ALT_TEXT, FIGURE, OPTION
from gallery_intl.writer.sphinx_gallery import GENERATED

NAMES = {
    nodes.title: "heading",
    nodes.rubric: "heading",
    nodes.caption: "caption",
    nodes.term: "term that is explained",
    nodes.image: "alt text",
    nodes.meta: "for search engines",
    nodes.math_block: "formula",
}
BADGES = "Launch binder", "Launch JupyterLite"  # alt texts that Sphinx-Gallery adds
PLACES = {
    nodes.entry: "table cell",
    nodes.footnote: "footnote",
    nodes.Admonition: "note",
    nodes.list_item: "list item",
    nodes.definition: "explanation of a term",
    nodes.block_quote: "quotation",
}


class Message(NamedTuple):
    """A message of a script's page."""

    line: int  # of the script, from 1
    text: str
    context: str


def complete_templates(app: Sphinx, error: Exception | None) -> None:
    """Complete the template of each page; drop those of no use."""
    if error or app.builder.name != "gettext" or not app.config.gallery_intl_collect:
        return
    project = Project.of(app.env)
    known = contexts(app.env)
    for path in sorted(app.outdir.rglob("*.pot")):
        domain = path.relative_to(app.outdir).with_suffix("").as_posix()
        if domain in app.env.found_docs and not project.is_to_translate(domain):
            path.unlink()
            continue
        template = po.read(path)
        default = ["interface"] if domain in po.NO_PAGE else []
        for entry in template:
            entry.comment = "\n".join(known[domain].get(entry.msgid, default))
        if script := project.script(domain):
            template = of_script(project, domain, script, template)
        elif domain not in po.NO_PAGE:
            name_origin(project, domain, template)
        else:
            for entry in template:
                entry.occurrences = [
                    (named(project, x), "") for x, _ in entry.occurrences
                ]
        if len(template):
            po.write(path, template)
        else:  # there is nothing to translate
            path.unlink()


def of_script(
    project: Project, docname: str, script: Script, template: polib.POFile
) -> polib.POFile:
    """Return the template of a script's page, in the script's order."""
    texts = Texts(script.text)
    figures = list(words_of_figures(project, docname, script))
    # Sphinx-Gallery names a figure without a title after its file
    unnamed = re.sub("[-,_]", " ", script.path.stem)
    collected = {message.text for message in figures} | {*BADGES, unnamed}
    messages = [
        Message(line_of(texts, entry.msgid), entry.msgid, entry.comment)
        for entry in template
        if entry.msgid not in collected or entry.comment != "alt text"
    ]
    messages += code_messages(script)
    messages += figures
    messages.sort(key=lambda message: message.line)
    whole = polib.POFile()
    whole.header, whole.metadata = template.header, template.metadata
    path = os.path.relpath(script.path, project.srcdir)
    contexts: dict[str, list[str]] = defaultdict(list)
    for message in messages:
        known = contexts[message.text]
        known += [x for x in message.context.split("\n") if x not in known]
    for text, uses in contexts.items():
        entry = polib.POEntry(msgid=text, occurrences=[(Path(path).as_posix(), "")])
        entry.comment = "\n".join(filter(None, uses))
        whole.append(entry)
    return whole


def line_of(texts: Texts, message: str) -> int:
    """Return the line of a script where a message of its text begins."""
    rows = (place.row for place in texts.find(written(message)))
    return 1 + next(rows, 0)


def name_origin(project: Project, docname: str, template: polib.POFile) -> None:
    """Name the file that a person wrote, such as the index of a part."""
    origin = project.origin(docname, ".rst") or project.srcdir / f"{docname}.rst"
    names = (origin.name, "GALLERY_HEADER.rst", "README.rst", "README.txt")
    paths = filter(Path.is_file, map(origin.with_name, names))
    shown = os.path.relpath(next(paths, origin), project.srcdir)
    for entry in template:
        entry.occurrences = [(Path(shown).as_posix(), "")]


def named(project: Project, path: str) -> str:
    """Return the path of a template of the project, without the folder of sources."""
    place = path.find("_templates/") if path.startswith("written/") else 0
    return path[max(place, 0) :]


def code_messages(script: Script) -> Iterator[Message]:
    """Yield the comments of a script's code, and of the sketches in its text."""
    for block in script.blocks():
        if block.kind == "code":
            for comment in comments(block.source, block.line):
                context = beside(block.source, block.line, comment)
                yield Message(comment.line, comment.message, context)
    for line, code in sketches(script.text):
        try:
            for comment in comments(code, line):
                context = beside(code, line, comment)
                yield Message(comment.line, comment.message, context)
        except SyntaxError:  # it is no Python
            continue


def beside(code: str, first: int, comment: Comment) -> str:
    """Return which code a comment is about: on its line, or below."""
    lines = code.split("\n")
    before = lines[comment.line - first][: comment.column].strip()
    after = (line.strip() for line in lines[comment.end - first + 1 :])
    below = next((line for line in after if line and not line.startswith("#")), "")
    if before:
        return f"comment beside: {before}"
    return f"comment above: {below}" if below else "comment"


def words_of_figures(
    project: Project, docname: str, script: Script
) -> Iterator[Message]:
    """Yield alt texts and words of the figures of a page, after the code that draws."""
    lines = (project.srcdir / f"{docname}.rst").read_text("utf-8").split("\n")
    starts = [block.line for block in script.blocks()]
    ends = dict(pairwise([*starts, script.text.count("\n") + 2]))
    line, waiting = 1, list[str]()
    for row, text in enumerate(lines):
        if match := GENERATED.match(text):
            line = ends.get(int(match[1]), line) - 1
        elif match := ALT_TEXT.match(text):
            rest = lines[row + 1 : directive_end(lines, row, match["indent"])]
            waiting.append(one_line(" ".join([match["text"], *rest])))
        elif match := FIGURE.match(text):
            if waiting:
                yield Message(line, waiting[0], "alt text")
            options = lines[
                row + 1 : directive_end(lines, row, " " * len(match["head"]))
            ]
            alt = "" if waiting else own_alt(match["uri"], options)
            del waiting[:1]
            path = project.srcdir / match["uri"].lstrip("/")
            is_svg = path.suffix == ".svg" and path.is_file()
            figure = path.read_text(encoding="utf-8") if is_svg else ""
            for word in figure_messages(figure, alt, script.text):
                context = LABEL if word != alt else f"{LABEL}: alt text"
                yield Message(line, word, context)
    for text in waiting:  # of figures that nobody has drawn yet
        yield Message(line, text, "alt text")


def own_alt(uri: str, options: list[str]) -> str:
    """Return the alt text that a figure has from its title or label; else ""."""
    known = (match for match in map(OPTION.match, options) if match)
    alt = next((x["value"] for x in known if x["name"] == "alt"), "")
    stem = PurePosixPath(uri).stem.removeprefix("sphx_glr_")[:-4]
    return "" if alt == stem.replace("-", " ").replace("_", " ") else alt


def contexts(env: BuildEnvironment) -> dict[str, dict[str, list[str]]]:
    """Return what the messages of all pages are, by page and message."""
    known: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for docname in sorted(env.found_docs):
        for node, message in extract_messages(env.get_doctree(docname)):
            names = known[docname].setdefault(message, [])
            if (name := context(node)) not in names:
                names.append(name)
    return known


def context(node: nodes.Node) -> str:
    if isinstance(node, nodes.Element) and "context" in node:
        return str(node["context"])
    for kind, name in NAMES.items():
        if isinstance(node, kind):
            return name
    while node.parent:
        node = node.parent
        for kind, name in PLACES.items():
            if isinstance(node, kind):
                return name
    return "paragraph"
