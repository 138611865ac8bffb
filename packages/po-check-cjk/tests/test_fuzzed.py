"""The guards against pieces of markup in any order."""

from __future__ import annotations

from docutils import nodes
from docutils.core import publish_doctree
from docutils.utils import Reporter
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

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
