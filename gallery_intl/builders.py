"""Tell what a build is for; builders of others may be subclasses of Sphinx's."""

from __future__ import annotations

from sphinx.application import Sphinx
from sphinx.builders.gettext import MessageCatalogBuilder
from sphinx.environment import BuildEnvironment


def collects_messages(env: BuildEnvironment) -> bool:
    """Return whether this build makes catalogs, not pages."""
    # Sphinx 9.0.4: `SphinxTransform.app` warns that Sphinx 11 removes it; 8.2 knows
    # the builder there only
    builder_class = getattr(env, "_builder_cls", None) or type(env.app.builder)
    return issubclass(builder_class, MessageCatalogBuilder)


def collect_as_written(app: Sphinx) -> None:
    """Let no catalog be in effect where messages are collected.

    Of a literal, as comments are, Sphinx would take the translation for the message.
    """
    if collects_messages(app.env):
        app.config.locale_dirs = []
