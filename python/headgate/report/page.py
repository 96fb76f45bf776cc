"""One HTML page with its pictures inside: it opens from disk with the network off."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any

from headgate.errors import StoreError


@dataclass(frozen=True)
class Section:
    """A part of the page: a title, and HTML that the functions of this module made."""

    title: str
    html: str


def findings(sentences: Sequence[str]) -> str:
    """Return a list of sentences."""
    return f'<ul class="findings">{"".join(f"<li>{escape(s)}</li>" for s in sentences)}</ul>'


def paragraph(text: str) -> str:
    """Return a paragraph."""
    return f"<p>{escape(text)}</p>"


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a table; numbers are aligned, verdicts coloured."""
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    whole = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="wide">{whole}</div>'


def verdict(word: str) -> "Markup":
    """Return a verdict as a coloured word."""
    return Markup(f'<span class="verdict {word.replace(" ", "-")}">{escape(word)}</span>')


class Markup(str):
    """Text that is HTML already."""


def picture(path: Path, caption: str) -> str:
    """Return a figure with the PNG at `path` inside."""
    data = base64.b64encode(path.read_bytes()).decode()
    image = f'<img alt="{escape(caption)}" src="data:image/png;base64,{data}">'
    return f"<figure>{image}<figcaption>{escape(caption)}</figcaption></figure>"


def write_page(
    path: Path, title: str, question: str, sections: Sequence[Section], footer: str
) -> Path:
    """Write the page and return its path."""
    template = Template(resources.files("headgate.report").joinpath("page.html").read_text())
    body = "\n".join(
        f"<section><h2>{escape(part.title)}</h2>{part.html}</section>" for part in sections
    )
    page = template.substitute(
        title=escape(title), question=escape(question), body=body, footer=escape(footer)
    )
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise StoreError(f"{path}: the report cannot be written ({error.strerror})") from None
    return path


def _cell(value: Any) -> str:
    if isinstance(value, float):
        text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
        return f'<td class="number">{text}</td>'
    if isinstance(value, int):
        return f'<td class="number">{value:,}</td>'
    return f"<td>{value if isinstance(value, Markup) else escape(str(value))}</td>"
