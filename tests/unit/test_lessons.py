"""What each lesson says at its head, and what none of them does."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest
from paths import PROJECT

from gallery_run.needs import command
from gallery_site.hero import pinned
from gallery_site.pictograms import symbols

LESSONS = sorted((PROJECT / "gallery").rglob("*.py"))
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


def test_a_line_to_type_has_the_versions_of_the_requirements() -> None:
    found = pinned(["torch", "tool", "free"], "# x\ntorch==2.1\nfree\ntool==3.0.1\n")

    assert found == ["torch==2.1", "tool==3.0.1", "free"]


def test_the_line_that_starts_ranks_is_read_from_the_docstring() -> None:
    text = (
        '"""\nTitle\n\n   torchrun --standalone --nproc-per-node=3 a.py\n\nText.\n"""\n'
    )

    assert command(text) == "torchrun --standalone --nproc-per-node=3 a.py"
    assert command('"""Title"""\n') is None
