"""The console of tables and bars: it draws a user's text, and obeys none of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from headgate.base.visible import visible


class PlainConsole(Console):
    """A console without markup, on which control characters are written out."""

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render, and write out what a terminal would obey; rich's own controls stay."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(_lines(segment.text), segment.style)


def _lines(text: str) -> str:
    return "\n".join(map(visible, text.split("\n")))
