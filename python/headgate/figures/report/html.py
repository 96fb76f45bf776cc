"""Small pieces of HTML, every text in them escaped."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from html import escape
from typing import Any


class Markup(str):
    """Text that is HTML already."""


def slug(text: str) -> str:
    """Return a text in the letters of a name."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def text_of(text: str) -> str:
    """Return a text as HTML."""
    return text if isinstance(text, Markup) else escape(text)


def findings(sentences: Sequence[str]) -> str:
    """Return a list of sentences; those that are Markup stay as they are."""
    items = "".join(f"<li>{text_of(sentence)}</li>" for sentence in sentences)
    return f'<ul class="findings">{items}</ul>'


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph."""
    return f"<p{f' class={chr(34)}{kind}{chr(34)}' if kind else ''}>{text_of(text)}</p>"


def link(target: str, text: str) -> Markup:
    """Return a link, to a part of the page or to a file beside it."""
    return Markup(f'<a href="{escape(target)}">{text_of(text)}</a>')


def tip(text: str, more: str) -> Markup:
    """Return a text with what is said of it when it is pointed at."""
    return Markup(f'<span title="{escape(more)}">{text_of(text)}</span>')


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]], kind: str = "") -> str:
    """Return a table; numbers are aligned, verdicts coloured."""
    head = "".join(_heading(name, [row[at] for row in rows]) for at, name in enumerate(columns))
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    begin = f'<table class="{kind}">' if kind else "<table>"
    return wide(f"{begin}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>", "Table")


def wide(html: str, called: str) -> str:
    """Return what scrolls sideways where it does not fit, by the keyboard too."""
    return f'<div class="wide" role="group" tabindex="0" aria-label="{escape(called)}">{html}</div>'


def verdict(word: str, tone: str = "") -> Markup:
    """Return a verdict as a coloured word."""
    return Markup(f'<span class="verdict {tone or slug(word)}">{escape(word)}</span>')


def fold(summary: str, html: str) -> str:
    """Return what opens by a click."""
    return f"<details><summary>{text_of(summary)}</summary>{html}</details>"


def number(value: float) -> str:
    """Return a number with few digits."""
    return f"{value:,.0f}" if abs(value) >= 1000 and math.isfinite(value) else f"{value:.4g}"


def _heading(name: str, values: Sequence[Any]) -> str:
    """Return the head of a column, above its numbers on the right; one without a name is a cell."""
    if not name:
        return "<td></td>"
    right = values and all(isinstance(value, int | float) for value in values)
    begin = '<th scope="col" class="number">' if right else '<th scope="col">'
    return f"{begin}{text_of(name)}</th>"


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f'<td class="number">{number(value)}</td>'
    if isinstance(value, int):
        return f'<td class="number">{value:,}</td>'
    return f"<td>{text_of(value if isinstance(value, str) else str(value))}</td>"
