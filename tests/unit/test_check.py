"""The rules find what is wrong in a translation, and nothing else.

Each rule has catalogs in ``tests/catalogs``: those in ``bad`` say with ``# expect:``
what is found in the entry below, those in ``good`` look wrong and are right.
"""

import inspect
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from paths import CATALOGS, PROJECT

from gallery_intl.rules import check
from gallery_intl.rules.glossary import read_glossary
from gallery_intl.rules.korean import right_form
from gallery_intl.rules.message import RULES, Message, Rule, rules_for

GLOSSARY = read_glossary(CATALOGS / "glossary.csv")
BAD = sorted(CATALOGS.glob("bad/*/*.po"))
GOOD = sorted(CATALOGS.glob("good/*/*.po"))
FIRST = {"en", "ko", "zh_CN", "ja"}
OURS = sorted((PROJECT / "locales").rglob("*.po"))
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


def findings(path: Path) -> list[check.Finding]:
    return list(check.check_catalogs([path], GLOSSARY))


def command(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "gallery_site", "check", *map(str, arguments)]
    return subprocess.run(line, cwd=PROJECT, capture_output=True, text=True)


def test_shares_of_many_catalogs_have_the_findings_of_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(check.os, "sched_getaffinity", lambda _: {0, 1, 2}, False)
    assert len(BAD) > check.MANY_CATALOGS

    shared = [*check.check_shares(BAD, GLOSSARY, "en")]

    assert shared != check.check_share(BAD, GLOSSARY, "en")
    assert sorted(shared) == sorted(check.check_share(BAD, GLOSSARY, "en"))


@pytest.mark.parametrize("path", BAD, ids=name_of)
def test_a_bad_catalog_has_the_findings_that_it_expects(path: Path) -> None:
    found = sorted({(finding.line, finding.rule) for finding in findings(path)})

    assert found == expected(path)


@pytest.mark.parametrize("path", GOOD, ids=name_of)
def test_a_good_catalog_has_no_findings(path: Path) -> None:
    assert [str(finding) for finding in findings(path)] == []


@pytest.mark.parametrize("language", ["ko", "zh_CN", "ja"])
def test_every_rule_has_a_bad_catalog_in_each_of_its_languages(language: str) -> None:
    tried = {
        rule
        for path in BAD
        if path.parent.name == language
        for _, rule in expected(path)
    }

    assert tried == {*rules_for(language), "waiver", "broken-catalog"}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_the_manuals_examples_are_true(rule: Rule) -> None:
    kinds = (rule.kind == "interface", GLOSSARY, rule.kind == "comment")
    bad, good = (
        Message(rule.languages[0], rule.english, text, *kinds)
        for text in (rule.bad, rule.good)
    )

    assert list(rule.check(bad)) != []
    assert list(rule.check(good)) == []


def test_every_rule_has_a_manual_with_a_bad_and_a_good_example() -> None:
    manual = "\n".join(check.manual())

    for name, rule in RULES.items():
        assert f"{name} (" in manual
        assert inspect.getdoc(rule.check) in manual
        assert f'"{rule.english}" -> "{rule.bad}"' in manual
        assert f'"{rule.english}" -> "{rule.good}"' in manual


def test_every_finding_says_a_remedy() -> None:
    found = [finding for path in BAD for finding in findings(path)]

    assert [f for f in found if not re.search(r"\(.+\)$", f.text)] == []


@pytest.mark.parametrize(
    ("word", "particle", "right"),
    [
        *[("GPU", "이", "가"), ("LSTM", "를", "을"), ("1", "으로", "로")],
        *[("10", "로", "으로"), ("DataParallel", "으로", "로"), ("to", "과", "와")],
        *[("loader", "으로써", "로써"), ("복제본", "로는", "으로는")],
        *[("module", "를", "를"), ("module", "을", "을"), ("ADDR", "와", "와")],
    ],
)
def test_a_particle_follows_the_sound_where_it_is_known(
    word: str, particle: str, right: str
) -> None:
    assert right_form(word, particle) == right


def test_a_new_language_is_checked_by_the_rules_for_all_languages() -> None:
    names = set(rules_for("ar"))

    assert names == {name for name, rule in RULES.items() if "*" in rule.languages}
    assert not list(RULES["invisible"].check(Message("fa", "books", "کتاب\u200cها")))


def test_the_quotes_of_taiwan_are_no_foreign_signs() -> None:
    check_signs, texts = RULES["foreign-signs"].check, ('This is "new".', "「新」。")

    assert list(check_signs(Message("zh_CN", *texts)))
    assert "foreign-signs" in rules_for("zh_CN")
    assert "foreign-signs" not in rules_for("zh_TW")


@pytest.mark.parametrize("piece", ["가", "一", "9", "Ab", "a. ", "가나 다라. "])
@pytest.mark.parametrize("language", ["ko", "zh_CN", "ja"])
def test_no_rule_takes_long_over_a_long_translation(piece: str, language: str) -> None:
    text = piece * (9_000 // len(piece))
    message = Message(language, "Split it. Then PyTorch adds (it) to four.", text)

    started = time.process_time()
    list(check.broken(message, rules_for(language)))

    assert time.process_time() - started < 10  # seconds; each letter with each: minutes


def test_our_catalogs_have_no_findings() -> None:
    glossary = read_glossary(PROJECT / "locales" / "glossary.csv")

    assert [str(f) for f in check.check_catalogs(OURS, glossary)] == []


def test_the_first_four_languages_are_complete() -> None:
    """A language that is added later may be begun."""
    first = [path for path in OURS if check.language_of(path) in FIRST]

    assert list(check.gaps(first)) == []


def test_the_command_says_where_what_and_how_and_fails() -> None:
    path = CATALOGS / "bad/ko/open_quote.po"

    run = command(path)

    place = f"{path.relative_to(PROJECT)}:8: broken-catalog: "
    assert run.stdout == place + 'text without its closing " (add it)\n'
    assert run.returncode == 1


def test_github_shows_a_finding_beside_its_line() -> None:
    path = CATALOGS / "bad/ko/sphinx.po"

    run = command("--format", "github", path)

    file = path.relative_to(PROJECT)
    start = (
        f"::error file={file},line=8,title=placeholders::not as in English: %25(who)s"
    )
    assert run.stdout.startswith(start)


def test_github_shows_all_lines_of_a_finding() -> None:
    finding = check.Finding(Path("a.po"), 1, "doubled", "100%\n100% (once)")

    shown = "::error file=a.po,line=1,title=doubled::100%25%0A100%25 (once)"
    assert finding.annotation() == shown


def test_the_command_succeeds_on_good_catalogs() -> None:
    assert command(CATALOGS / "good/ko/markup.po").returncode == 0


def test_the_command_does_not_pass_over_a_wrong_path() -> None:
    run = command("locales/nowhere.po")

    assert "no catalogs: locales/nowhere.po" in run.stderr
    assert run.returncode == 1
