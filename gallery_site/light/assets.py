"""Find which stylesheets and scripts a finished page loads, and have it load others.

Scripts that nothing on a page uses are left out. The rest wait until the page is read,
so that none keeps a reader waiting for the text.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from gallery_site.light.upstream import INLINED, USED_FOR

STYLE = re.compile(r'<link\b[^>]*\brel="stylesheet"[^>]*>\s*')
SCRIPT = re.compile(r'<script\b[^>]*\bsrc="[^"]*"[^>]*></script>\s*')
PRELOAD = re.compile(r'<link\b[^>]*\brel="preload"[^>]*\bas="script"[^>]*>\s*')
ATTRIBUTE = re.compile(r'\s([\w-]+)(?:="([^"]*)")?')
# With more to say, such as a media query, a tag stays as it is.
PLAIN = {"rel", "href", "type", "src", "defer"}
IN_ITS_TIME = {"defer", "async", "type"}


class Tag(NamedTuple):
    """A tag that loads a file, which is named as it is seen from the site's folder."""

    text: str
    file: str
    attributes: dict[str, str]

    @property
    def is_plain(self) -> bool:
        return self.attributes.keys() <= PLAIN


class Bundle(NamedTuple):
    """A file that takes the place of others; ``version`` changes with its content."""

    name: str
    version: str
    parts: list[str]


@dataclass(frozen=True)
class Page:
    """A finished page of a site, and the tags that load the site's files."""

    path: Path
    root: Path
    text: str
    styles: list[Tag]
    scripts: list[Tag]

    def needs(self, script: Tag) -> bool:
        """Return whether a script has something to do here."""
        signs = USED_FOR.get(posixpath.basename(script.file), [""])
        return any(sign in self.text for sign in signs)

    def shared_styles(self) -> list[str]:
        """Return the stylesheets that may be loaded together."""
        return [tag.file for tag in self.styles if tag.is_plain]

    def shared_scripts(self) -> list[str]:
        """Return the scripts that may be loaded together."""
        return [
            tag.file
            for tag in self.scripts
            if tag.is_plain and self.needs(tag) and not is_inlined(tag)
        ]


def read_page(path: Path, root: Path) -> Page:
    text = path.read_text(encoding="utf-8")
    folder = path.parent.relative_to(root).as_posix()
    styles, scripts = (
        [tag for tag in find_tags(text, pattern, folder) if (root / tag.file).is_file()]
        for pattern in (STYLE, SCRIPT)
    )
    return Page(path, root, text, styles, scripts)


def find_tags(text: str, pattern: re.Pattern[str], folder: str) -> Iterator[Tag]:
    for found in pattern.findall(text):
        attributes = dict(ATTRIBUTE.findall(found))
        link = attributes.get("href") or attributes.get("src", "")
        file = posixpath.join(folder, re.sub(r"[?#].*", "", link))
        yield Tag(found, posixpath.normpath(file), attributes)


def is_inlined(script: Tag) -> bool:
    return posixpath.basename(script.file) == INLINED


def rewrite(page: Page, style: Bundle, script: Bundle) -> str:
    """Return a page that loads bundles in place of their parts."""
    folder = page.path.parent.relative_to(page.root).as_posix()
    text = PRELOAD.sub("", page.text)
    styles = in_place_of(style, page.shared_styles())
    scripts = in_place_of(script, page.shared_scripts())
    for tag in page.styles:
        text = text.replace(tag.text, load_style(tag, styles, folder), 1)
    for tag in page.scripts:
        new = load_script(tag, scripts, folder) if page.needs(tag) else ""
        text = text.replace(tag.text, inline(tag, page) if is_inlined(tag) else new, 1)
    return text


def in_place_of(bundle: Bundle, loaded: list[str]) -> dict[str, Bundle | None]:
    """Return what takes the place of files: the bundle that of the first of its parts.

    A page that loads only some of the parts keeps them as they are.
    """
    parts = [name for name in loaded if name in bundle.parts]
    if len(parts) < len(bundle.parts) or not parts:
        return {}
    return {**dict.fromkeys(parts), parts[0]: bundle}


def load_style(tag: Tag, places: dict[str, Bundle | None], folder: str) -> str:
    if tag.file not in places or not tag.is_plain:
        return tag.text
    bundle = places[tag.file]
    if bundle is None:
        return ""
    return f'<link rel="stylesheet" href="{address(bundle, folder)}" />\n    '


def load_script(tag: Tag, places: dict[str, Bundle | None], folder: str) -> str:
    if tag.file not in places or not tag.is_plain:
        return wait(tag)
    bundle = places[tag.file]
    if bundle is None:
        return ""
    return f'<script defer src="{address(bundle, folder)}"></script>\n    '


def address(bundle: Bundle, folder: str) -> str:
    return f"{posixpath.relpath(bundle.name, folder)}?v={bundle.version}"


def wait(tag: Tag) -> str:
    """Let a script wait until the page is read, as those before it do."""
    if IN_ITS_TIME & tag.attributes.keys():
        return tag.text
    return tag.text.replace("<script", "<script defer", 1)


def inline(tag: Tag, page: Page) -> str:
    """Write a script into the page."""
    code = (page.root / tag.file).read_text(encoding="utf-8").strip()
    code = code.replace("</", r"<\/")
    return f"<script>{code}</script>\n    "
