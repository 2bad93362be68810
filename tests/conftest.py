"""Where the official data is found, and what no test may do: reach beyond loopback or load litellm."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


def official_folder() -> Path | None:
    """Return the official data folder, or None where it is not there."""
    named = os.environ.get("TAU2_DATA_DIR")
    folder = Path(named) if named else SHARED / "official"
    return folder if folder.is_dir() else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests of the official data by name where it is not there."""
    for item in items:
        if item.get_closest_marker("official") and official_folder() is None:
            item.add_marker(pytest.mark.skip(reason=f"official data not found: {item.nodeid}"))


@pytest.fixture(scope="session")
def official() -> Path:
    """The official data folder. Use together with `@pytest.mark.official`."""
    folder = official_folder()
    assert folder is not None
    return folder


@pytest.fixture(scope="session")
def conformance() -> Path:
    """The recordings of the official implementation, beside the official data."""
    folder = official_folder()
    assert folder is not None
    return folder.parent / "conformance"


@pytest.fixture(scope="session")
def corpus() -> Path:
    """Real recorded runs, beside the official data."""
    folder = official_folder()
    assert folder is not None
    return folder.parent / "corpus"


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes this person's own recordings and settings."""
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.delenv("TAU2_DATA_DIR", raising=False)


@pytest.fixture(autouse=True)
def _loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    real = socket.socket.connect

    def connect(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise AssertionError(f"a test reached for {address}")
        real(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)
