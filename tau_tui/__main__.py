"""`python -m tau_tui` is `tau-tui`."""

from __future__ import annotations

import sys

from tau_tui.cli import main

if __name__ == "__main__":
    sys.exit(main())
