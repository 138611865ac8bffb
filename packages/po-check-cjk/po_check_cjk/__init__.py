"""Check gettext translations into Chinese, Japanese, Korean and other languages."""

from __future__ import annotations

__version__ = "0.1"
