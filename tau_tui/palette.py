"""Puts every key binding of the screen in front into the command palette, so that no action needs its key."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from textual.binding import Binding
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.dom import DOMNode


class BindingCommands(Provider):
    """Bindings with an id are ours; their tooltip is the help."""

    def _found(self) -> Iterator[tuple[str, str, DOMNode, Binding]]:
        nodes: list[DOMNode] = [self.app, self.screen, *self.screen.query("*")]
        seen: set[str] = set()
        for node in nodes:
            for bindings in node._bindings.key_to_bindings.values():
                for binding in bindings:
                    if binding.id and binding.id not in seen and getattr(node, "display", True):
                        seen.add(binding.id)
                        key = self.app.get_key_display(binding)
                        yield f"{binding.tooltip or binding.description} ({key})", binding.description, node, binding

    async def discover(self) -> Hits:
        """Everything."""
        for says, help_text, node, binding in self._found():
            yield DiscoveryHit(says, partial(self.app.run_action, binding.action, node), help=help_text)

    async def search(self, query: str) -> Hits:
        """What fits."""
        matcher = self.matcher(query)
        for says, help_text, node, binding in self._found():
            if (score := matcher.match(says)) > 0:
                run = partial(self.app.run_action, binding.action, node)
                yield Hit(score, matcher.highlight(says), run, help=help_text)
