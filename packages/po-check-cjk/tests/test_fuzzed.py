"""The guards and the reader against pieces of markup and catalogs in any order."""

from __future__ import annotations

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from docutils.utils import Reporter
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from po_check_cjk.check import check_catalog
from po_check_cjk.glossary import Glossary
from po_check_cjk.message import GUARDS, RULES, Message

MARKUP = st.sampled_from(
    [
        *(".. ", "::", "raw", " html", "include", ":: /etc/passwd", "image", "role"),
        *("`", "``", "*", "**", "_", "__", ":", "<", ">", "\\", "[", "]", "1", "#"),
        *(":doc:", ":raw:", ":math:", ":pep:", "javascript:", "https://a.org/", "@"),
        *("\n", "\n\n", " ", "   ", "=", "====", "|x|", "가", "a", "x(raw)", "(", ")"),
        *(":format: html", ":file: x", "<script>", "&", '"', "'", "{", "%s", "\t"),
        *("//b", "|", "-", ".. |x| image:: a", ".. _a: b", ".. __: b", "+"),
    ]
)
CATALOG = st.sampled_from(
    [
        *("msgid ", "msgstr ", "msgctxt ", "msgid_plural ", "msgstr[0] ", '"', "\\n"),
        *("a", "\n", "\\", "#", "~", ", fuzzy", "|", "[", "9", ":", " ", "\r", "é"),
        *('msgid ""\nmsgstr "charset=x\\n"\n', '"Plural-Forms: x\\n"\n'),
    ]
)
# What docutils may make of a translation: text, and words marked in it.
SHOWN = (
    *(nodes.document, nodes.paragraph, nodes.Text, nodes.emphasis, nodes.strong),
    *(nodes.literal, nodes.title_reference, nodes.superscript, nodes.subscript),
    *(nodes.inline, nodes.abbreviation, nodes.acronym),
)
steady = settings(
    max_examples=200,
    derandomize=True,  # the same examples each time
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@given(st.lists(MARKUP, min_size=1, max_size=14).map("".join))
@steady
def test_what_the_guards_let_through_is_text_to_docutils(text: str) -> None:
    message = Message("ko", "One paragraph.", text)
    if not text.strip() or any(any(RULES[name].check(message)) for name in GUARDS):
        return

    document = publish_doctree(text, settings_overrides={"report_level": 5})

    for warning in list(document.findall(nodes.system_message)):
        assert warning["level"] <= Reporter.INFO_LEVEL, f"{text!r}: {warning.astext()}"
        warning.parent.remove(warning)  # not on a page
    for node in document.findall():
        assert isinstance(node, SHOWN), f"{text!r}: {node.pformat()}"


@given(st.lists(CATALOG, max_size=25).map("".join))
@steady
def test_a_catalog_is_read_or_refused_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "page.po"
    path.write_text(text, encoding="utf-8", newline="")

    found = check_catalog(path, Glossary()).findings

    assert all(finding.line >= 1 for finding in found)
