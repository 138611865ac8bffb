"""The style sheet of the extension: at home in any theme, and out of others' way."""

from __future__ import annotations

import re

import tinycss2
from paths import PROJECT

SHEET = PROJECT / "gallery_intl" / "static" / "gallery_intl.css.jinja"
# Classes that others write, and that ours stand beside: what a program prints, the
# places in the headers of themes, what Sphinx makes of a list of files.
OTHERS = {
    *("sphx-glr-script-out", "sphx-glr-footer", "headerlink", "highlight", "download"),
    *("caption-text", "code-block-caption", "context", "no-search", "navbar-item"),
    *("bd-header", "bd-header-article", "bd-sidebar-primary"),
    "header-article-items__end",
}
OURS = r"intl-|language-menu|program-diff|translation-|ways-out|recorded-out|awaits-"


def selectors() -> list[str]:
    """Return what each rule is for, those of media too."""
    found, rules = [], tinycss2.parse_stylesheet(SHEET.read_text("utf-8"), True, True)
    while rules:
        rule = rules.pop()
        if rule.type == "qualified-rule":
            found.append(tinycss2.serialize(rule.prelude))
        elif rule.type == "at-rule" and rule.content:
            rules += tinycss2.parse_rule_list(rule.content, True, True)
    return found


def test_a_rule_is_for_what_we_write() -> None:
    """Else it would change pages of a project that did not ask for it."""
    ours = re.compile(rf"\.({OURS})|sphx-glr-script-out|dir=|search-results|found")
    foreign = [rule for rule in selectors() if not ours.search(rule)]

    assert foreign == ["body "]


def test_names_of_classes_are_no_words_that_others_use() -> None:
    found = (re.findall(r"\.([a-z][\w-]*)", rule) for rule in selectors())
    inside = {"line", "said", "reason", "diff", "diff-files", "quiet"}  # of ours
    known = inside | OTHERS
    names = {name for names in found for name in names if not re.match(OURS, name)}
    assert names <= known


def test_each_colour_of_a_theme_has_one_to_fall_back_to() -> None:
    plain = re.findall(r"var\(--(?:pst|color)-[\w-]+\)", SHEET.read_text("utf-8"))

    # in a header that only pydata-sphinx-theme has
    assert {*plain} == {"var(--pst-color-link-hover)", "var(--pst-color-text-base)"}
