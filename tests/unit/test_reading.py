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
        (900, 5, 10),
        (0, 24, 5),
        (0, 49, 10),
        (1900, 50, 20),
    ],
)
def test_minutes_are_words_and_lines_of_code_rounded_up(
    words: int, lines: int, expected: int
) -> None:
    assert minutes(script(words, lines)) == expected


def test_folded_code_takes_no_time() -> None:
    figure = "fig, ax = plt.subplots()\n" + "ax.plot()\n" * 200

    assert minutes(script(0, 0) + figure) == 5
