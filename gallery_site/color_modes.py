"""Complete the theme's colours: without scripts, and on paper.

pydata-sphinx-theme writes all its colours for ``html[data-theme="light"]`` and
``"dark"``, and a script says which. Until it has run the value is "auto", for which
there are no rules: code has no colours and a dark system gets light pages. And what is
dark on the screen is printed dark. Here each such rule of a style sheet is copied to
where it is missing.
"""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx

from gallery_site.upstream import MODE

MARK = "/* colours without scripts and on paper: gallery_site */\n"
RULE = re.compile(r"(?:(?<=[{};/])|^)([^{};/]*\[data-theme=[^{}]*)(\{[^{}]*\})")
# On which media a selector of one mode holds, and what it asks of the mode there.
MEDIA = {
    "light": {
        "": r"\g<0>",
        "(prefers-color-scheme:light)": "[data-theme=auto]",
        "print": "[data-theme]",
    },
    "dark": {
        "screen": r"\g<0>",
        "screen and (prefers-color-scheme:dark)": "[data-theme=auto]",
    },
    None: {"": ""},
}
COMMA = re.compile(r",(?![^(]*\))")  # not one inside :not(a, b)


def completed(rule: re.Match[str]) -> str:
    """Return a rule with its copies for other media."""
    media: dict[str, list[str]] = {}
    for selector in COMMA.split(rule[1]):
        mode = MODE.search(selector)
        for medium, form in MEDIA[mode[1] if mode else None].items():
            media.setdefault(medium, []).append(MODE.sub(form, selector.strip()))
    rules = {medium: ",".join(forms) + rule[2] for medium, forms in media.items()}
    return "".join(
        f"@media {medium}{{{text}}}\n" if medium else f"{text}\n"
        for medium, text in rules.items()
    )


def with_all_modes(css: str) -> str:
    """Complete the rules of a style sheet; one that is complete stays as it is."""
    if MARK in css or not MODE.search(css):
        return css
    return RULE.sub(completed, css) + MARK  # behind an @charset, which must be first


def complete_style_sheets(app: Sphinx, error: Exception | None) -> None:
    if error or app.builder.format != "html":
        return
    for path in sorted(Path(app.outdir, "_static").rglob("*.css")):
        css = with_all_modes(path.read_text(encoding="utf-8"))
        path.write_text(css, encoding="utf-8")
