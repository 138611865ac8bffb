"""What the catalogs of pages need of conf.py: set here, or refused with a word."""

from __future__ import annotations

from fnmatch import fnmatchcase

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.errors import ConfigError

from gallery_intl.builders import collects_messages
from gallery_intl.catalogs.po import source_language


def use_a_catalog_for_each_page(app: Sphinx, config: Config) -> None:
    """Let each page have its own catalog, which Sphinx alone joins by folders.

    Its default and ``True`` are alike, so both are replaced; the catalogs command moves
    the translations of joined catalogs to those of the pages.
    """
    if isinstance(config.gettext_compact, str):
        raise ConfigError(
            f"gettext_compact: {config.gettext_compact!r} joins the catalogs of all"
            " pages, but each page needs its own (delete the line, or write False)"
        )
    config.gettext_compact = False


def is_left_as_written(env: BuildEnvironment) -> bool:
    """Return whether the pages of this build stay as Sphinx-Gallery writes them.

    They do in the source language, unless the project asks for ours there too.
    """
    is_source = env.config.language == source_language(env.config)
    if collects_messages(env) or not is_source:
        return False
    return not getattr(env.config, "gallery_intl_source_downloads", False)


def is_to_translate(config: Config, docname: str) -> bool:
    """Return whether a page is one of those that the project translates."""
    patterns = getattr(config, "gallery_intl_pages", [])
    return not patterns or any(fnmatchcase(docname, each) for each in patterns)
