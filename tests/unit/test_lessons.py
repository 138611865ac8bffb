"""What each lesson has, and what none of them does."""

from __future__ import annotations

import ast
import csv
import re
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
from paths import PROJECT

from gallery_intl.script.source import blocks
from gallery_run.needs import command
from gallery_site.pictograms import symbols

LESSONS = sorted((PROJECT / "gallery").rglob("*.py"))
SEARCHES = "locales/searches.csv"
HEADS = [*LESSONS, *sorted((PROJECT / "gallery").glob("*/index.rst"))]


def head(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    return ast.get_docstring(ast.parse(text)) or "" if path.suffix == ".py" else text


def title(path: Path) -> str:
    return head(path).split("\n")[0]


def field(path: Path, name: str) -> str:
    found = re.search(rf"^:{name}: (.+)$", head(path), re.MULTILINE)
    return found[1] if found else ""


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_title_says_subject_and_point(path: Path) -> None:
    subject, colon, point = title(path).partition(": ")

    assert (colon, bool(point)) == (": ", True), "write the title as 'Subject: point'"
    assert len(subject) <= 25, "the sidebar shows the subject on one line: shorten it"


def test_no_two_lessons_have_one_subject() -> None:
    subjects = [title(path).partition(":")[0] for path in LESSONS]

    assert len(subjects) > 5
    assert len({*subjects}) == len(subjects)


@pytest.mark.parametrize("path", HEADS, ids=lambda path: f"{path.parent.stem}-{path}")
def test_a_card_has_one_short_line(path: Path) -> None:
    longest = 60 if path in LESSONS else 80

    said = f"write a ':Card: ' of at most {longest} letters below the title"
    assert 0 < len(field(path, "Card")) <= longest, said


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_with_ranks_says_how_to_start_them(path: Path) -> None:
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    joins = any(getattr(node, "attr", "") == "init_process_group" for node in nodes)

    line = "torchrun --standalone --nproc-per-node="
    assert not joins or line in head(path), f"write '{line}2 name.py' in the head"


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_ends_with_answers_and_what_to_remember(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    _before, _title, questions = text.partition("# Try it\n# ------\n")
    questions, title, rest = questions.partition("# What to remember\n")
    kept, _title, _after = rest.partition("# Where to go next\n")

    answer = "#   .. admonition:: Answer\n#      :collapsible: closed\n"
    assert questions.count(answer), f"below 'Try it', write a question and\n{answer}"
    said = "write 'What to remember', three list items, before 'Where to go next'"
    assert len(re.findall(r"^# - ", kept if title else "", re.MULTILINE)) == 3, said


def test_each_lesson_has_a_case_that_breaks_it() -> None:
    cases = tomllib.loads((PROJECT / "tests/run/broken_pages.toml").read_text("utf-8"))

    lessons = {f"{path.parent.name}/{path.stem}" for path in LESSONS}
    assert cases.keys() == lessons, "add a case to tests/run/broken_pages.toml"


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_says_what_its_reader_will_do(path: Path) -> None:
    said = "write ':Learn: You will ...' below the title"
    assert field(path, "Learn").startswith("You will"), said


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_has_a_pictogram_of_its_own(path: Path) -> None:
    others = [field(one, "Picture") for one in LESSONS if one != path]

    said = "draw a pictogram in gallery_site/templates/pictograms.svg"
    assert field(path, "Picture") in symbols(), said
    assert field(path, "Picture") not in others, f"another lesson has this one: {said}"


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_names_the_oldest_torch_that_it_was_tried_with(path: Path) -> None:
    said = "write ':Oldest torch: 2.N' below the title, after you ran it there"
    assert re.fullmatch(r"2\.\d+", field(path, "Oldest torch")), said


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_each_figure_has_its_alt_text_and_no_code_holds_one(path: Path) -> None:
    drawn, shown = 0, False
    for text, code in pairwise(blocks(path.read_text(encoding="utf-8"))):
        if code.kind == "code":
            figures = code.source.count("plt.subplots(")
            described = text.source.count(".. alt-text:: ")
            loop = re.search(r"\bfor .*:\n +fig, ax = plt\.subplots\(", code.source)
            in_loop = loop and described > figures  # one for each turn
            assert described == figures or in_loop, text.source
            drawn += figures
            shown = "plt.show()" in code.source or (shown and not figures)
    assert shown or not drawn, (
        "who runs the program has to see each figure: call plt.show()"
    )
    assert "label=(" not in path.read_text(encoding="utf-8")


def searches() -> dict[str, dict[str, str]]:
    """Return the rows of the table of what readers type, by their pages."""
    with (PROJECT / SEARCHES).open(encoding="utf-8", newline="") as file:
        return {row["page"]: row for row in csv.DictReader(file)}


def test_each_lesson_has_what_readers_type() -> None:
    lessons = {f"tutorials/{path.parent.name}/{path.stem}" for path in LESSONS}

    rows = searches()

    assert rows.keys() == lessons, f"{SEARCHES}: a row for each lesson, and no other"
    assert all(row["en"] for row in rows.values()), f"{SEARCHES}: write the column en"


@pytest.mark.translated
@pytest.mark.parametrize("language", ["ko", "zh_CN", "ja"])
def test_each_lesson_has_what_readers_type_in_each_language(language: str) -> None:
    missing = [page for page, row in searches().items() if not row[language]]

    assert not missing, f"{SEARCHES}: a native reader writes {language} of {missing}"


def test_no_page_forks_workers_beside_the_threads_of_a_group() -> None:
    """A fork copies a lock that a thread holds, but not the thread: it hangs."""
    for path in LESSONS:
        text = path.read_text("utf-8")
        assert not re.search(r"""context["']?\s*[=:]\s*["']fork["']""", text), path


def test_no_page_forks_after_join_has_let_all_warnings_through() -> None:
    """From 3.12 on Python warns of each fork beside a thread, but shows it nobody.

    ``Join`` calls ``warnings.simplefilter``, and from then on everybody sees it.
    """
    pages = [path.read_text("utf-8") for path in LESSONS]
    joining = [text for text in pages if "with Join(" in text]
    assert len(joining) == 1

    for text in joining:
        assert "**workers" not in text.partition("with Join(")[2]


def test_the_line_that_starts_ranks_is_read_from_the_docstring() -> None:
    text = (
        '"""\nTitle\n\n   torchrun --standalone --nproc-per-node=3 a.py\n\nText.\n"""\n'
    )

    assert command(text) == "torchrun --standalone --nproc-per-node=3 a.py"
    assert command('"""Title"""\n') is None
