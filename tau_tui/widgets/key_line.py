"""The line of keys at the bottom in which every key stands beside its own word."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.widgets import Footer
from textual.widgets._footer import FooterKey


class KeyLine(Footer):
    """A footer that folds no group of keys into one word."""

    def __init__(self) -> None:
        super().__init__(compact=True, show_command_palette=False)

    def compose(self) -> ComposeResult:
        """Show the keys that work now."""
        if not self._bindings_ready:
            return
        seen = set()
        for _, binding, enabled, tooltip in self.screen.active_bindings.values():
            if binding.show and binding.action not in seen:
                seen.add(binding.action)
                key = self.app.get_key_display(binding)
                yield FooterKey(
                    binding.key, key, binding.description, binding.action, disabled=not enabled, tooltip=tooltip
                ).data_bind(compact=Footer.compact)
