"""The path through the lessons follows from their lists; terms are found as words."""

from __future__ import annotations

from typing import Any

import pytest
from docutils import nodes
from paths import PROJECT

from gallery_site.book import path
from gallery_site.book.path import after, before
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
    assert after("x", circle) == ["y", "z"]


def test_a_lesson_leads_to_those_that_name_it_in_reading_order() -> None:
    assert after("a/start", KNOWN) == ["a/more", "b/model", "c/larger"]
    assert after("c/larger", KNOWN) == []


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


def test_only_the_first_use_in_running_text_is_linked() -> None:
    paragraphs = [
        nodes.title("", "The rank"),
        nodes.paragraph("", "", nodes.literal("", "rank")),
        nodes.paragraph("", "learn a rank", classes=["learn"]),
        nodes.paragraph("", "one rank here, another rank there"),
        nodes.paragraph("", "a rank again"),
    ]
    for paragraph in paragraphs:
        paragraph["terms"] = ["word-rank"]
    document = page(*paragraphs)

    link_first(document, [Term("word-rank", ["rank"])], "en", "words.html")

    (link,) = document.findall(nodes.reference)
    assert (link["refuri"], link.astext()) == ("words.html#word-rank", "rank")
    assert link.parent.astext() == "one rank here, another rank there"
    assert link.parent.index(link) == 1


def test_a_word_is_no_term_where_the_english_has_none() -> None:
    document = page(nodes.paragraph("", "启动程序"), nodes.paragraph("", "再启动程序"))
    document[0][1]["terms"] = ["spawn"]

    link_first(document, [Term("spawn", ["启动"])], "zh_CN", "words.html")

    (link,) = document.findall(nodes.reference)
    assert link.parent is document[0][1]


def test_a_text_in_a_link_is_no_place() -> None:
    link = nodes.reference("", "a rank", refuri="x")
    document = page(nodes.paragraph("", "", link, terms=["word-rank"]))

    link_first(document, [Term("word-rank", ["rank"])], "en", "words.html")

    assert list(document.findall(nodes.reference)) == [link]


def test_every_sentence_of_the_glossary_is_one() -> None:
    rows = read_rows(PROJECT / "locales" / "glossary.csv")

    means = {row["en"]: row["means"] for row in rows if row["means"]}

    assert len(means) > 80
    for term, sentence in means.items():
        assert sentence[0].isupper(), term
        assert sentence.endswith("."), term
        assert ". " not in sentence, term
        assert len(sentence.split()) <= 25, term


class Lessons:
    """What Sphinx knows of two lessons; it counts how often it is asked for all."""

    def __init__(self) -> None:
        self.metadata = {"part/a": {}, "part/b": {path.BEFORE: ["part/a"]}}
        self.titles = {name: nodes.title("", name) for name in self.metadata}
        self.asked = 0

    def collect_relations(self) -> list[str]:
        self.asked += 1
        return [*self.metadata]


def test_the_lessons_are_asked_once_in_a_build(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each page asks: of 1,000 pages that was a million answers."""
    monkeypatch.setattr(path, "script_of", lambda env, page: page)
    env: Any = Lessons()

    assert path.outdated(env, env) == ["part/a", "part/b"]
    known = [path.known_first(env) for _page in range(5)]

    assert env.asked == 1
    assert known[-1] == {"part/a": [], "part/b": ["part/a"]}
    env.metadata["part/b"][path.BEFORE] = []  # in the next build
    assert path.outdated(env, env) == ["part/a"]
    assert path.known_first(env)["part/b"] == []
