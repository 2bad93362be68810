"""What a key of the phone asks before it is pressed: a choice, or whether to pay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from domains.values import JSON
from tau_tui.screens.dialogs.choice import ChoiceDialog

if TYPE_CHECKING:
    from textual.app import App

    from tau_tui.widgets.phone import Phone


async def arguments_of(app: App[None], pressed: Phone.Pressed, *, confirm: bool) -> Mapping[str, JSON] | None:
    """Ask in a worker what has to be asked, and return the arguments of the call; None when it was called off."""
    press = pressed.press
    if press is None:
        return pressed.arguments
    about = ", ".join(f"{value}" for value in pressed.arguments.values())
    if press.choices:
        answers = [(value, value) for value in press.choices]
        chosen = await app.push_screen_wait(ChoiceDialog(f"{press.argument}?", about, answers))
        return None if chosen is None else {**pressed.arguments, press.argument: chosen}
    if press.asks and confirm:
        answers = [("yes", f"yes, {press.word}"), ("no", "no, go back")]
        if await app.push_screen_wait(ChoiceDialog(press.asks, about, answers)) != "yes":
            return None
    return pressed.arguments
