"""Find which stylesheets and scripts a finished page loads, and have it load others.

Scripts that nothing on a page uses are left out. The rest wait until the page is read,
so that none keeps a reader waiting for the text.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gallery_site.light.upstream import INLINED, USED_FOR

STYLE = re.compile(r'<link\b[^>]*\brel="stylesheet"[^>]*>\s*')
SCRIPT = re.compile(r'<script\b[^>]*\bsrc="[^"]*"[^>]*></script>\s*')
INLINE_SCRIPT = re.compile(r"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", re.S | re.I)
PRELOAD = re.compile(r'<link\b[^>]*\brel="preload"[^>]*\bas="script"[^>]*>\s*')
ATTRIBUTE = re.compile(r'\s([\w-]+)(?:="([^"]*)")?')
# With more to say, such as a media query, a tag stays as it is.
PLAIN = {"rel", "href", "type", "src", "defer"}
IN_ITS_TIME = {"defer", "async", "type"}
LOAD_STYLE = '<link rel="stylesheet" href="{}" />\n    '
LOAD_SCRIPT = '<script defer src="{}"></script>\n    '


class Tag(NamedTuple):
    """A tag that loads a file, which is named as it is seen from the site's folder."""

    text: str
    file: str
    attributes: dict[str, str]

    @property
    def is_plain(self) -> bool:
        return self.attributes.keys() <= PLAIN

    @property
    def name(self) -> str:
        return posixpath.basename(self.file)


class Bundle(NamedTuple):
    """A file that takes the place of others; its address changes with its content."""

    address: str
    parts: list[str]


class Page(NamedTuple):
    """A finished page of a site, and the tags that load the site's files."""

    path: Path
    root: Path
    folder: str  # of the path, as seen from the root
    text: str
    styles: list[Tag]  # those that may be loaded together
    scripts: list[Tag]

    def needs(self, script: Tag) -> bool:
        """Return whether a script has something to do here."""
        signs = USED_FOR.get(script.name, [""])
        return any(sign in self.text for sign in signs)

    def shared_scripts(self) -> list[Tag]:
        """Return the scripts that may be loaded together."""
        needed = (tag for tag in self.scripts if self.needs(tag))
        return [tag for tag in needed if tag.is_plain and tag.name != INLINED]

    def bundled(self, tags: list[Tag], bundle: Bundle, load: str) -> dict[str, str]:
        """Return what is written for tags: the first of them loads the bundle.

        A page that loads only some of the parts keeps them as they are.
        """
        parts = [tag.text for tag in tags if tag.file in bundle.parts]
        if len(parts) < len(bundle.parts) or not parts:
            return {}
        first = load.format(posixpath.relpath(bundle.address, self.folder))
        return {**dict.fromkeys(parts, ""), parts[0]: first}

    def alone(self, script: Tag) -> str:
        """Return what is written for a script that is in no bundle."""
        if script.name == INLINED:
            code = (self.root / script.file).read_text(encoding="utf-8").strip()
            code = code.replace("</", r"<\/")
            return f"<script>{code}</script>\n    "
        if not self.needs(script):
            return ""
        if IN_ITS_TIME & script.attributes.keys():
            return script.text
        return script.text.replace("<script", "<script defer", 1)

    def rewritten(self, style: Bundle, script: Bundle) -> str:
        """Return the page's text with bundles in place of their parts."""
        written = {tag.text: self.alone(tag) for tag in self.scripts}
        written |= self.bundled(self.styles, style, LOAD_STYLE)
        written |= self.bundled(self.shared_scripts(), script, LOAD_SCRIPT)
        text = PRELOAD.sub("", self.text)
        for old, new in written.items():
            text = text.replace(old, new)
        return text


def read_page(path: Path, root: Path) -> Page:
    text = path.read_text(encoding="utf-8")
    folder = path.parent.relative_to(root).as_posix()
    styles = [x for x in find_tags(text, STYLE, root, folder) if x.is_plain]
    scripts = [*find_tags(text, SCRIPT, root, folder)]
    return Page(path, root, folder, text, styles, scripts)


def find_tags(
    text: str, pattern: re.Pattern[str], root: Path, folder: str
) -> Iterator[Tag]:
    """Yield the tags that load a file of the site."""
    for markup in pattern.findall(text):
        attributes = dict(ATTRIBUTE.findall(markup))
        link = attributes.get("href") or attributes.get("src", "")
        file = posixpath.normpath(posixpath.join(folder, re.sub(r"[?#].*", "", link)))
        if (root / file).is_file():
            yield Tag(markup, file, attributes)
