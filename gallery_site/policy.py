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
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util import logging

from gallery_site.light.assets import INLINE_SCRIPT
from gallery_site.project import BuildError
from gallery_site.upstream import EVALUATED, KNOWN, STYLE

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
FAULT = "an inline script that no page may run: %.60r (put it into a file)"
# The policy speaks of what follows it: it stands as early as it may.
PLACE = re.compile(
    r"(?:\s*<!doctype[^>]*>)?(?:\s*<html[^>]*>)?(?:\s*<head[^>]*>)?"
    r"(?:\s*<meta\s+charset=[^>]*>)?\s*",
    re.I,
)
MARK = '<meta http-equiv="Content-Security-Policy"'
OLD = re.compile(rf"{MARK}[^>]*>\n")


def with_policy(page: str) -> str:
    """Write the policy into a page; one that it has may be of other scripts."""
    page = OLD.sub("", page, count=1)
    start = PLACE.match(page)
    place = start.end() if start else 0
    page = page[:place] + STYLE.sub("", page[place:])
    known = filter(KNOWN.fullmatch, INLINE_SCRIPT.findall(page))
    hashes = dict.fromkeys(map(source_of, known))
    own = POLICY | {"script-src": " ".join([POLICY["script-src"], *hashes])}
    policy = "; ".join(f"{name} {sources}" for name, sources in own.items())
    return f'{page[:place]}{MARK} content="{policy}">\n{page[place:]}'


def source_of(script: str) -> str:
    """Return what allows one inline script in a policy: its hash."""
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def without_eval(script: str) -> str:
    """Write the words of Sphinx's scripts so that no text is run as a program."""

    def assigned(match: re.Match[str]) -> str:
        words = json.loads(match[1])
        messages, locale = json.dumps(words["messages"]), json.dumps(words["locale"])
        return (
            f"Object.assign(Documentation.TRANSLATIONS, {messages});\n"
            f"Documentation.PLURAL_EXPR = (n) => Number({words['plural_expr']});\n"
            f"Documentation.LOCALE = {locale};"
        )

    return EVALUATED.sub(assigned, script)


def forbidden(page: str) -> list[str]:
    """Return the scripts of a page that its policy forbids."""
    scripts = INLINE_SCRIPT.findall(page)
    return [x.strip() for x in scripts if x.strip() and not KNOWN.fullmatch(x)]


def protected(page: str, path: Path) -> str:
    """Return a page with the policy; raise BuildError if it would break the page."""
    for script in forbidden(page):
        raise BuildError(f"{path}: {FAULT % script}")
    return with_policy(page)


def protect_page(app: Sphinx, path: Path, text: list[str]) -> None:
    """Write the policy into a finished page, and name what it breaks."""
    text[0] = with_policy(text[0])
    for script in forbidden(text[0]):
        fault = f"{path.relative_to(app.outdir)}: {FAULT % script}"
        logger.warning("%s", fault, type="gallery_intl", subtype="policy")


def rewrite_words(folder: Path) -> None:
    """Rewrite the words of Sphinx's scripts in a built folder."""
    words = folder / "_static" / "translations.js"
    if words.is_file():
        words.write_text(without_eval(words.read_text("utf-8")), "utf-8")


def rewrite_words_of_build(app: Sphinx, error: Exception | None) -> None:
    if not error and app.builder.format == "html":
        rewrite_words(Path(app.outdir))


def switch_on(app: Sphinx, config: Config) -> None:
    """Give pages the policy, if the site wants it."""
    if config.gallery_intl_policy:
        app.connect("page-finished", protect_page, priority=900)
        app.connect(
            "build-finished", rewrite_words_of_build, priority=order.FINISH_PAGES
        )
