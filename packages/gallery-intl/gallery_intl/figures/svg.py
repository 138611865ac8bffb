"""Give a figure other words and colours without drawing it again.

The figures are what Matplotlib writes with ``svg.fonttype = "none"``: each text is a
``<text>`` in a group ``text_1``, ``text_2``, ... A text with an id of its own
(``set_gid``) is left alone, and so is mathtext, which has no lines of plain text.
"""

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping
from html import escape, unescape

PAPER, INK, RULE = "#fefefe", "#24292f", "#d0d7de"
CYCLE = ("#1a4fa3", "#e05a00", "#0a9384", "#8a1f6a", "#6b5a14")
# What a figure has for each light colour when the page is dark.
DARK = {
    PAPER: "#14181e",
    INK: "#e6e8eb",
    RULE: "#48525f",
    "#1a4fa3": "#6a9cf5",
    "#e05a00": "#ee9440",
    "#0a9384": "#a6efe3",
    "#8a1f6a": "#f368b0",
    "#6b5a14": "#f7dc8c",
}
FONTS = "system-ui, 'Segoe UI', 'Helvetica Neue', 'Noto Sans', Arial, sans-serif"
PIXELS_PER_POINT = 100 / 72
MODE = "@media (prefers-color-scheme:dark)"
MARGIN = 3  # points between a widened figure's edge and its words

TEXT = re.compile(r'<g id="text_\d+">\s*(?:<text [^>]*>[^<]*</text>\s*)+</g>')
LINE = re.compile(r'(<text style="[^>]*>)([^<]*)(</text>)')
VIEW = re.compile(r'width="[^"]*" height="[^"]*" viewBox="([^"]*)"')
NUMBER = r"[-+\u2212]?[\d.,\s]*\d(?:e[-+]?\d+)?"
UNIT = r"(?:[kKMGTPmnµμ]?i?(?:B|b|s|bit|Hz|FLOPs?|W)(?:/s)?|min|h|%|°|×|x)"  # noqa: RUF001
MEASURE = re.compile(rf"{NUMBER}\s*{UNIT}?")
NAME = re.compile(r"\S*[\d_]\S*")  # layer1, all_reduce: the same in every language

Box = tuple[float, float, float, float]


def finish(svg: str, *, is_styled: bool = True) -> str:
    """Remove the date of a fresh figure; let one in our style follow dark mode."""
    svg = re.sub(r"<!DOCTYPE.*?>\s*|\s*<metadata>.*?</metadata>", "", svg, flags=re.S)
    if is_styled:
        svg = re.sub(r" font-family: 'DejaVu Sans', [^;\"]*;?", "", svg)
        svg = svg.replace("</style>", _style(svg) + "</style>", 1)
    return _with_view(svg, _view(svg))


def is_finished(svg: str) -> bool:
    """Return whether a figure follows light and dark mode, as those in our style."""
    return MODE in svg


def _style(svg: str) -> str:
    dark = "".join(
        f"[{there}]{{{use}:{shade}!important}}"
        for light, shade in DARK.items()
        for use, there, here in (
            ("fill", f'style*="fill: {light}"', f"fill: {light}"),
            ("stroke", f'style*="stroke: {light}"', f"stroke: {light}"),
            ("fill", f'fill="{light}"', f'fill="{light}"'),  # behind a hatch
        )
        if here in svg
    )
    # A rim around words keeps them readable where they cross lines and bars.
    words = f'text[style*="fill: {INK}"]'
    return (
        f":root{{background:{PAPER};font-family:{FONTS}}}"
        f"{words}{{paint-order:stroke;stroke:{PAPER};stroke-width:3px}}"
        f"{MODE}{{:root{{background:{DARK[PAPER]}}}"
        f"{words}{{stroke:{DARK[PAPER]}}}{dark}}}"
    )


def size(svg: str) -> tuple[int, int]:
    """Return width and height in CSS pixels; (0, 0) if the figure does not say."""
    _, _, width, height = _view(svg)
    return round(width * PIXELS_PER_POINT), round(height * PIXELS_PER_POINT)


def is_message(text: str) -> bool:
    """Return whether a text is words for a translator: no number, unit or name."""
    letters = sum(character.isalpha() for character in text)
    return letters > 1 and not (MEASURE.fullmatch(text) or NAME.fullmatch(text))


def messages(svg: str) -> list[str]:
    """Return the words of a figure, each once, in their order in the file."""
    texts = (_words(group[0]) for group in TEXT.finditer(svg))
    return [text for text in dict.fromkeys(texts) if is_message(text)]


def _words(group: str) -> str:
    return "\n".join(unescape(line[2]) for line in LINE.finditer(group))


def translate(svg: str, words: Mapping[str, str], language: str) -> str:
    """Put a language's words into a figure and make room for them.

    A text without translation stays; all else stays byte for byte, but for the
    language and the size on the first line.
    """
    boxes: list[Box] = []

    def replace(group: re.Match[str]) -> str:
        text = _words(group[0])
        if not is_message(text) or words.get(text, text) == text:
            return group[0]
        changed = _with_lines(group[0], words[text].split("\n"))
        boxes.extend(_extents(changed))
        return changed

    translated = TEXT.sub(replace, svg)
    if not boxes:
        return svg
    tag = language.replace("_", "-")
    translated = translated.replace("<svg ", f'<svg xml:lang="{tag}" ', 1)
    return _widened(translated, boxes)


def _with_lines(group: str, lines: list[str]) -> str:
    """Replace the lines of a group; what is too much goes on its last line."""
    last = len(LINE.findall(group)) - 1
    fitted = iter([*lines[:last], " ".join(lines[last:])])
    return LINE.sub(
        lambda line: line[1] + escape(next(fitted, ""), quote=False) + line[3], group
    )


def _width(text: str) -> float:
    """Estimate a text's width in em: no two machines have the same fonts."""
    return sum(map(_letter_width, text))


def _letter_width(letter: str) -> float:
    if unicodedata.combining(letter):
        return 0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1
    return 0.68 if letter.isupper() else 0.56


def _extents(group: str) -> Iterator[Box]:
    """Yield left, top, right and bottom of each line of a group."""
    for tag, text, _ in LINE.findall(group):
        place = re.search(r'x="([^"]*)" y="([^"]*)"', tag) or re.search(
            r"translate\(([\d.-]+) ([\d.-]+)\)", tag
        )
        height = re.search(r"font-size: ([\d.]+)px", tag)
        if not place or not height:
            continue
        turn = re.search(r"rotate\((-?[\d.]+)", tag)
        anchor = re.search(r"text-anchor: (\w+)", tag)
        em = float(height[1])
        width = _width(unescape(text)) * em
        before = {"middle": 0.5, "end": 1}.get(anchor[1] if anchor else "", 0) * width
        yield _turned(
            (float(place[1]), float(place[2])),
            math.radians(float(turn[1])) if turn else 0.0,
            (-before, -0.85 * em, width - before, 0.25 * em),
        )


def _turned(origin: tuple[float, float], angle: float, box: Box) -> Box:
    cosine, sine = math.cos(angle), math.sin(angle)
    corners = [(x, y) for x in box[0::2] for y in box[1::2]]
    across = [origin[0] + x * cosine - y * sine for x, y in corners]
    down = [origin[1] + x * sine + y * cosine for x, y in corners]
    return min(across), min(down), max(across), max(down)


def _view(svg: str) -> Box:
    """Return left, top, width and height in points; zeros if the figure has none."""
    match = VIEW.search(svg)
    x, y, width, height = map(float, match[1].split() if match else "0000")
    return x, y, width, height


def _widened(svg: str, boxes: list[Box]) -> str:
    x, y, width, height = _view(svg)
    left = min(x, *(box[0] - MARGIN for box in boxes))
    top = min(y, *(box[1] - MARGIN for box in boxes))
    right = max(x + width, *(box[2] + MARGIN for box in boxes))
    bottom = max(y + height, *(box[3] + MARGIN for box in boxes))
    return _with_view(svg, (left, top, right - left, bottom - top))


def _with_view(svg: str, view: Box) -> str:
    width, height = (round(side * PIXELS_PER_POINT) for side in view[2:])
    values = " ".join(f"{value:g}" for value in (round(side, 2) for side in view))
    return VIEW.sub(
        f'width="{width}" height="{height}" viewBox="{values}"', svg, count=1
    )
