"""Pages: which script each comes from."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sphinx.config import Config

from gallery_intl.page import page as pages


def environment(**values: object) -> Any:
    config = Config()
    config.add("sphinx_gallery_conf", {}, "", dict)
    config.add("gallery_intl_dirs", [], "", list)
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


def test_a_build_that_runs_nothing_knows_the_scripts_too() -> None:
    env = environment(gallery_intl_dirs=[("gallery", "tutorials")])

    assert pages.origin(env, "tutorials/a", ".py") == Path("/site/gallery/a.py")
