"""Let one build at a time generate the gallery, so that others run beside it.

Sphinx-Gallery writes its pages into the source folder: languages that are built side by
side would take each other's files away. Each waits for its turn; what the first has
run the next finds current.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging

from gallery_intl import order
from gallery_intl.files import only_one
from gallery_intl.page.page import folders
from gallery_intl.page.upstream import GENERATOR

logger = logging.getLogger(__name__)


class Turn:
    """The time in which this build may generate."""

    def __init__(self) -> None:
        self.held = contextlib.ExitStack()

    def begin(self, app: Sphinx) -> None:
        """Wait for the turn, where this build generates at all."""
        listeners = app.events.listeners.get("builder-inited", [])
        galleries = [gallery for _examples, gallery in folders(app.config)]
        if galleries and any(each.handler is GENERATOR for each in listeners):
            lock = only_one(Path(app.srcdir, galleries[0]), self.say)
            self.held.enter_context(lock)

    def end(self, app: Sphinx) -> None:
        self.held.close()

    def say(self) -> None:
        logger.info("waiting: another build generates the gallery")


def take_turns(app: Sphinx) -> None:
    """Keep others out from before Sphinx-Gallery generates until it has."""
    turn = Turn()
    app.connect("builder-inited", turn.begin, priority=order.BEFORE_GENERATING)
    app.connect("builder-inited", turn.end, priority=order.AFTER_GENERATING)
