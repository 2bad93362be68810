"""Config file, environment, defaults, in that order of weakness: a flag beats all three."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from domains.values import JSON
    from sessions.event import ViewMode

DEFAULT_PLAYER = "me"


class SettingsError(Exception):
    """A setting cannot be used: one line that says which, where it stands and what to do."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a person has settled for good. Each has an environment variable: `TAU_TUI_PLAYER`, `TAU_TUI_DB` …"""

    player: str = DEFAULT_PLAYER
    data: Path | None = None
    db: Path | None = None
    view: ViewMode | None = None
    confirm_writes: bool = True
    bell: bool = False
    agent_llm: str = ""
    user_llm: str = ""
    agent_args: Mapping[str, JSON] | None = None
    user_args: Mapping[str, JSON] | None = None
    agent_api_base: str = ""
    user_api_base: str = ""


def read_env_file(folder: Path | None = None) -> None:
    """Take what `.env` in the working folder says into the environment, where that does not say otherwise.

    A file that cannot be read is no business of ours: most belong to another project.
    """
    path = (folder or Path.cwd()) / ".env"
    if not path.is_file():
        return
    import logging

    from dotenv import dotenv_values

    logging.getLogger("dotenv.main").addHandler(logging.NullHandler())  # it complains of lines that are no assignments
    try:
        found = dotenv_values(path)
    except (OSError, UnicodeDecodeError):
        return
    for name, value in found.items():
        if value is not None:
            os.environ.setdefault(name, value)


def config_file() -> Path:
    """Return where the config file would be."""
    from platformdirs import user_config_path

    return user_config_path("tau-tui", appauthor=False) / "config.toml"


def _player_file() -> Path:
    from platformdirs import user_data_path

    return user_data_path("tau-tui", appauthor=False) / "player"


def load() -> Settings:
    """Return the settings of this person. Raises SettingsError."""
    read_env_file()
    values: dict[str, Any] = {}
    remembered = _player_file()
    if remembered.is_file():
        values["player"] = remembered.read_text("utf-8").strip() or DEFAULT_PLAYER
    path = config_file()
    known = {field.name: field.type for field in fields(Settings)}
    if path.is_file():
        import tomllib

        try:
            found = tomllib.loads(path.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise SettingsError(f"{path}: {error}") from None
        if unknown := sorted(set(found) - set(known)):
            raise SettingsError(f"{path}: there is no setting {unknown[0]!r}; there are {', '.join(known)}")
        values |= {name: _typed(name, str(known[name]), value, str(path)) for name, value in found.items()}
    for name, kind in known.items():
        variable = f"TAU_TUI_{name.upper()}"
        if text := os.environ.get(variable):
            values[name] = _typed(name, str(kind), text, variable)
    if (folder := os.environ.get("TAU2_DATA_DIR")) and "data" not in values:
        values["data"] = Path(folder)
    return Settings(**values)


def _typed(name: str, kind: str, value: Any, where: str) -> Any:
    if "Mapping" in kind:
        from sessions.players.model.choice import WrongModel, parse_args

        try:
            return value if isinstance(value, dict) else parse_args(str(value), f"{where}: {name}")
        except WrongModel as error:
            raise SettingsError(str(error)) from None
    if "bool" in kind:
        flags = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
        if isinstance(value, bool):
            return value
        if str(value).lower() in flags:
            return flags[str(value).lower()]
        raise SettingsError(f"{where}: {name} is yes or no, not {value!r}")
    if not isinstance(value, str):
        raise SettingsError(f"{where}: {name} is a text, not {value!r}")
    if name == "view" and value not in ("blind", "open", "present"):
        raise SettingsError(f"{where}: view is blind, open or present, not {value!r}")
    return Path(value).expanduser() if "Path" in kind else value


def remember_player(name: str) -> None:
    """Keep a pseudonym for the next time. Raises OSError with what to do."""
    path = _player_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name + "\n", "utf-8")
    except OSError as error:
        what = "--player cannot be remembered; make this folder writable, or name another with XDG_DATA_HOME"
        raise OSError(error.errno, f"{error.strerror}: {what}", str(path.parent)) from None
