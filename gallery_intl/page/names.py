"""Lead from the names of other projects, in code and in text, to their documentation.

Where a name is documented is read off the inventories that ``sphinx.ext.intersphinx``
has loaded, so that no build needs a network if they are files of the project. In code
Sphinx-Gallery makes the links: wherever a name comes again, from variables to their
classes and from own classes to their bases. Here one for each name that was imported is
left. In text a literal becomes a link if it is a name of the page's code.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.environment import BuildEnvironment
from sphinx.ext.intersphinx import InventoryAdapter
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform

from gallery_intl import order
from gallery_intl.builders import collects_messages
from gallery_intl.page.outputs import is_python
from gallery_intl.page.upstream import linked_code

DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
IN_TEXT = re.compile(rf"({DOTTED.pattern})(?:\(.*\))?", re.DOTALL)  # perhaps a call
NO_PLACE = (
    nodes.title,
    nodes.reference,
    addnodes.pending_xref,
    addnodes.download_reference,
)
Find = Callable[[str], str]  # gives the address of a full name, or ""


class Names:
    """What the names of a page mean, by all of its code."""

    def __init__(self, trees: Iterable[ast.Module]) -> None:
        self.meanings = defaultdict[str, set[str]](set)
        used = set[str]()
        for tree in trees:
            used.update(written(tree))
            for name, meaning in bindings(tree):
                self.meanings[name].add(meaning)
        self.ends = defaultdict[str, set[str]](set)  # by the last part of a name
        for name in filter(None, map(self.full, used)):
            self.ends[name.rpartition(".")[2]].add(name)

    def full(self, name: str) -> str:
        """Return what a name of the code stands for; "" if that is not sure."""
        first, dot, rest = name.partition(".")
        meanings = self.meanings.get(first, set())
        meaning = "".join(meanings) if len(meanings) == 1 else ""
        return f"{meaning}{dot}{rest}" if meaning else ""

    def in_text(self, name: str) -> str:
        """Return what a name in the text stands for; it may be the last part alone."""
        if full := self.full(name):
            return full
        ends = self.ends.get(name, set())
        is_own = name in self.meanings or "." in name
        return "".join(ends) if len(ends) == 1 and not is_own else name


def bindings(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield each name that code defines, and what it stands for; "" if its own."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                for name, other in ((alias.name, alias.asname) for alias in names):
                    first = name.partition(".")[0]
                    yield (other, name) if other else (first, first)
            case ast.ImportFrom(module=str(module), names=names, level=0):
                for alias in names:
                    yield alias.asname or alias.name, f"{module}.{alias.name}"
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name, ""
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
                | ast.ExceptHandler(name=str(name))
            ):
                yield name, ""


def written(tree: ast.Module) -> Iterator[str]:
    """Yield the dotted names that code uses, as it writes them."""
    parts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and node not in parts:
            name = ast.unparse(node)
            if DOTTED.fullmatch(name):
                yield name


def parsed(codes: Iterable[str]) -> Iterator[ast.Module]:
    """Yield the trees of code; a sketch may be no Python."""
    for code in codes:
        with suppress(SyntaxError, ValueError):
            yield ast.parse(code)


def code_of(document: nodes.document) -> Iterator[ast.Module]:
    """Yield the trees of a page's Python."""
    blocks = filter(is_python, document.findall(nodes.literal_block))
    yield from parsed(block.astext() for block in blocks)


def finder(env: BuildEnvironment) -> Find:
    """Return what finds the address of a Python object in all inventories."""
    kinds = [
        items
        for kind, items in InventoryAdapter(env).main_inventory.items()
        if kind.startswith("py:")
    ]
    return lambda name: next((x[name].uri for x in kinds if name in x), "")


def inventory_files(env: BuildEnvironment) -> Iterator[Path]:
    """Yield the inventories that are files of the project."""
    mapping = getattr(env.config, "intersphinx_mapping", {})
    for _name, (_uri, places) in mapping.values():
        paths = (Path(env.srcdir, place) for place in places if place)
        yield from filter(Path.is_file, paths)


def described_names(env: BuildEnvironment, document: nodes.document) -> dict[str, str]:
    """Return the described names that a page's code uses, with their addresses."""
    trees = list(code_of(document))
    names, find = Names(trees), finder(env)
    used = {names.full(name) for tree in trees for name in written(tree)}
    return {name: uri for name in sorted(used - {""}) if (uri := find(name))}


class LinkNames(SphinxTransform):
    """Link each known name once in a section of text."""

    default_priority = order.LINK_NAMES

    def apply(self, **kwargs: Any) -> None:
        if not self.config.gallery_intl_link_names or collects_messages(self.env):
            return
        for path in inventory_files(self.env):
            self.env.note_dependency(path)
        link_text(self.document, Names(code_of(self.document)), finder(self.env))


class LinkOnce(SphinxPostTransform):
    """Leave one link for each imported name in a block of code."""

    default_priority = order.LINK_ONCE
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        if self.config.gallery_intl_link_names:
            blocks = list(linked_code(self.document))
            names = Names(parsed(block.astext() for block in blocks))
            for block in blocks:
                leave_one_link(block, names)


class VisitCode(SphinxPostTransform):
    """Let the linkcheck builder, which sees no links in code, visit them."""

    default_priority = order.VISIT_CODE
    builders = ("linkcheck",)

    def run(self, **kwargs: Any) -> None:
        for uri in sorted({*described_names(self.env, self.document).values()}):
            self.document += nodes.reference("", "", refuri=uri)


def leave_one_link(block: nodes.TextElement, names: Names) -> None:
    """Take the links out of a block that stand at own names, or not at the first."""
    seen = set[str]()
    for link in list(block.findall(nodes.reference)):
        name = names.full(link.astext())
        if not name or name in seen:
            place = block.index(link)
            block[place : place + 1] = link.children
        seen.add(name)
        link["classes"] = []
        link.attributes.pop("reftitle", None)


def link_text(document: nodes.document, names: Names, find: Find) -> None:
    """Link a name in the text where a section first has it."""
    seen = set[tuple[nodes.Node | None, str]]()
    for literal in list(document.findall(nodes.literal)):
        around = list(parents(literal))
        match = IN_TEXT.fullmatch(literal.astext())
        if literal["classes"] or not match or any(map(is_no_place, around)):
            continue
        section = next((x for x in around if isinstance(x, nodes.section)), None)
        uri = find(names.in_text(match[1]))
        if uri and (section, uri) not in seen:
            seen.add((section, uri))
            link = nodes.reference("", "", refuri=uri)
            literal.replace_self(link)
            link += literal


def parents(node: nodes.Node) -> Iterator[nodes.Element]:
    """Yield what is around a node, from the inside."""
    while (parent := node.parent) is not None:
        yield parent
        node = parent


def is_no_place(node: nodes.Element) -> bool:
    """Return whether nothing inside is linked: links, headings, our own words."""
    return isinstance(node, NO_PLACE) or not node.get("translatable", True)
