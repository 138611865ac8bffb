"""Draw the picture that is shown when somebody shares a page.

It is drawn with Pillow: matplotlib, and with it sphinxext-opengraph, takes a family by
its name too, but cannot break a line of Chinese or Japanese.
"""

from __future__ import annotations

import functools
import hashlib
import io
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont, PngImagePlugin

from gallery_intl.files import replace_file
from gallery_site.card_fonts import Face, Family
from gallery_site.open_graph import CARD_FOLDER, CARD_SIZE

DRAWN_FROM = "Source"  # the note in the file, by which a card is known to be current
MARGIN = 80
INK, QUIET, PAPER, ACCENT = "#16202c", "#4c5a69", "#f7f8fa", "#2f6f9f"
TITLE_SIZES, TITLE_LINES = (72, 64, 56, 48), 3
TEXT_SIZE, TEXT_LINES = 34, 3
NAME_SIZE = 30

HIRAGANA = "\u3041-\u3096"
HAN_KANA = f"{HIRAGANA}\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"
OPENS = "（「『【《〈“‘"  # noqa: RUF001
CLOSES = "、。，．：；！？・）」』】》〉”’…ーぁぃぅぇぉっゃゅょ々"  # noqa: RUF001
# Lines of Han and kana break anywhere but before what closes and after what opens. In
# Japanese an ending in Hiragana stays with its word, and a number with what it counts.
UNIT = re.compile(
    rf"\s*[{OPENS}]*(?:[{HAN_KANA}]|[^\s{HAN_KANA}{OPENS}{CLOSES}]+)?"
    rf"(?:(?<=\d)[{HAN_KANA}])?[{HIRAGANA}]{{0,5}}[{CLOSES}]*"
)

AFTER_COLON = re.compile(r"(?<=[:：])\s*(?=\S)")  # noqa: RUF001


class Block(NamedTuple):
    """A text of a card, with the family that has its letters."""

    text: str
    family: Family


class Card(NamedTuple):
    """What stands on a card."""

    site_name: Block
    title: Block
    lines: list[Block]


@functools.cache
def font(face: Face, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(face.path, size, index=face.number)


def wrapped(text: str, used: ImageFont.FreeTypeFont, width: float) -> list[str]:
    """Break a text into lines that are not wider than ``width``."""
    lines = [""]
    for unit in filter(None, UNIT.findall(text)):
        if lines[-1] and used.getlength(lines[-1] + unit) > width:
            lines.append("")
        lines[-1] += unit if lines[-1] else unit.lstrip()
    return lines


def balanced(text: str, used: ImageFont.FreeTypeFont, width: int) -> list[str]:
    """Break a text into as few lines as can be, of about the same width."""
    best = wrapped(text, used, width)
    for narrower in range(width - 40, width // 2, -40):
        lines = wrapped(text, used, narrower)
        too_wide = any(used.getlength(line) > narrower for line in lines)
        if len(lines) > len(best) or too_wide:
            break
        best = lines
    return best


def in_parts(title: str, used: ImageFont.FreeTypeFont, width: int) -> list[str]:
    """Break a title after its colon, if that takes no line more."""
    lines = balanced(title, used, width)
    parts = AFTER_COLON.split(title)
    apart = [line for part in parts for line in balanced(part, used, width)]
    return apart if len(lines) > 1 and len(apart) <= len(lines) else lines


def title_lines(
    title: Block, width: int
) -> tuple[list[str], ImageFont.FreeTypeFont, int]:
    """Give a title's lines in the largest size in which they are few."""
    for size in TITLE_SIZES:
        used = font(title.family.bold, size)
        lines = in_parts(title.text, used, width)
        if len(lines) <= TITLE_LINES:
            break
    return clipped(lines, TITLE_LINES), used, size


def clipped(lines: list[str], most: int) -> list[str]:
    """Leave out the lines that have no place."""
    return lines if len(lines) <= most else [*lines[: most - 1], f"{lines[most - 1]}…"]


def paint(card: Card) -> Image.Image:
    """Draw a card."""
    picture = Image.new("RGB", CARD_SIZE, PAPER)
    pen = ImageDraw.Draw(picture)
    width, height = CARD_SIZE
    pen.rectangle((0, 0, 16, height), fill=ACCENT)
    room = width - 2 * MARGIN

    name = font(card.site_name.family.bold, NAME_SIZE)
    pen.text((MARGIN, 72), card.site_name.text, ACCENT, name)

    lines, used, size = title_lines(card.title, room)
    top = 160
    for line in lines:
        pen.text((MARGIN, top), line, INK, used)
        top += round(size * 1.3)

    top += 30
    for block in card.lines:
        used = font(block.family.regular, TEXT_SIZE)
        for line in clipped(balanced(block.text, used, room), TEXT_LINES):
            pen.text((MARGIN, top), line, QUIET, used)
            top += round(TEXT_SIZE * 1.5)
    return picture


def source_of(card: Card) -> str:
    """Give what a card is drawn from: its texts, its fonts and this module."""
    design = hashlib.sha256(Path(__file__).read_bytes())
    design.update(repr(card).encode("utf-8"))
    return design.hexdigest()


def is_current(path: Path, source: str) -> bool:
    """Tell whether a card was drawn from the same."""
    if not path.is_file():
        return False
    with Image.open(path) as picture:
        return picture.info.get(DRAWN_FROM) == source


def draw(card: Card, path: Path) -> None:
    """Write a card as a PNG of the same bytes, unless it is there already."""
    source = source_of(card)
    if is_current(path, source):
        return
    note = PngImagePlugin.PngInfo()
    note.add_text(DRAWN_FROM, source)
    made = io.BytesIO()
    paint(card).save(made, "PNG", optimize=True, pnginfo=note)
    replace_file(path, made.getvalue())


def card_path(folder: Path, page: str) -> Path:
    """Give the place of a page's card in the folder of its language."""
    return folder / CARD_FOLDER / f"{page}.png"


def note_on_missing(folder: Path, pages: Iterable[str]) -> str:
    """Say which pages have no card, and why; "" if each has one."""
    without = [page for page in sorted(pages) if not card_path(folder, page).is_file()]
    if not without:
        return ""
    return (
        f"{len(without)} pages without a social card, such as {without[0]}:"
        " no font with their letters (install one, name it in gallery_intl_card_fonts)"
    )
