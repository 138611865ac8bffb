"""The path through the lessons follows from their lists; terms are found as words."""

from __future__ import annotations

import pytest
from docutils import nodes
from paths import PROJECT

from gallery_site.book.path import before
from gallery_site.book.words import Term, finder, link_first
from po_check_cjk.glossary_file import read_rows

KNOWN = {
    "a/start": [],
    "a/more": ["a/start"],
    "b/own": [],
    "b/model": ["a/start", "b/own"],
    "c/large": ["a/more", "b/model"],
    "c/larger": ["c/large", "a/start"],
}


def test_a_part_asks_for_the_lessons_that_imply_the_others() -> None:
    asked = before(["c/large", "c/larger"], KNOWN)

    assert asked == ["a/more", "b/model"]  # they name a/start themselves


def test_a_part_asks_for_nothing_of_its_own() -> None:
    assert before(["b/own", "b/model"], KNOWN) == ["a/start"]
    assert before(["a/start", "a/more"], KNOWN) == []


def test_lessons_that_name_each_other_are_no_endless_path() -> None:
    circle = {"x": ["y"], "y": ["x"], "z": ["x"]}

    assert before(["z"], circle) == []


BUCKET = {"en": "bucket", "ko": "버킷", "zh_CN": "存储桶", "ja": "バケット"}
LARGE = {
    "en": "gradient bucket",
    "ko": "변화도 버킷",
    "zh_CN": "梯度存储桶",
    "ja": "勾配バケット",
}


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("en", "Two Buckets and a gradient bucket.", ["Buckets", "gradient bucket"]),
        ("en", "A multi-bucket has no bucketing.", []),
        ("ko", "버킷은 변화도 버킷과 다릅니다.", ["버킷", "변화도 버킷"]),
        ("ko", "쓰레기버킷은 없습니다.", []),
        ("zh_CN", "存储桶与梯度存储桶", ["存储桶", "梯度存储桶"]),
        ("ja", "バケットと勾配バケット", ["バケット", "勾配バケット"]),
        ("ja", "サブバケット", []),
    ],
)
def test_of_two_terms_the_longer_is_found(
    language: str, text: str, words: list[str]
) -> None:
    terms = [Term("short", [BUCKET[language]]), Term("long", [LARGE[language]])]

    found = [text[start:end] for start, end, _term in finder(terms, language)(text)]

    assert found == words


def test_a_verb_is_not_the_term() -> None:
    known = [Term("rank", ["rank"], True), Term("process", ["process"], True)]
    find = finder([*known, Term("batch", ["batch"])], "en")

    assert list(find("We process them, and to rank is hard.")) == []
    found = [term for *_, term in find("One process is rank 0 of this, to batch.")]
    assert found == ["process", "rank", "batch"], "no verb of ours"


def page(*children: nodes.Node) -> nodes.document:
    from docutils.utils import new_document

    document = new_document("page")
    document += nodes.section("", *children)
    return document


def link(document: nodes.document, term: Term, language: str = "en") -> list[str]:
    """Link first uses; return the text of each paragraph with a link."""
    english = finder([Term(term.id, [term.id])], "en")
    link_first(document, "words.html", finder([term], language), english)
    return [x.parent.astext() for x in document.findall(nodes.reference)]


def test_only_the_first_use_in_running_text_is_linked() -> None:
    document = page(
        nodes.title("The rank", "The rank"),
        nodes.paragraph("``rank``", "", nodes.literal("", "rank")),
        nodes.paragraph("a rank", "learn a rank", classes=["learn"]),
        nodes.paragraph("one rank", "one rank here, another rank there"),
        nodes.paragraph("a rank", "a rank again"),
    )

    linked = link(document, Term("rank", ["rank"]))

    assert linked == ["one rank here, another rank there"]
    (made,) = document.findall(nodes.reference)
    assert (made["refuri"], made.astext()) == ("words.html#rank", "rank")
    assert made.parent.index(made) == 1


def test_a_word_is_no_term_where_the_english_has_none() -> None:
    document = page(
        nodes.paragraph("Start a program.", "启动程序"),
        nodes.paragraph("Spawn it.", "再启动程序"),
    )

    assert link(document, Term("spawn", ["启动"]), "zh_CN") == ["再启动程序"]


def test_a_text_in_a_link_is_no_place() -> None:
    inside = nodes.reference("", "a rank", refuri="x")
    document = page(nodes.paragraph("`a rank <x>`_", "", inside))

    link(document, Term("rank", ["rank"]))

    assert list(document.findall(nodes.reference)) == [inside]


def test_every_sentence_of_the_glossary_is_one() -> None:
    rows = read_rows(PROJECT / "locales" / "glossary.csv")

    means = {row["en"]: row["means"] for row in rows if row["means"]}

    assert len(means) > 80
    for term, sentence in means.items():
        assert sentence[0].isupper(), term
        assert sentence.endswith("."), term
        assert ". " not in sentence, term
        assert len(sentence.split()) <= 25, term
