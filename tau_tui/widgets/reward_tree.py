"""The evidence of a verdict as a tree that works by keyboard, with the whole text of the chosen line below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static, Tree
from textual.widgets.tree import TreeNode

from tau_tui.report import Line


class Evidence(Tree[Line]):
    """Lines with what they rest on below them; failed ones are open."""

    DEFAULT_CSS = "Evidence { height: 1fr; overflow-x: hidden; }"
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"evidence--{tone}" for tone in ("good", "bad", "warn", "plain", "quiet")}

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(Text(""), id=id)
        self.show_root = False
        self.guide_depth = 3

    def show(self, lines: Sequence[Line]) -> None:
        """Show other lines."""
        self.clear()
        self._grow(self.root, lines)
        self.root.expand()
        self.cursor_line = 0

    def _grow(self, node: TreeNode[Line], lines: Sequence[Line]) -> None:
        for line in lines:
            label = Text(line.text, no_wrap=True)
            if line.children:
                self._grow(node.add(label, line, expand=line.open), line.children)
            else:
                node.add_leaf(label, line)

    def render_label(self, node: TreeNode[Line], base_style: Style, style: Style) -> Text:
        """Colour a line by its tone, except under the cursor."""
        text = super().render_label(node, base_style, style)
        if node.data is not None and node is not self.cursor_node:
            text.stylize(self.get_component_rich_style(f"evidence--{node.data.tone}", partial=True))
        return text


class RewardTree(Vertical):
    """The tree and, below it, everything about the line under the cursor."""

    DEFAULT_CSS = """
    RewardTree {
        height: 1fr;
        & > #whole { height: auto; max-height: 35%; }
        & #whole-text { height: auto; }
    }
    """

    def compose(self) -> ComposeResult:
        """Tree above, details below."""
        yield Evidence(id="evidence")
        with VerticalScroll(id="whole", can_focus=True):
            yield Static(id="whole-text")

    def show(self, lines: Sequence[Line]) -> None:
        """Show other lines."""
        self.query_one(Evidence).show(lines)

    def focus_tree(self) -> None:
        """Let the keyboard walk the tree."""
        self.query_one(Evidence).focus()

    @on(Tree.NodeHighlighted)
    def _tell(self, event: Tree.NodeHighlighted[Line]) -> None:
        line = event.node.data
        self.query_one("#whole-text", Static).update(Content("" if line is None else line.detail or line.text))
        self.query_one("#whole").scroll_home(animate=False)
