"""Messages are collected without a run: whose figures may have other words now?"""

from pathlib import Path

import pytest

from gallery_site.messages import Script, check_syntax
from gallery_site.project import BuildError

DRAWS = "# Text.\nplt.figure()\n"


@pytest.mark.parametrize(
    ("text", "ran", "is_translated", "expected"),
    [
        (DRAWS.replace("Text", "Other text"), DRAWS, True, False),
        (f'"""New."""\n{DRAWS}', f'"""Old."""\n{DRAWS}', True, False),
        (f"{DRAWS}plt.title('new')\n", DRAWS, True, True),
        ("print('draws nothing')\n", DRAWS, True, False),
        (DRAWS, f"{DRAWS}(", True, True),
        (DRAWS, "", True, False),
        (DRAWS, "", False, True),
    ],
)
def test_figures_may_have_new_words_if_their_program_changed(
    tmp_path: Path, text: str, ran: str, is_translated: bool, expected: bool
) -> None:
    files = [tmp_path / name for name in ("page.py", "made.py", "ran.py", "page.po")]
    script = Script(files[0], "part/page", *files[1:])
    script.path.write_text(text)
    if ran:
        script.ran.write_text(ran)
    if is_translated:
        script.catalog.touch()

    assert script.may_have_new_words is expected


def test_a_script_with_a_slip_stops_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "page.py"
    path.write_text("# Text.\nplt.figure(\n")

    with pytest.raises(BuildError, match=r"page\.py:2: '\(' was never closed"):
        check_syntax(path)
