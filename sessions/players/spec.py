"""What a person writes to say who sits in a seat: `oracle:slips=1`, `llm:react`, `module:Class`, `cmd:"…"`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from domains.toolkit import Seat
    from sessions.event import PlayerInfo

Who: TypeAlias = Literal["oracle", "script", "llm", "class", "cmd"]

STYLES: Final[Mapping[Seat, Mapping[str, str]]] = {
    "agent": {"react": "react", "act": "act"},
    "user": {"react": "react", "verify": "verify", "reflection": "reflect"},
}
"""How a model can be asked to act, as it is written and as it is called inside."""

NUMBERS: Final[Mapping[Seat, Mapping[str, frozenset[str]]]] = {
    "agent": {"oracle": frozenset(("slips", "seed")), "llm": frozenset(("few-shot", "seed"))},
    "user": {"script": frozenset(("seed",)), "llm": frozenset(("seed",))},
}
"""Who can be asked for in a seat, and the options that are numbers."""

SHOTS: Final = 2
"""Examples in the prompt where no number is given."""

CLASS: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")


class UnknownPlayer(Exception):
    """A player that nobody knows; one line with those there are."""


@dataclass(frozen=True, slots=True)
class Spec:
    """Who sits in a seat. `style` is of a model; `code` is the class, or the command line."""

    who: Who
    options: Mapping[str, int] = field(default_factory=dict)
    style: str = ""
    code: str = ""


def parse_spec(seat: Seat, text: str) -> Spec:
    """Read what was asked for. Raises UnknownPlayer."""
    name, _, rest = text.partition(":")
    if name == "cmd":
        if not rest.strip():
            raise UnknownPlayer(f'--{seat} {text}: which command? for example --{seat} cmd:"python my_player.py"')
        return Spec("cmd", code=_unquoted(rest.strip()))
    if name not in NUMBERS[seat]:
        if CLASS.fullmatch(text) and name not in ("oracle", "script"):
            return Spec("class", code=text)
        there = (*NUMBERS[seat], "module:Class", "cmd:COMMAND")
        raise UnknownPlayer(f"--{seat} {text}: there is no such {seat}; choose {' or '.join(there)}")
    options: dict[str, int] = {}
    style = ""
    for part in filter(None, rest.split(",")):
        key, given, value = part.partition("=")
        if name == "llm" and part in STYLES[seat] and not style:
            style = STYLES[seat][part]
        elif key == "few-shot" and key in NUMBERS[seat][name] and not given:
            options[key] = SHOTS
        elif key in NUMBERS[seat][name] and value.isdigit():
            options[key] = int(value)
        else:
            takes = [f"{option}=N" for option in sorted(NUMBERS[seat][name])]
            styles = [" or ".join(STYLES[seat])] if name == "llm" else []
            raise UnknownPlayer(f"--{seat} {text}: {name} takes {', '.join([*styles, *takes])}")
    who: Who = "llm" if name == "llm" else "oracle" if name == "oracle" else "script"
    return Spec(who, options, style)


def _unquoted(command: str) -> str:
    return command[1:-1] if len(command) > 1 and command[0] == command[-1] == '"' else command


def spec_of(seat: Seat, info: PlayerInfo) -> str:
    """Return what would seat this player again, nothing for a person and for a model that another program ran."""
    settings = info.settings
    match info.kind:
        case "oracle" | "script":
            return info.name
        case "replay":
            return str(settings.get("then", ""))
        case "model" if "spec" in settings:
            return str(settings["spec"])
        case "model" if "prompt" in settings:
            written = {inside: outside for outside, inside in STYLES[seat].items()}
            parts = [written.get(str(settings.get("style")), "")]
            parts += [f"few-shot={settings['few_shot']}"] if "few_shot" in settings else []
            parts += [f"seed={settings['seed']}"] if "seed" in settings else []
            return ":".join(filter(None, ("llm", ",".join(filter(None, parts)))))
        case _:
            return ""
