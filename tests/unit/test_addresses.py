"""What cannot read conf.py says what conf.py says, and invents nothing."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from paths import PROJECT
from ruamel.yaml import YAML

from gallery_site import addresses
from gallery_site.addresses import FILES, Known, known, labels, pages_address, with_urls
from gallery_site.project import BuildError, read_site

NOWHERE = Known(
    title="Title",
    author="The authors",
    version="1.0",
    languages={"en": "English", "ko": "한국어", "pt_BR": "português"},
    owners={},
    repository="",
    branch="main",
    site="",
)
URL, SITE = "https://github.com/owner/name", "https://owner.github.io/name/"
SOMEWHERE = NOWHERE._replace(repository=URL, site=SITE, owners={"ko": "@a", "": "@b"})


@pytest.mark.parametrize("name", FILES)
def test_the_files_of_the_repository_say_what_conf_says(name: str) -> None:
    text = (PROJECT / name).read_text("utf-8")

    assert text == FILES[name](known(read_site(PROJECT))), "say make addresses"


@pytest.mark.parametrize("name", FILES)
def test_without_an_address_nothing_is_invented(name: str) -> None:
    text = FILES[name](NOWHERE)

    assert "://" not in text
    assert "@" not in text
    assert '""' not in text
    assert "None" not in text


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("CITATION.cff", [URL, SITE]),
        (".github/CODEOWNERS", ["* @b", "\n/locales/ko/ @a", "# /locales/pt_BR/"]),
        (".github/CODEOWNERS", ["\n/gallery_intl/locales/ko/ @a"]),
        (".github/ISSUE_TEMPLATE/config.yml", [f"{URL}/security", f"{SITE}en/"]),
        (".github/weblate.json", [f'"{URL}"', f"{URL}/blob/{{{{branch}}}}"]),
    ],
)
def test_with_an_address_each_file_has_it(name: str, wanted: list[str]) -> None:
    text = FILES[name](SOMEWHERE)

    assert [each for each in wanted if each not in text] == []
    if name.endswith((".cff", ".yml")):
        assert YAML(typ="safe").load(text)


def test_pyproject_has_the_addresses_that_there_are() -> None:
    text = (PROJECT / "pyproject.toml").read_text("utf-8")

    assert text == with_urls(text, known(read_site(PROJECT))), "say make addresses"
    written = with_urls(text, SOMEWHERE)
    assert tomllib.loads(written)["project"]["urls"] == {
        "Repository": URL,
        "Issues": f"{URL}/issues",
        "Changelog": f"{URL}/blob/main/CHANGELOG.md",
    }
    assert with_urls(written, SOMEWHERE) == written, "once"
    assert "urls" not in with_urls(written, NOWHERE)


def test_weblate_finds_each_page_and_never_english() -> None:
    said = json.loads(FILES[".github/weblate.json"](NOWHERE))
    found = said["addons"]["weblate.discovery.discovery"]
    paths = [x.relative_to(PROJECT) for x in PROJECT.glob("locales/*/LC_*/**/*.po")]

    matches = [re.fullmatch(found["match"], path.as_posix()) for path in paths]

    assert len(matches) > 40
    assert all(matches)
    languages = {each["language"] for each in matches if each}
    wanted = {x for x in languages if re.search(found["language_regex"], x)}
    assert wanted == languages - {"en"}
    assert said["component"]["language_regex"] == found["language_regex"]


@pytest.mark.parametrize(
    ("repository", "site"),
    [
        (URL, SITE),
        ("https://github.com/Owner/name.git", SITE),
        ("https://github.com/Owner/owner.github.io/", "https://owner.github.io/"),
        ("https://gitlab.com/owner/name", ""),
    ],
)
def test_github_pages_have_a_known_address(repository: str, site: str) -> None:
    assert pages_address(repository) == site


def test_one_command_sets_both_addresses(tmp_path: Path) -> None:
    conf = tmp_path / "conf.py"
    conf.write_text((PROJECT / "conf.py").read_text("utf-8"), encoding="utf-8")

    addresses.set_addresses(conf, URL)
    site = read_site(tmp_path)

    assert (site.config.gallery_repository_url, site.address) == (URL, SITE)
    assert len(addresses.write(site)) == len(FILES)
    assert not addresses.write(site)

    addresses.set_addresses(conf, "", "https://example.org/")
    site = read_site(tmp_path)

    assert site.config.gallery_repository_url == URL
    assert site.address == "https://example.org/"

    conf.write_text("project = 'none'\n")
    with pytest.raises(BuildError, match="no line gallery_repository_url"):
        addresses.set_addresses(conf, URL)


def test_every_label_of_a_form_is_known() -> None:
    forms = sorted((PROJECT / ".github/ISSUE_TEMPLATE").glob("*.yml"))
    files = [*forms, PROJECT / ".github/dependabot.yml"]
    used = {
        label
        for path in files
        for found in re.findall(r"^ *labels: \[(.*)\]$", path.read_text("utf-8"), re.M)
        for label in found.split(", ")
    }

    listed = [line.split("|") for line in labels(NOWHERE.languages)]

    assert len(used) >= 6
    assert used <= {name for name, _colour, _about in listed}
    assert [name for name, *_ in listed if name.startswith("language:")] == [
        "language: ko",
        "language: pt_BR",
    ]
    assert all(re.fullmatch("[0-9a-f]{6}", colour) for _, colour, _ in listed)
    assert all(len(about) <= 100 for _, _, about in listed)
