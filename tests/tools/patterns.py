"""Regular expressions that are compiled once for all builds.

It is a third of a small one. What a process had to compile it notes at its end, for
those that are forked after it.
"""

from __future__ import annotations

import os
import pickle
import re
import warnings
from contextlib import suppress
from multiprocessing import util
from pathlib import Path
from typing import Any

compiled: dict[Any, Any] = vars(re)["_cache"]  # by type, text and flags


def keep() -> None:
    """Let this process forget none; Python keeps 512, and a build has more."""
    vars(re)["_MAXCACHE"] = 100_000


class Notes:
    """Where processes that were forked note what they had to compile."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.known: set[Any] = set()

    def read(self) -> None:
        """Compile what was noted, so that the next ones have it."""
        for note in self.folder.glob("[0-9]*"):
            with warnings.catch_warnings(action="ignore"):
                for text, flags in pickle.loads(note.read_bytes()):
                    re.compile(text, flags)
            note.unlink()

    def begin(self) -> None:
        """Note it at the end of this process, and of those that it forks."""
        self.known = set(compiled)
        util.register_after_fork(self, Notes.begin)
        util.Finalize(None, self.write, exitpriority=0)

    def write(self) -> None:
        """Write what is new, if it is much."""
        new = [key[1:] for key in compiled if key not in self.known]
        if len(new) > 5:
            note = self.folder / str(os.getpid())
            draft = note.with_name(f"draft-{note.name}")
            with suppress(OSError):  # nobody reads them any more
                draft.write_bytes(pickle.dumps(new))
                draft.rename(note)
