"""The keys and commands of a screen, as text."""

from __future__ import annotations

from typing import Any

from textual.binding import Binding
from textual.screen import Screen

from tau_tui.widgets.command_list import COMMANDS


def keys_of(screen: Screen[Any]) -> list[tuple[str, str]]:
    """Return (group, lines): keys that work now first, then those of other parts, then the commands."""
    from tau_tui.screens.play import PlayScreen

    groups: dict[str, dict[str, str]] = {}
    told: set[str] = set()
    for node in (screen.app, screen, *screen.query("*")):
        for bindings in node._bindings.key_to_bindings.values():
            for binding in bindings:
                # A list binds again what its screen binds for the time in which the search box has the keys.
                if binding.id and (line := _line(screen, binding)) not in told:
                    told.add(line)
                    name = binding.group.description if binding.group else "Here"
                    groups.setdefault(name, {}).setdefault(binding.id, line)
    parts = [(name, "\n".join(lines.values())) for name, lines in groups.items()]
    if isinstance(screen, PlayScreen):
        commands = (f"/{command.name} {command.rest}".ljust(16) + command.says for command in COMMANDS)
        parts.append(("Commands, at the start of an empty line", "\n".join(commands)))
    return parts


def _line(screen: Screen[Any], binding: Binding) -> str:
    return f"{screen.app.get_key_display(binding):16}{binding.tooltip or binding.description}"
