"""The page that offers the languages says in each of them what the site is."""

import shutil
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from paths import ROOTS

from gallery_intl.catalogs import po as catalogs
from gallery_site.project import read_site
from gallery_site.root_files import write_root_files

ROOT = ROOTS / "test-site"
HEADER = 'msgid ""\nmsgstr ""\n"Language: ko\\n"\n'


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ROOT, tmp_path / "site"))


def front(source: Path, korean: str, flag: str = "") -> dict[str, str]:
    """Give what the front page says about the site, by language."""
    message = f'\n#. paragraph\n{flag}msgid "One. Two."\nmsgstr "{korean}"\n'
    message += '\n#. paragraph\nmsgid "Three."\nmsgstr "셋입니다."\n'
    path = catalogs.po_path(source / "locales", "ko", "index")
    path.write_text(HEADER + message, encoding="utf-8")
    for language in ("en", "ko"):
        (source / "html" / language).mkdir(parents=True)
    write_root_files(read_site(source), source / "html")
    text = (source / "html" / "index.html").read_text(encoding="utf-8")
    choices = BeautifulSoup(text, "html.parser").select("main li")
    return {li["lang"]: li.small.get_text() for li in choices if li.small}


def test_the_first_sentence_of_the_first_page_says_what_the_site_is(
    source: Path,
) -> None:
    assert front(source, "하나입니다. 둘입니다.") == {"ko": "하나입니다."}


@pytest.mark.parametrize(
    ("korean", "flag"),
    [("", ""), ("하나입니다.", "#, fuzzy\n"), ("``하나``입니다.", "")],
    ids=["untranslated", "fuzzy", "markup"],
)
def test_a_sentence_that_cannot_be_shown_is_left_out(
    source: Path, korean: str, flag: str
) -> None:
    assert front(source, korean, flag) == {}
