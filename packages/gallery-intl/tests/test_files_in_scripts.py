"""A program that a script writes to a file is read, translated and proven as one."""

from gallery_intl.downloads.notebook import Cell, program
from gallery_intl.script.comments import Comment, replace_comments
from gallery_intl.script.files import emptied, file_of, statement
from gallery_intl.script.source import same_program

BLOCK = '''
# language=Python
(folder / "hi.py").write_text("""\\
# Say it.
print("hi")  # now
""", encoding="utf-8")
'''
SCRIPT = f'x = 1  # outside\n{BLOCK}\ny = "z"\n'


def test_a_block_that_only_writes_a_file_is_one() -> None:
    file = file_of(BLOCK)

    assert file is not None
    assert (file.folder, file.name, file.line) == ("folder", "hi.py", 4)
    assert file.text == '# Say it.\nprint("hi")  # now\n'
    assert file_of(f"{BLOCK}x = 1\n") is None


def test_a_string_that_is_not_the_very_text_of_the_file_is_none() -> None:
    for there in ("\\n", '"""'):
        assert file_of(BLOCK.replace('"hi")', f'"{there}")')) is None
    assert file_of(BLOCK.replace("# language=Python\n", "")) is None


def test_its_comments_are_translated_and_nothing_else() -> None:
    new = replace_comments(BLOCK, {"Say it.": "말하기.", "now": "지금"}.get, 1, [])

    assert new == BLOCK.replace("Say it.", "말하기.").replace("now", "지금")
    assert same_program(BLOCK, new) is None


def test_a_translation_that_the_string_cannot_hold_is_refused() -> None:
    refused: list[Comment] = []

    new = replace_comments(BLOCK, {"Say it.": "a\\b", "now": 'a"""b'}.get, 1, refused)

    assert new == BLOCK
    assert [one.message for one in refused] == ["Say it.", "now"]


def test_another_program_in_a_file_is_another_program() -> None:
    for old, new, line in (
        ('"hi")', '"ho")', 6),
        ("hi.py", "ho.py", 4),
        ('"z"', '"a"', 9),
        ("# language=Python\n", "", 4),
    ):
        difference = same_program(SCRIPT, SCRIPT.replace(old, new))
        assert difference is not None
        assert difference.line == line


def test_an_emptied_script_keeps_its_lines() -> None:
    empty, (file,) = emptied(SCRIPT)

    assert empty.count("\n") == SCRIPT.count("\n")
    assert (file.name, file.line) == ("hi.py", 5)


def test_the_cell_of_a_notebook_is_the_same_program() -> None:
    file = file_of(BLOCK)
    assert file is not None

    cell = file.cell()

    assert cell == '%%writefile {folder}/hi.py\n# Say it.\nprint("hi")  # now'
    assert statement(cell) == BLOCK.strip("\n")
    other = [Cell("code", cell.replace("hi.py", "ho.py"))]
    assert same_program(BLOCK, program([Cell("code", cell)])) is None
    assert same_program(BLOCK, program(other)) is not None
