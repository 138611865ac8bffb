"""The built site keeps what it promises: links, one program, one language a page."""

from __future__ import annotations

import functools
import gc
import io
import json
import re
import tokenize
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from urllib.parse import SplitResult, unquote, urlsplit
from xml.etree import ElementTree

import pytest
from bs4 import BeautifulSoup, Tag
from leftovers import english_on, leftovers
from made import html
from paths import PROJECT
from readers import LANGUAGES, TRANSLATED, each_language, each_translation

from gallery_intl.catalogs import po as catalogs
from gallery_intl.script import files, source
from gallery_site.project import read_site

LINKS = ("href", "src", "action", "poster", "data", "xlink:href")
LEADS_AWAY = ("a", "form")  # what a reader follows; all else is loaded with the page
IN_CSS = re.compile(r"""(?:url\(|@import)\s*["']?([^"')]+)""")
NOT_PROGRAM = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.ENDMARKER,
    tokenize.INDENT,
    tokenize.DEDENT,
)


@pytest.fixture(scope="session")
def project(site: Path) -> Path:
    """The sources that the site was built from."""
    return site.parent.parent


@pytest.fixture(scope="module", autouse=True)
def forget() -> Iterator[None]:
    """Leave a gigabyte of pages to no other file: who looks for garbage looks there."""
    yield
    read.cache_clear()
    gc.collect()


@functools.cache
def read(path: Path) -> BeautifulSoup:
    return html(path)


def pages(folder: Path) -> list[Path]:
    found = sorted(
        path for path in folder.rglob("*.html") if "_static" not in path.parts
    )
    assert found, f"no page in {folder}"
    return found


def gallery(site: Path, language: str) -> dict[str, BeautifulSoup]:
    """Map the names of the gallery's pages, such as part/page, to the pages."""
    scripts = site.parent.parent / "gallery"
    names = [
        path.relative_to(scripts).with_suffix("").as_posix()
        for path in sorted(scripts.rglob("*.py"))
    ]
    assert names
    return {
        name: read(site / language / "tutorials" / f"{name}.html") for name in names
    }


def interface_words(project: Path, language: str) -> dict[str, str]:
    po = catalogs.po_path(project / "locales", language, "sphinx")
    return catalogs.translations(po)


# links


def links(page: BeautifulSoup) -> Iterator[tuple[Tag, str]]:
    for tag in page.find_all(True):
        yield from ((tag, tag[name]) for name in LINKS if name in tag.attrs)
        for candidate in tag.get("srcset", "").split(","):
            if candidate.strip():
                yield tag, candidate.split()[0]
        css = tag.get("style", "") + (tag.text if tag.name == "style" else "")
        yield from ((tag, link) for link in IN_CSS.findall(css))


def target_of(site: Path, path: Path, link: SplitResult, base: str = "") -> Path | None:
    """Give the file that a link of a file leads to; None if there is none inside."""
    if base and link.path.startswith(base):  # the 404 page stands at any depth
        path, link = site / "404.html", link._replace(path=link.path[len(base) :])
    if link.scheme or link.netloc or link.path.startswith("/"):
        return None
    target = (path.parent / unquote(link.path)).resolve() if link.path else path
    return target if target.is_file() and target.is_relative_to(site) else None


@functools.cache
def ids(path: Path) -> frozenset[str]:
    return frozenset(tag["id"] for tag in read(path).select("[id]"))


@functools.cache
def own_address() -> SplitResult:
    return urlsplit(read_site(PROJECT).address)


def is_dead(site: Path, path: Path, tag: Tag, text: str) -> bool:
    link, own = urlsplit(text), own_address()
    if own.netloc and link.netloc == own.netloc:
        link = link._replace(scheme="", netloc="")
    if link.scheme in ("http", "https") and tag.name in LEADS_AWAY:
        return False
    if link.scheme in ("data", "mailto"):
        return False
    target = target_of(site, path, link, own.path)
    if target is None:
        return True
    checked = link.fragment and target.suffix == ".html"
    return bool(checked) and unquote(link.fragment) not in ids(target)


def test_every_link_leads_somewhere_and_pages_load_nothing_from_elsewhere(
    site: Path,
) -> None:
    dead = [
        f"{path.relative_to(site)}: <{tag.name}> {text}"
        for path in pages(site)
        for tag, text in links(read(path))
        if is_dead(site.resolve(), path.resolve(), tag, text)
    ]

    assert not dead, "\n".join(dead)


def test_style_sheets_load_only_files_of_the_site(site: Path) -> None:
    dead = [
        f"{path.relative_to(site)}: {text}"
        for path in sorted(site.rglob("*.css"))
        for text in IN_CSS.findall(path.read_text(encoding="utf-8"))
        if not text.startswith("data:")
        and target_of(site.resolve(), path.resolve(), urlsplit(text)) is None
    ]

    assert not dead, "\n".join(dead)


def test_figures_load_nothing(site: Path) -> None:
    loaded = [
        f"{path.relative_to(site)}: {text}"
        for path in sorted(site.rglob("_images/*.svg"))
        for text in loaded_by_svg(path)
        if not text.startswith("#")
    ]

    assert not loaded, "\n".join(loaded)


@each_language
def test_the_search_index_knows_the_pages_and_their_sections(
    site: Path, language: str
) -> None:
    known = found_by_search(site / language)

    sections = [(name, id_) for name in known for id_, _ in known[name]]

    assert {f"tutorials/{name}" for name in gallery(site, language)} <= {*known}
    assert len(sections) > 100
    for name, fragment in sections:
        path = site / language / f"{name}.html"
        assert path.is_file()
        assert not fragment or fragment in ids(path), f"{name}#{fragment}"


def loaded_by_svg(path: Path) -> Iterator[str]:
    for node in ElementTree.parse(path).iter():
        yield from (node.attrib[name] for name in node.attrib if "href" in name)
        yield from IN_CSS.findall(" ".join((node.text or "", *node.attrib.values())))


# one program


@each_translation
def test_a_page_and_its_sections_have_the_same_addresses_in_all_languages(
    site: Path, language: str
) -> None:
    for path in pages(site / "en"):
        name = path.relative_to(site / "en")

        there, here = (sections(site / x / name) for x in (language, "en"))

        assert there == here, f"{language}/{name}"
    assert len(pages(site / language)) == len(pages(site / "en"))


def sections(path: Path) -> list[str]:
    ids = [tag["id"] for tag in read(path).select("article [id]")]
    # the glossary is sorted by the words of its language
    return sorted(ids) if path.name == "words.html" else ids


@each_translation
def test_outputs_are_the_same_bytes_in_all_languages(site: Path, language: str) -> None:
    def outputs(page: BeautifulSoup) -> list[str]:
        return [
            pre.decode_contents() for pre in page.select(".sphx-glr-script-out pre")
        ]

    there = {name: outputs(page) for name, page in gallery(site, language).items()}

    here = {name: outputs(page) for name, page in gallery(site, "en").items()}
    assert all(here.values())
    assert there == here


def test_no_output_is_a_warning_or_names_a_folder_of_this_machine(
    project: Path, site: Path
) -> None:
    for name, page in gallery(site, "en").items():
        said = "".join(x.get_text() for x in page.select(".sphx-glr-script-out pre"))

        assert "Warning: " not in said, name
        assert str(project) not in said, name


@each_language
def test_the_code_of_a_page_is_its_script_in_all_languages(
    project: Path, site: Path, language: str
) -> None:
    for name, page in gallery(site, language).items():
        script = (project / "gallery" / f"{name}.py").read_text(encoding="utf-8")

        blocks = [pre.get_text() for pre in page.select(".highlight-Python pre")]

        shown = [token for block in blocks for token in program(block)]
        assert shown == [token for part in code_of(script) for token in program(part)]


@each_language
def test_start_lines_and_the_code_of_figures_are_folded(
    project: Path, site: Path, language: str
) -> None:
    words = interface_words(project, language)
    start = words["Start the ranks: the same lines in every lesson"]
    figure = words["The code of the figure"]
    titles = set()

    for name, page in gallery(site, language).items():
        folded = []
        for block in page.select(".highlight-Python:not(.intl-program *)"):
            code = block.get_text().strip()
            title = figure if "plt.subplots(" in code else ""
            if '"RANK" not in os.environ' in code and "init_process_group(" in code:
                title = start
            fold = block.find_parent("details")
            assert (fold.summary.get_text() if fold else "") == title, name
            folded += [code] if fold else []
            titles.add(title)
        link = page.select_one('a.download[href$=".ipynb"]')["href"]
        notebook = (site / language / "tutorials" / name).parent / link
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        hidden = [c for c in cells if c["metadata"].get("jupyter", {})]
        assert ["".join(cell["source"]).strip() for cell in hidden] == folded, name
        assert all(cell["metadata"]["jupyter"]["source_hidden"] for cell in hidden)
    assert titles == {start, figure, ""}


def code_of(script: str) -> Iterator[str]:
    """Give the blocks of code of a script, of one that writes a file the file."""
    for block in source.blocks(script):
        if block.kind == "code":
            file = files.file_of(block.source)
            yield file.text if file else block.source


def program(source: str) -> list[str]:
    """Give a program's tokens; its comments and line ends left out."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return [token.string for token in tokens if token.type not in NOT_PROGRAM]


# one language a page


@each_language
def test_a_page_says_its_language(site: Path, language: str) -> None:
    said = {read(path).html["lang"] for path in pages(site / language)}

    assert said == {language.replace("_", "-")}


@pytest.mark.translated
@each_translation
def test_no_english_word_is_left_on_a_page(site: Path, language: str) -> None:
    found = [
        f"{path.relative_to(site)}: {text}"
        for path in pages(site / language)
        for text in english_on(path.read_text(encoding="utf-8"), language)
    ]

    assert not found, "\n".join(found)


@pytest.mark.translated
@each_translation
def test_no_english_word_is_left_in_a_figure(site: Path, language: str) -> None:
    used = {
        (path.parent / image["src"]).resolve()
        for path in pages(site / language)
        for image in read(path).select("img[src$='.svg']")
    }

    found = [
        f"{path.name}: {node.text}"
        for path in sorted(used)
        for node in ElementTree.parse(path).iter()
        if not node.tag.endswith("style") and leftovers(node.text or "", language)
    ]

    assert used
    assert not found, "\n".join(found)


@each_translation
def test_the_front_page_speaks_to_each_reader(site: Path, language: str) -> None:
    own = language.replace("_", "-")

    choices = read(site / "index.html").select(f"main [lang={own}]")

    texts = [text for choice in choices for text in choice.stripped_strings]
    assert texts
    assert [word for text in texts for word in leftovers(text, language)] == []


@pytest.mark.translated
@each_translation
def test_a_complete_page_has_no_gaps(site: Path, language: str) -> None:
    left = "[hreflang], .sphx-glr-script-out *, dl.words dt *"
    gaps = f".intl-gaps, [lang=en]:not({left})"
    found = [
        f"{path.relative_to(site)}: {node.get_text(' ', strip=True)}"
        for path in pages(site / language)
        for node in read(path).select(gaps)
    ]

    assert not found, "\n".join(found)


def test_every_page_has_an_icon(site: Path) -> None:
    # without one a browser asks the host's root for it
    without = [
        path.relative_to(site).as_posix()
        for path in pages(site)
        if not read(path).select("link[rel~=icon]")
    ]

    assert not without, "\n".join(without)


@each_language
def test_the_sources_are_linked_but_in_no_menu_order_or_search(
    site: Path, language: str
) -> None:
    folder = site / language
    order = "header, .bd-sidebar-primary, .prev-next-area"
    sources = "a[href$='sources.html']:not(.language-menu a)"

    listing = [
        path.name
        for path in pages(folder)
        if any(place.select(sources) for place in read(path).select(order))
    ]

    assert listing == []
    assert read(folder / "sources.html").select(".prev-next-area a") == []
    for place in ("article", ".bd-footer"):
        assert read(folder / "about.html").select(f"{place} {sources}")
    known = found_by_search(folder)
    assert known["about"]
    assert "sources" not in known


def found_by_search(folder: Path) -> dict[str, list[tuple[str, str]]]:
    """Return the pages that search knows, each with its sections: address, title."""
    path = folder / "_static" / "cjk-search-index.js"
    text = path.read_text(encoding="utf-8")
    index = json.loads(text[text.index("{") : text.rindex(";")])
    return {
        address.removesuffix(".html"): [(id_, title) for id_, title in found]
        for address, _kind, _size, found in index["pages"]
    }


# the translations


# The catalog's file, or, once there is a repository, its editor there
CATALOG_LINK = (
    ".translation-credits:has(a), .ways-out:has([href*='/edit/main/locales/'])"
)


@each_language
def test_every_page_says_who_translated_it_but_the_source(
    site: Path, language: str
) -> None:
    wrong = [
        f"{path.relative_to(site)}"
        for path in pages(site / language)
        if len(read(path).select(CATALOG_LINK))
        != (language in TRANSLATED and has_text(path))
    ]

    assert not wrong, "\n".join(wrong)


def has_text(path: Path) -> bool:
    """Tell whether somebody wrote a page, and not Sphinx alone."""
    return path.stem not in ("search", "genindex")


# the language menu


@each_language
def test_the_menu_links_to_the_same_page_in_every_language(
    site: Path, language: str
) -> None:
    for path in pages(site / language):
        name = path.relative_to(site / language)
        expected = {site / x / name: x.replace("_", "-") for x in LANGUAGES}
        menus = read(path).select("details.language-menu")
        assert menus, name

        for menu in menus:
            choices = menu.find_all("a")

            leads = {
                target_of(site, path.resolve(), urlsplit(a["href"])): a["lang"]
                for a in choices
            }
            assert leads == expected, name
            assert [a["hreflang"] for a in choices] == [a["lang"] for a in choices]
            current = [a["lang"] for a in choices if a.get("aria-current")]
            assert current == [language.replace("_", "-")], name


def test_the_front_page_offers_the_languages_and_sends_nobody_away(site: Path) -> None:
    page = read(site / "index.html")

    choices = {a["href"]: a["hreflang"] for a in page.select("main a")}

    assert choices == {f"{x}/index.html": x.replace("_", "-") for x in LANGUAGES}
    assert not page.select("meta[http-equiv=refresh i]")
    assert not re.search(r"location\s*(?:=|\.(?:href|assign|replace))", str(page))


# the end of a page


@each_language
def test_a_gallery_page_says_where_it_ran_and_ends_with_time_and_maker(
    project: Path, site: Path, language: str
) -> None:
    words = interface_words(project, language)
    time = as_pattern(words["Running time of the script: %.1f seconds"])
    before = words["Outputs from: %s"].partition("%s")[0]
    maker = as_pattern(words["Gallery generated by %s"])

    for name, page in gallery(site, language).items():
        footer = page.select("article *:has(> .sphx-glr-footer) > *")[-1]
        assert "sphx-glr-footer" in footer.get("class", ()), name
        links = page.select("ul.downloads a.download")
        files = {PurePosixPath(a["href"]).name for a in links}
        stem = PurePosixPath(name).name
        assert {f"{stem}.py", f"{stem}.ipynb"} <= files, name
        assert files <= {f"{stem}.py", f"{stem}.ipynb", f"{stem}.zip"}, name
        timing, machine, signature = footer.select("p")
        assert time.fullmatch(timing.get_text()), name
        assert before in machine.get_text(), name
        assert maker.fullmatch(signature.get_text()), name
        (made,) = page.select("ul.downloads + .outputs-made")
        assert page.get_text().count(made.get_text()) == 1, name
        assert not page.select(".output-machine"), name


def as_pattern(text: str) -> re.Pattern[str]:
    """Give a pattern for a message with its placeholder filled in."""
    before, after = re.split(r"%s|%\.1f", text)
    return re.compile(f"{re.escape(before)}.+{re.escape(after)}")


def archive(site: Path, language: str) -> dict[str, str]:
    """Return the texts in the archive of all programs, by their names below its top."""
    folder = site / language
    (link,) = read(folder / "index.html").select("a.download[href$='gallery.zip']")
    with zipfile.ZipFile(folder / link["href"]) as opened:
        names = opened.namelist()
        return {x.removeprefix("gallery/"): opened.read(x).decode() for x in names}


@each_language
def test_the_archive_of_all_programs_holds_those_of_every_page(
    site: Path, language: str
) -> None:
    programs = {
        f"{x}{end}" for x in gallery(site, language) for end in (".py", ".ipynb")
    }

    about = {"README.md", "requirements.txt", "LICENSE"}
    assert archive(site, language).keys() == programs | about


@each_language
def test_the_readme_of_the_archive_starts_each_program_in_reading_order(
    site: Path, language: str
) -> None:
    texts, lessons = archive(site, language), gallery(site, language)

    lines = texts["README.md"].splitlines()
    assert lines[0] == f"# {read(site / language / 'index.html').h1.find(string=True)}"
    commands = [line.split() for line in lines if line.endswith(".py")]
    assert {command[0] for command in commands} == {"python", "torchrun"}
    started = [command[-1] for command in commands]
    assert sorted(started) == sorted(f"{name}.py" for name in lessons)
    assert started[0] == "start/hello_ranks.py"
    heads = [texts[name].partition("\n# ///\n")[0] for name in started]
    needed = {line for head in heads for line in re.findall(r'"([\w>=.]+)"', head)}
    newest = max(needed - {"matplotlib", ">=3.11"}, key=lambda x: int(x.split(".")[1]))
    assert texts["requirements.txt"].split()[:2] == ["matplotlib", newest]


# names in code and text


def is_of_torch(href: str | None) -> bool:
    return href is not None and "docs.pytorch.org/docs/2" in href


def name_links(site: Path, language: str) -> Iterator[list[Tag]]:
    """Yield for each page the links to torch that names in code and text have."""
    for path in pages(site / language):
        yield [
            link
            for article in read(path).find_all("article")
            for link in article.find_all("a", href=is_of_torch)
            if link.find_parent("pre") or link.find("code", recursive=False)
        ]


@each_language
def test_a_name_is_linked_once_in_a_block_of_code_and_once_in_a_section(
    site: Path, language: str
) -> None:
    for links in name_links(site, language):
        places = [link.find_parent(["pre", "section"]) for link in links]
        found = [(id(x), y["href"]) for x, y in zip(places, links, strict=True)]

        assert len({*found}) == len(found), found
        assert not [x for x in links if x.find_parent(["h1", "h2", "h3", "nav"])]


@each_language
def test_the_inventory_has_what_the_pages_use_and_no_more(
    site: Path, language: str
) -> None:
    lines = (PROJECT / "inventories" / "torch.inv").read_text("utf-8").splitlines()
    base = f"https://docs.pytorch.org/docs/{lines[2].rpartition(' ')[2]}/"
    rows = (line.split() for line in lines[3:])

    addresses = {
        f"{base}{place}#{'module-' if kind == 'mod' else ''}{name}"
        for name, kind, place in rows
    }
    linked = {link["href"] for links in name_links(site, language) for link in links}
    assert linked == addresses
