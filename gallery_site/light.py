"""Give pages one small style sheet and one script in place of 27 files.

A page of the theme loads all of Bootstrap and 2,000 icons, and Sphinx's search. The
layout in ``layout`` loads ``light.css`` and ``light.js``, which are made here
of the same files, without what no page uses. The icons are a font inside the style
sheet, because Firefox loads no font for a page that is opened from disk.
"""

from __future__ import annotations

import base64
import hashlib
import io
import logging
import re
from importlib.metadata import version
from pathlib import Path

import rcssmin
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from sphinx.application import Sphinx
from sphinx.config import Config

import gallery_intl
import sphinx_cjk_search

LAYOUT = Path(__file__).parent / "layout"
STYLES = [
    "basic.css",
    "styles/pydata-sphinx-theme.css",
    "pygments.css",
    "copybutton.css",
    "cjk-search.css",
    "figures.css",
    "gallery_intl.css",
    "gallery_site.css",
    "sphinx-design.min.css",
]
# the strings of two scripts come before the scripts that show them
SCRIPTS = [
    "documentation_options.js",
    "doctools.js",
    "translations.js",
    "gallery_intl_words.js",
    "sphinx_highlight.js",
    "clipboard.min.js",
    "copybutton.js",
    "cjk-search-marks.js",
    "cjk-search-dialog.js",
    "gallery_intl.js",
    "scripts/bootstrap.js",
    "scripts/pydata-sphinx-theme.js",
]

# Classes of the theme, Bootstrap, Font Awesome and sphinx-design that no page has.
UNUSED = re.compile(
    r"""\.(?:
    fa-(?!(?:solid|lg|angle-left|angle-right|arrow-up|bars|circle-half-stroke
        |download|house|list|magnifying-glass|moon|outdent|sun)(?![\w-]))
    | (?:accordion|alert|badge|bg|border|carousel|cell_(?:in|out)put|col-|column-|float
        |focus-ring|gap|g[xy]?-|icon-link|input-group|is-(?:in)?valid|justify-content
        |link|list-(?:group|inline)|object-fit|offcanvas|offset|order|overflow|page-link
        |pagination|placeholder|popover|progress|ratio|row(?!-odd|-even)|spinner
        |sticky|text|toast|was-validated)\b
    | align-(?!default|items-center) | btn-(?!sm) | card(?!-facts|-picture|-words)
    | container-(?:sm|md|lg|xl|xxl|fluid) | display-\d
    | dropdown-(?!item\b|menu\b|menu-end|toggle\b) | dropdown-menu-(?!end)
    | [dm][tbsexy]?-(?!flex\b|none\b|print-none|auto\b|1\b) | p[tbsexy]?-\d
    | flex-(?!column\b) | form-(?!control\b) | form-control-
    | modal(?!-backdrop) | nav-(?:fill|justified|pills|tabs|underline)
    | navbar-(?:collapse|dark|expand(?!-lg)|icon-links|text|toggler)
    | rounded(?!-pill) | sd-(?!tab-) | table-
    )""",
    re.VERBOSE,
)
RULE = re.compile(r"([^{}@;]+)(\{[^{}]*\})")
COMMA = re.compile(r",(?![^(]*\))")  # not one inside :not(a, b)
OTHERS = re.compile(r":(?:not|is|where|has)\([^()]*\)")  # an element may match without
NO_RULES = re.compile(r"@(?:media|supports)[^{};]*\{\}|@charset[^;]*;")
# An icon: a character that has no other meaning, or its number.
ICON = re.compile(r'"(?:([\ue000-\uf8ff])|\\([ef][0-9a-f]{3}))"')
FONT_FACE = re.compile(r"@font-face\{[^}]*url\(\.\./(vendor/[^)]*\.woff2)\)[^}]*\}")
COMMENT = re.compile(r"^ *//.*\n", re.MULTILINE)  # lines of their own
LICENCE = [0, 13, 14]  # names in a font: copyright, licence, and its URL

logging.getLogger("fontTools").setLevel(logging.WARNING)


def used_rule(rule: re.Match[str]) -> str:
    """Return a rule with those of its selectors that some page may match."""
    selectors = COMMA.split(rule[1])
    used = [x for x in selectors if not UNUSED.search(OTHERS.sub("", x))]
    return ",".join(used) + rule[2] if used else ""


def texts(static: Path, names: list[str]) -> list[str]:
    """Return the texts of files; English pages have no translations.js, for example."""
    files = [static / name for name in names]
    return [file.read_text(encoding="utf-8") for file in files if file.is_file()]


def join_styles(static: Path, names: list[str]) -> str:
    """Return one small style sheet, the fonts of its icons inside."""
    css = rcssmin.cssmin("\n".join(texts(static, names)), keep_bang_comments=True)
    css = NO_RULES.sub("", RULE.sub(used_rule, css))
    icons = {ord(char) if char else int(code, 16) for char, code in ICON.findall(css)}
    return FONT_FACE.sub(lambda face: with_font(face, static / face[1], icons), css)


def with_font(face: re.Match[str], path: Path, icons: set[int]) -> str:
    """Return an @font-face with a font of some icons; pages have only solid ones."""
    if not path.name.startswith("fa-solid"):
        return ""
    font = TTFont(path, recalcTimestamp=False)
    subsetter = Subsetter(Options(hinting=False, layout_features=[], name_IDs=LICENCE))
    subsetter.populate(unicodes=icons)
    subsetter.subset(font)
    font.flavor = "woff2"
    written = io.BytesIO()
    font.save(written)
    data = base64.b64encode(written.getvalue()).decode("ascii")
    return face[0].replace(f"../{face[1]}", f"data:font/woff2;base64,{data}")


def own_version(config: Config, srcdir: Path) -> str:
    """Return what changes with the files that both are made of."""
    packages = (__file__, gallery_intl.__file__, sphinx_cjk_search.__file__)
    folders = [Path(module).parent for module in packages]
    folders += [srcdir / name for name in config.html_static_path]
    files = [path for folder in folders for path in folder.rglob("*")]
    sources = [file for file in files if file.suffix in (".css", ".jinja", ".js")]
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for file in sorted(sources):
        digest.update(file.read_bytes())
    for package in ("sphinx", "pydata-sphinx-theme", "sphinx-design"):
        digest.update(version(package).encode())
    return digest.hexdigest()[:8]


def use_layout(app: Sphinx, config: Config) -> None:
    """Let pages load the two files; a new version of them writes all pages again."""
    config.templates_path = [str(LAYOUT), *config.templates_path]
    own = {"light_version": own_version(config, Path(app.srcdir))}
    config.html_context = {**config.html_context, **own}
    app.connect("build-finished", write_files, priority=900)


def write_files(app: Sphinx, error: Exception | None) -> None:
    if error or app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")
    styles = [*STYLES, *(name for name, _attributes in app.config.html_css_files)]
    scripts = [*SCRIPTS, *(name for name, _attributes in app.config.html_js_files)]
    (static / "light.css").write_text(join_styles(static, styles), encoding="utf-8")
    # the first character keeps "use strict" of one script from all others
    kept = (COMMENT.sub("", text) for text in texts(static, scripts))
    joined = "\n;\n".join(["", *kept])
    (static / "light.js").write_text(joined, encoding="utf-8")
