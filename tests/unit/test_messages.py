"""Messages are collected without a run: whose figures may have other words now?"""

from pathlib import Path

import polib
import pytest

from gallery_intl.catalogs.labels import LABEL, keep_labels
from gallery_site.messages import Script, refuse_slips
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

    assert script.may_draw_anew is expected
    assert not script.has_run


def test_a_script_with_a_slip_stops_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "page.py"
    path.write_text("# Text.\nplt.figure(\n")

    with pytest.raises(BuildError, match=r"page\.py:2: '\(' was never closed"):
        refuse_slips(path)


def messages(*known: str) -> polib.POFile:
    """Make a catalog of messages; words in capitals are labels."""
    file = polib.POFile()
    for text in known:
        comment = f"{LABEL}: alt text" if text == "ALT" else LABEL
        comment = comment if text.isupper() else "paragraph"
        file.append(polib.POEntry(msgid=text, msgstr=text, comment=comment))
    return file


def test_labels_keep_their_places_among_messages_that_change() -> None:
    english = messages("ONE", "a", "ALT", "TWO", "b", "c", "THREE")
    template = messages("new", "a", "c", "b")

    keep_labels(template, english)

    order = ["ONE", "new", "a", "ALT", "TWO", "c", "THREE", "b"]
    assert [entry.msgid for entry in template] == order
    assert not any(entry.msgstr for entry in template if entry.msgid.isupper())


def test_a_label_that_is_a_text_below_its_figure_stays_at_the_figure() -> None:
    english = messages("a", "DDP", "STEP", "b", "c")
    template = messages("a", "b", "ddp", "c")
    template[2].msgid = "DDP"  # a cell of a table, where no figure was drawn

    keep_labels(template, english)

    assert [entry.msgid for entry in template] == ["a", "DDP", "STEP", "b", "c"]


def test_a_label_that_is_also_text_stays_both() -> None:
    template, english = messages("a"), messages("a")
    english[0].comment = f"{LABEL}\nparagraph"

    keep_labels(template, english)

    assert [entry.comment for entry in template] == [english[0].comment]
