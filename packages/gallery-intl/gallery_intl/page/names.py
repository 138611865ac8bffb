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
from functools import lru_cache
from typing import Any, NamedTuple

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.ext.intersphinx import InventoryAdapter
from sphinx.transforms.post_transforms import SphinxPostTransform

try:
    from sphinx_gallery._doctree_links import (  # type: ignore[import-untyped]
        code_links_block,
    )
except ImportError:  # before 0.22 names in code are linked in the written pages

    class code_links_block(nodes.TextElement):  # type: ignore[no-redef]
        """Nothing writes this node."""


DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
IN_TEXT = re.compile(rf"({DOTTED.pattern})(?:\(.*\))?", re.DOTALL)  # perhaps a call
NO_PLACE = (
    nodes.title,
    nodes.reference,
    addnodes.pending_xref,
    addnodes.download_reference,
)
Find = Callable[[str], str]  # gives the address of a full name, or ""


class CodeNames(NamedTuple):
    """The names of a block of code."""

    used: frozenset[str]  # dotted, as it writes them
    bound: frozenset[tuple[str, str]]  # with what each one stands for


@lru_cache(maxsize=512)  # the code of a page is asked several times
def code_names(code: str) -> CodeNames:
    """Return the names of a block of code; a sketch may be no Python."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError):
        return CodeNames(frozenset(), frozenset())
    return CodeNames(frozenset(written(tree)), frozenset(bindings(tree)))


class Names:
    """What the names of a page mean, by all of its code."""

    def __init__(self, codes: Iterable[str]) -> None:
        self.meanings = defaultdict[str, set[str]](set)
        self.used = set[str]()
        for names in map(code_names, codes):
            self.used |= names.used
            for name, meaning in names.bound:
                self.meanings[name].add(meaning)
        self.ends = defaultdict[str, set[str]](set)  # by the last part of a name
        for name in filter(None, map(self.full, self.used)):
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
        is_whole = isinstance(node, ast.Name | ast.Attribute) and node not in parts
        if is_whole and (name := dotted(node)):
            yield name


def dotted(node: ast.AST) -> str:
    """Return a name with its attributes; "" for those of other expressions."""
    attributes = list[str]()
    while isinstance(node, ast.Attribute):
        attributes.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([node.id, *reversed(attributes)])


def code_of(document: nodes.document) -> list[str]:
    """Return a page's blocks of Python."""
    blocks = filter(is_python, document.findall(nodes.TextElement))
    return [block.astext() for block in blocks]


def is_python(block: nodes.Node) -> bool:
    """Return whether a node is Python code; Sphinx-Gallery writes "Python"."""
    if isinstance(block, code_links_block):
        return True
    if not isinstance(block, nodes.literal_block):
        return False
    return str(block.get("language")).lower() in ("python", "py", "python3")


def finder(env: BuildEnvironment) -> Find:
    """Return what finds the address of a Python object in all inventories."""
    kinds = [
        items
        for kind, items in InventoryAdapter(env).main_inventory.items()
        if kind.startswith("py:")
    ]
    return lambda name: next((x[name].uri for x in kinds if name in x), "")


def described_names(env: BuildEnvironment, document: nodes.document) -> dict[str, str]:
    """Return the described names that a page's code uses, with their addresses."""
    names, find = Names(code_of(document)), finder(env)
    used = set(map(names.full, names.used))
    return {name: uri for name in sorted(used - {""}) if (uri := find(name))}


def link_names(app: Sphinx, document: nodes.document) -> None:
    """Link each known name once in a section of text."""
    if app.config.gallery_intl_link_names:
        link_text(document, Names(code_of(document)), finder(app.env))


class LinkOnce(SphinxPostTransform):
    """Leave one link for each imported name in a block of code."""

    default_priority = 6  # Sphinx-Gallery links the names in code at 5
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        if self.config.gallery_intl_link_names:
            blocks = list(self.document.findall(code_links_block))
            names = Names(block.astext() for block in blocks)
            for block in blocks:
                leave_one_link(block, names)


class VisitCode(SphinxPostTransform):
    """Let the linkcheck builder, which sees no links in code, visit them."""

    default_priority = 700  # linkcheck collects addresses at 800
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
