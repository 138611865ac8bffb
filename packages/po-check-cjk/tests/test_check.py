"""The rules find what is wrong in a translation, and nothing else.

Each rule has catalogs in ``catalogs``: in those of ``bad`` a line ``# expect:`` names
the finding in the entry below, those of ``good`` look wrong and are right.
"""

from __future__ import annotations

import re
import time
from collections.abc import Set
from pathlib import Path

import polib
import pytest

from po_check_cjk import check
from po_check_cjk.glossary import Glossary, read_glossary
from po_check_cjk.korean import right_form
from po_check_cjk.message import GUARDS, RULES, Message, Rule, rules_for

CATALOGS = Path(__file__).parent / "catalogs"
GLOSSARY = read_glossary(CATALOGS / "glossary.csv")
BAD = sorted(CATALOGS.glob("bad/*/*.po"))
GOOD = sorted(CATALOGS.glob("good/*/*.po"))
EXPECT = re.compile(r"# expect: (\S+)")


def name_of(path: Path) -> str:
    return f"{path.parent.name}-{path.stem}"


def expected(path: Path) -> list[tuple[int, str]]:
    found, waiting = [], []
    lines = path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        if match := EXPECT.fullmatch(line):
            waiting.append(match[1])
        elif line.startswith("msgid"):
            found += [(number, rule) for rule in waiting]
            waiting.clear()
    return sorted(found)


def findings(path: Path, only: Set[str] = check.ALL_RULES) -> list[check.Finding]:
    return check.check_catalog(path, GLOSSARY, only=only).findings


def catalog_of(tmp_path: Path, *entries: polib.POEntry, language: str = "ko") -> Path:
    catalog = polib.POFile()
    catalog.metadata = {"Language": language, "Content-Type": "text/plain"}
    catalog.extend(entries)
    catalog.save(str(tmp_path / "page.po"))
    return tmp_path / "page.po"


@pytest.mark.parametrize("path", BAD, ids=name_of)
def test_a_bad_catalog_has_the_findings_that_it_expects(path: Path) -> None:
    found = findings(path)

    assert sorted({(finding.line, finding.rule) for finding in found}) == expected(path)
    assert [f for f in found if not re.search(r"\(.+\)$", f.text)] == []  # a remedy


@pytest.mark.parametrize("path", GOOD, ids=name_of)
def test_a_good_catalog_has_no_findings(path: Path) -> None:
    assert [str(finding) for finding in findings(path)] == []


@pytest.mark.parametrize("language", ["ko", "zh_CN", "ja"])
def test_every_rule_has_a_bad_catalog_in_each_of_its_languages(language: str) -> None:
    paths = [path for path in BAD if path.parent.name == language]
    tried = {rule for path in paths for _, rule in expected(path)}

    assert tried == {*rules_for(language), "waiver", "broken-catalog"}


@pytest.mark.parametrize("name", RULES)
def test_the_manual_has_true_examples(name: str) -> None:
    rule: Rule = RULES[name]
    kinds = (rule.kind == "plain", GLOSSARY, rule.kind == "comment")
    bad, good = (
        Message(rule.languages[0], rule.english, text, *kinds)
        for text in (rule.bad, rule.good)
    )

    assert list(rule.check(bad)) != []
    assert list(rule.check(good)) == []
    manual = "\n".join(check.manual())
    assert f"{name} (" in manual
    assert f'"{rule.english}" -> "{rule.bad}"' in manual


@pytest.mark.parametrize(
    ("word", "particle", "right"),
    [
        ("GPU", "이", "가"),
        ("LSTM", "를", "을"),
        ("1", "으로", "로"),
        ("10", "로", "으로"),
        ("DataParallel", "으로", "로"),
        ("to", "과", "와"),
        ("loader", "으로써", "로써"),
        ("복제본", "로는", "으로는"),
        ("module", "를", "을"),
        ("all_reduce", "이", "가"),
        ("timeout", "는", "은"),
        ("module", "을", "을"),
        ("ADDR", "와", "와"),
    ],
)
def test_a_particle_follows_the_sound_where_it_is_known(
    word: str, particle: str, right: str
) -> None:
    assert right_form(word, particle) == right


def test_a_language_without_rules_of_its_own_has_those_for_all_languages() -> None:
    names = set(rules_for("ar"))

    assert names == {name for name, rule in RULES.items() if "*" in rule.languages}
    assert not list(RULES["invisible"].check(Message("fa", "books", "کتاب\u200cها")))
    assert "foreign-signs" not in rules_for("zh_TW")  # whose quotes are 「」


@pytest.mark.parametrize(
    ("language", "english", "text"),
    [
        ("de", "It is “new”.", "Das ist „neu“ oder ‚neu‘."),
        ("de", "from 0.00001 to 2,048", "von 0,00001 bis 2.048"),
        ("de", "The ranks that wait stop.", "Die Ränge, die die Arbeit machen."),
        ("de", "On 2026-01-31 it came out.", "Am 31.1.2026 erschien es."),
        ("pl", "12,000 weights of “it”", "12 000 wag „tego”"),
        ("pt_BR", "The function waits the 3rd time.", "A função espera a 3ª vez."),
        ("vi", "They run in parallel.", "Chúng chạy song song."),
        ("fr", "The result isn't new.", "Rien n’est là."),
    ],
)
def test_other_languages_are_free_of_rules_for_cjk(
    language: str, english: str, text: str
) -> None:
    glossary = Glossary([{"en": "rank", language: "Rang"}, {"en": "weight"}])
    message = Message(language, english, text, glossary=glossary)

    assert [*check.broken_rules(message, rules_for(language))] == []


def test_other_languages_keep_their_numbers() -> None:
    message = Message("de", "It takes 0.5 s.", "Es dauert 0,3 s.")

    rules = [rule for rule, _text in check.broken_rules(message, rules_for("de"))]
    assert rules == ["numbers", "numbers"]


@pytest.mark.parametrize("piece", ["가", "一", "9", "Ab", "a. ", "가나 다라. "])
@pytest.mark.parametrize("language", ["ko", "zh_CN", "ja"])
def test_no_rule_takes_long_over_a_long_translation(piece: str, language: str) -> None:
    text = piece * (9_000 // len(piece))
    message = Message(language, "Split it. Then PyTorch adds (it) to four.", text)

    started = time.process_time()
    list(check.broken_rules(message, rules_for(language)))

    assert time.process_time() - started < 10  # seconds; quadratic patterns: minutes


def test_processes_find_the_same_in_many_catalogs() -> None:
    assert len(BAD) > check.MANY_CATALOGS

    checked = check.check_catalogs(BAD, GLOSSARY)

    assert [each.findings for each in checked] == [findings(path) for path in BAD]


def test_each_plural_form_is_compared_with_the_msgid_that_it_fits(
    tmp_path: Path,
) -> None:
    forms = {0: "파일 하나", 1: "파일 %d개"}
    plural = {"msgid": "one file", "msgid_plural": "%d files"}
    path = catalog_of(tmp_path, polib.POEntry(**plural, msgstr_plural=forms))

    assert check.check_catalog(path, Glossary(), ["*"]).findings == []

    path = catalog_of(tmp_path, polib.POEntry(**plural, msgstr_plural={0: "파일 %s"}))
    (found,) = check.check_catalog(path, Glossary(), ["*"]).findings

    assert found.rule == "placeholders"


def test_only_catalogs_with_markup_are_read_as_markup(tmp_path: Path) -> None:
    entry = polib.POEntry(msgid="Save as %s", msgstr="`%s (으)로 저장")
    path = catalog_of(tmp_path, entry)

    rules = [
        {each.rule for each in check.check_catalog(path, Glossary(), plain).findings}
        for plain in (["*"], ["other"])
    ]

    assert "html" in rules[0]  # a backquote may end a string
    assert "broken-markup" in rules[1]


@pytest.mark.parametrize(("start", "end"), [("\ufeff", "\n"), ("", "\r"), ("", "\r\n")])
def test_catalogs_of_all_editors_are_read(tmp_path: Path, start: str, end: str) -> None:
    path = catalog_of(tmp_path, polib.POEntry(msgid="Batch", msgstr="배치 "))
    text = start + path.read_text("utf-8").replace("\n", end)
    path.write_bytes(text.encode())

    assert [(x.line, x.rule) for x in findings(path)] == [(7, "spaces")]


def test_typographic_quotes_around_a_text_are_found(tmp_path: Path) -> None:
    path = catalog_of(tmp_path, polib.POEntry(msgid="Batch", msgstr="배치"))
    text = path.read_text("utf-8").replace('"배치"', "“배치”")
    path.write_text(text, encoding="utf-8")

    assert [x.rule for x in findings(path)] == ["broken-catalog"]


def test_a_missing_sentence_is_the_first_and_only_cause(tmp_path: Path) -> None:
    english = "The gradient of all layers is copied. The rank waits for the others."
    entry = polib.POEntry(msgid=english, msgstr="랭크는 다른 랭크를 기다립니다 .")
    path = catalog_of(tmp_path, entry)

    assert [x.rule for x in findings(path)] == ["missing-sentence", "sign-space"]


def test_a_finding_shows_the_place_of_a_space(tmp_path: Path) -> None:
    path = catalog_of(tmp_path, polib.POEntry(msgid="a batch", msgstr="배치  하나"))

    assert [x.text for x in findings(path)] == [
        '"배치  하나" has two spaces (leave one)'
    ]


def test_two_texts_with_one_translation_are_found(tmp_path: Path) -> None:
    texts = {
        "Rows": "행",
        "Columns": "행",
        "the row": "행",
        "A b": "에이",
        "a B.": "에이",
    }
    entries = [polib.POEntry(msgid=x, msgstr=y) for x, y in texts.items()]
    path = catalog_of(tmp_path, *entries)

    assert [(x.line, x.rule) for x in findings(path)] == [(10, "same-translation")]


def test_every_finding_is_in_the_manual() -> None:
    assert check.ALL_RULES | {"broken-catalog"} <= {*"\n".join(check.manual()).split()}


def test_a_guard_cannot_be_set_aside(tmp_path: Path) -> None:
    for name in GUARDS:
        entry = polib.POEntry(msgid="a", msgstr="`<script> \u202e` :doc:`x <y>`")
        entry.tcomment = f"check-ignore: {name} - reason"

        found = [each.text for each in findings(catalog_of(tmp_path, entry))]

        assert any(f"{name} cannot be set aside" in text for text in found)


def test_rules_that_are_left_out_find_nothing(tmp_path: Path) -> None:
    entry = polib.POEntry(msgid="Call ``x``.", msgstr="`x`를 호출한다.")
    entry.tcomment = "check-ignore: urls - reason"
    path = catalog_of(tmp_path, entry)

    assert [x.rule for x in findings(path, GUARDS)] == ["mistyped-markup"]
    assert {x.rule for x in findings(path)} > {"formal-korean", "waiver"}


def test_a_waiver_may_be_for_a_rule_that_is_left_out(tmp_path: Path) -> None:
    entry = polib.POEntry(msgid="Call it.", msgstr="호출합니다.")
    entry.tcomment = "check-ignore: numbers - reason"
    path = catalog_of(tmp_path, entry)

    assert [x.rule for x in findings(path)] == ["waiver"]
    assert findings(path, check.ALL_RULES - {"numbers"}) == []
