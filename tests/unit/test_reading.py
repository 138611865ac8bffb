"""How long a lesson takes is counted from its English script."""

import pytest

from gallery_site.reading import minutes


def script(words: int, lines: int) -> str:
    prose = "\n".join(["# word word"] * (words // 2))
    code = "x = 1\n\n" * lines
    return f'"""\nTitle\n=====\n"""\n\n# %%\n{prose}\n\n{code}'


@pytest.mark.parametrize(
    ("words", "lines", "expected"),
    [
        (0, 0, 5),
        (900, 0, 5),
        (1100, 0, 10),
        (900, 20, 10),
        (0, 90, 5),
        (0, 199, 10),
        (2000, 200, 25),
    ],
)
def test_minutes_are_words_and_lines_of_code_rounded_up(
    words: int, lines: int, expected: int
) -> None:
    assert minutes(script(words, lines)) == expected
