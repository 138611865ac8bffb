"""Lead from the names of other projects, in code and in text, to their documentation.

Where a name is documented is read off the inventories that ``sphinx.ext.intersphinx``
has loaded, so that no build needs a network if they are files of the project. In code
Sphinx-Gallery makes the links: wherever a name comes again, from variables to their
classes and from own classes to their bases. Here one for each name that was imported is
left. In text a literal becomes a link if it is a name of the page's code.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.ext.intersphinx import InventoryAdapter
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_gallery.backreferences import NameFinder  # type: ignore[import-untyped]

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


class Finder(NameFinder):  # type: ignore[misc]
    """Find the names that code imports and uses, but no relative imports."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if not node.level:
            super().visit_ImportFrom(node)


class Names:
    """What the names of a page mean, by all of its code."""

    def __init__(self, codes: Iterable[str]) -> None:
        self.own, accessed = set[str](), set[str]()
        self.imports = defaultdict[str, set[str]](set)
        for tree in filter(None, map(parsed, codes)):
            finder = Finder()
            finder.visit(tree)
            self.own.update(own_names(tree))
            accessed |= finder.accessed_names
            for name, full in finder.imported_names.items():
                # import torch.distributed binds "torch"
                first, dot, _rest = name.partition(".")
                self.imports[first].add(first if dot else full)
        self.used = set(map(self.full, accessed)) - {""}
        self.ends = defaultdict[str, set[str]](set)  # by the last part of a name
        for name in self.used:
            self.ends[name.rpartition(".")[2]].add(name)

    def full(self, name: str) -> str:
        """Return what an imported name stands for; "" if that is not sure."""
        first, dot, rest = name.partition(".")
        meanings = self.imports.get(first, set())
        if first in self.own or len(meanings) != 1:
            return ""
        return f"{''.join(meanings)}{dot}{rest}"

    def in_text(self, name: str) -> str:
        """Return what a name in the text stands for; it may be the last part alone."""
        if full := self.full(name):
            return full
        ends = self.ends.get(name, set())
        return "".join(ends) if len(ends) == 1 and name not in self.own else name


def parsed(code: str) -> ast.Module | None:
    """Return the tree of a block of code; a sketch may be no Python."""
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError):
        return None


def own_names(tree: ast.Module) -> Iterator[str]:
    """Yield the names that code defines itself."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
                | ast.ExceptHandler(name=str(name))
            ):
                yield name


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
    found = {name: find(name) for name in sorted(names.used)}
    return {name: uri for name, uri in found.items() if uri}


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
    while (parent := node.parent) is not None:
        yield parent
        node = parent


def is_no_place(node: nodes.Element) -> bool:
    """Return whether nothing inside is linked: links, headings, our own words."""
    return isinstance(node, NO_PLACE) or not node.get("translatable", True)
