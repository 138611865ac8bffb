"""Pages: which script each comes from."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sphinx.config import Config

from gallery_intl.page import page as pages


def environment(**values: object) -> Any:
    config = Config()
    config.add("sphinx_gallery_conf", {}, "", dict)
    for name, value in values.items():
        setattr(config, name, value)
    return SimpleNamespace(config=config, srcdir=Path("/site"))


def test_a_page_knows_its_script_in_each_of_several_galleries() -> None:
    env = environment(
        sphinx_gallery_conf={
            "examples_dirs": ["gallery", "more"],
            "gallery_dirs": ["tutorials", "tutorials_more"],
        }
    )

    assert pages.origin(env, "tutorials/a/b", ".py") == Path("/site/gallery/a/b.py")
    assert pages.origin(env, "tutorials_more/b", ".py") == Path("/site/more/b.py")
    assert pages.origin(env, "other/b", ".py") is None


@pytest.mark.parametrize("examples", ["./gallery/", "/site/gallery"])
def test_a_folder_may_be_written_in_several_ways(examples: str) -> None:
    conf = {"src_dir": "/site", "examples_dirs": examples, "gallery_dirs": "pages/"}
    env = environment(sphinx_gallery_conf=conf)

    assert pages.origin(env, "pages/a", ".py") == Path("/site/gallery/a.py")
