"""Makes text of any origin fit for a terminal; the work is done beside the exports, which need it too."""

from __future__ import annotations

from sessions.safe_text import TAB, one_line, safe

__all__ = ["TAB", "one_line", "safe"]
