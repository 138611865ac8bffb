"""What the tests share: copies of the roots."""

from collections.abc import Callable, Iterator
from gettext import NullTranslations

import pytest
from building import Copy, copy_root

from gallery_intl import locale


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Copy]:
    """Copy a root, each time to another folder."""
    return lambda name: copy_root(name, tmp_path_factory.mktemp(name))


@pytest.fixture(autouse=True)
def in_english() -> Iterator[None]:
    """Take the words of another language away after a test that used them."""
    yield
    locale.use(NullTranslations())
