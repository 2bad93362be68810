"""Sessions written for other programs and other people; `docs/export.md` describes the formats."""
