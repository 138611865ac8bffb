"""Check as in a project whose inline markup may touch CJK characters."""

from __future__ import annotations

from po_check_cjk.characters import end_markup_at_cjk

end_markup_at_cjk()
