"""The console of tables and progress bars, which escapes control characters of users' text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from headgate.base.terminal import escape_controls


class PlainConsole(Console):
    """A console without markup that escapes control characters."""

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render, and escape control characters except those of rich itself."""
        for segment in super().render(renderable, options):
            lines = segment.text.split("\n")
            text = segment.text if segment.control else "\n".join(map(escape_controls, lines))
            yield Segment(text, segment.style, segment.control)
