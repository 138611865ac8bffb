"""Templates that are compiled once for all builds: it is a third of a small one."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import jinja2

OPTIONS = (
    *("block_start_string", "variable_start_string", "comment_start_string"),
    *("line_statement_prefix", "line_comment_prefix", "trim_blocks", "lstrip_blocks"),
    *("newline_sequence", "keep_trailing_newline", "optimized", "autoescape"),
)


def keep(folder: Path) -> None:
    """Let each environment look for what was compiled with the same options.

    What is found has been compiled of the same text: a template may be edited.
    """
    folder.mkdir(exist_ok=True)
    begin = jinja2.Environment.__init__

    def begin_with_cache(self: jinja2.Environment, *args: Any, **options: Any) -> None:
        begin(self, *args, **options)
        if self.bytecode_cache is None:
            own = [type(self).__qualname__, sorted(self.extensions)]
            own += [getattr(self, name) for name in OPTIONS]
            key = hashlib.sha256(repr(own).encode()).hexdigest()[:8]
            pattern = f"{key}-%s"
            self.bytecode_cache = jinja2.FileSystemBytecodeCache(str(folder), pattern)

    jinja2.Environment.__init__ = begin_with_cache  # type: ignore[method-assign]
