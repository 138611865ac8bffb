"""Let a page run the site's own scripts only, and ask no other host for anything.

Each page carries a content security policy, which the browser keeps: even markup that
came past every check could do nothing. Inline scripts are allowed one by one, by their
hash, and only those that the theme and Sphinx are known to write.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata

from gallery_intl import order
from gallery_intl.files import html_pages, replace_file

logger = logging.getLogger(__name__)

# What is not named here, such as a frame or a plug-in, is not loaded at all.
POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "style-src-attr": "'unsafe-inline'",  # docutils writes widths of columns so
    "img-src": "'self' data:",  # the theme's style sheets hold small pictures
    "font-src": "'self' data:",  # the icons that are in use
    "connect-src": "'self'",  # search reads pages for its snippets
    "manifest-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'self'",
}
INLINE = re.compile(r"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", re.S | re.I)
# The theme sets the colour mode before anything is painted and puts the cursor into the
# search field; it and Sphinx-Gallery set options of Sphinx's scripts; the light site
# has all of these in its pages.
KNOWN = re.compile(
    r"""\s*(?:
    (?:document\.documentElement\.dataset\.(?:mode|theme)
      \ =\ localStorage\.getItem\("(?:mode|theme)"\)\ \|\|\ "\w*";\s*)+
    | DOCUMENTATION_OPTIONS\.\w+\ =\ (?:'[^'\\<>]*'|\w+);\s*
    | const\ DOCUMENTATION_OPTIONS\ =\ \{
      (?:\s*\w+:\ (?:'[^'\\<>]*'|\w+),)*\s*\};?\s*
    | //\ Activate\ the\ search\ field\ on\ page\ load
      \s*let\ searchInput\ =\ document\.querySelector\("form\.bd-search\ input"\);
      \s*if\ \(searchInput\)\ \{\s*searchInput\.focus\(\);\s*searchInput\.select\(\);
      \s*console\.log\("[^"\\<>]*"\);\s*\}\s*
    )""",
    re.VERBOSE,
)
# The theme's one style element; `gallery_intl.css` says the same.
STYLE = re.compile(r"<noscript>\s*<style>[^<]*</style>\s*</noscript>\s*")
# The policy speaks of what follows it: it stands as early as it may.
PLACE = re.compile(
    r"(?:\s*<!doctype[^>]*>)?(?:\s*<html[^>]*>)?(?:\s*<head[^>]*>)?"
    r"(?:\s*<meta\s+charset=[^>]*>)?\s*",
    re.I,
)
# Sphinx's way to hand its words to its scripts, which evaluates a text as a program.
EVALUATED = re.compile(r"Documentation\.addTranslations\((\{.*?^\})\);", re.S | re.M)
MARK = '<meta http-equiv="Content-Security-Policy"'
OLD = re.compile(rf"{MARK}[^>]*>\n")


def with_policy(page: str) -> str:
    """Write the policy into a page; one that it has may be of other scripts."""
    page = OLD.sub("", page, count=1)
    start = PLACE.match(page)
    place = start.end() if start else 0
    page = page[:place] + STYLE.sub("", page[place:])
    hashes = dict.fromkeys(map(source_of, filter(KNOWN.fullmatch, inline(page))))
    own = POLICY | {"script-src": " ".join([POLICY["script-src"], *hashes])}
    policy = "; ".join(f"{name} {sources}" for name, sources in own.items())
    return f'{page[:place]}{MARK} content="{policy}">\n{page[place:]}'


def inline(page: str) -> Iterator[str]:
    """Give the scripts that stand in a page."""
    yield from INLINE.findall(page)


def source_of(script: str) -> str:
    """Give what allows one inline script in a policy: its hash."""
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def without_eval(script: str) -> str:
    """Write the words of Sphinx's scripts so that no text is run as a program."""

    def assigned(found: re.Match[str]) -> str:
        words = json.loads(found[1])
        messages, locale = json.dumps(words["messages"]), json.dumps(words["locale"])
        return (
            f"Object.assign(Documentation.TRANSLATIONS, {messages});\n"
            f"Documentation.PLURAL_EXPR = (n) => Number({words['plural_expr']});\n"
            f"Documentation.LOCALE = {locale};"
        )

    return EVALUATED.sub(assigned, script)


def write_policies(pages: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    """Write the policy into files; give the scripts that it forbids, if any."""
    for path in pages:
        before = path.read_text(encoding="utf-8")
        after = with_policy(before)
        if after != before:
            replace_file(path, after.encode("utf-8"), sync=False)
        forbidden = (x for x in inline(after) if x.strip() and not KNOWN.fullmatch(x))
        yield from ((path, script) for script in forbidden)


def protect(app: Sphinx, error: Exception | None) -> None:
    """Write the policy into every page of a finished build."""
    if error or app.builder.format != "html" or not app.config.gallery_intl_policy:
        return
    words = Path(app.outdir, "_static", "translations.js")
    if words.is_file():
        text = without_eval(words.read_text(encoding="utf-8"))
        words.write_text(text, encoding="utf-8")
    for path, script in write_policies(html_pages(Path(app.outdir))):
        logger.warning(
            "%s: an inline script that no page may run: %.60r (put it into a file)",
            path.relative_to(app.outdir),
            script.strip(),
            type="gallery_intl",
            subtype="policy",
        )


def setup(app: Sphinx) -> ExtensionMetadata:
    # switched off by the live view, which puts a script of its own into each page
    app.add_config_value("gallery_intl_policy", True, "html", bool)
    # after all that writes pages
    app.connect("build-finished", protect, priority=order.PROTECT)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
