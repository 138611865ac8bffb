"""What the package sets in conf.py for catalogs of pages, or refuses."""

from __future__ import annotations

from typing import Any, cast

import pytest
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError

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
