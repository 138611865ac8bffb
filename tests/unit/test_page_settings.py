"""What the package sets in conf.py for catalogs of pages, or refuses."""

from __future__ import annotations

from typing import Any, cast

import pytest
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError

from gallery_intl.catalogs.po import source_language
from gallery_intl.page.settings import use_a_catalog_for_each_page

APP = cast(Sphinx, None)


def config(**values: Any) -> Config:
    found = Config({}, values)
    found.add("gettext_compact", True, "gettext", {bool, str})
    return found


def test_each_page_gets_a_catalog_though_sphinx_would_join_them() -> None:
    for given in (config(), config(gettext_compact=True)):
        use_a_catalog_for_each_page(APP, given)

        assert given.gettext_compact is False


def test_one_catalog_for_all_pages_is_refused_with_a_remedy() -> None:
    with pytest.raises(ConfigError, match=r"gettext_compact: 'docs'.*delete the line"):
        use_a_catalog_for_each_page(APP, config(gettext_compact="docs"))


def test_the_first_language_of_a_site_is_that_of_its_pages() -> None:
    languages = {"de": "Deutsch", "en": "English"}
    sites = (
        config(gallery_intl_languages=languages),
        Config({"gallery_intl_languages": languages}, {"language": "en"}),
        Config({"language": "de"}, {}),
    )

    for site in sites:
        site.add("gallery_intl_languages", {}, "html", dict)
        assert source_language(site) == "de"


def test_a_project_without_languages_is_translated_from_english() -> None:
    assert source_language(Config({}, {"language": "de"})) == "en"
