"""litellm is imported once in a process; tests that need it say so by the fixture `litellm`."""

from __future__ import annotations

import pytest

from sessions.players.model.client import load


@pytest.fixture(scope="session")
def litellm() -> None:
    """litellm, loaded as the app loads it."""
    load().result()
