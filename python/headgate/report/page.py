"""One HTML page with its pictures inside: it opens from disk with the network off."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any

from headgate.errors import StoreError

NO_SCRIPT = (
    "<noscript><p>The interactive pictures need JavaScript; the same pictures lie in the folder"
    " figures beside this page.</p></noscript>"
)

#: What begins or ends a tag or an entity, as JSON says it otherwise.
IN_SCRIPT = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"}
#: Ends of lines to Vega's expressions, in which a text that holds one is an error: written out.
LINE_ENDS = {0x2028: "\\u2028", 0x2029: "\\u2029"}
IN_VEGA = IN_SCRIPT | {code: "\\" + text for code, text in LINE_ENDS.items()}


@dataclass(frozen=True)
class Section:
    """A part of the page: a title, and HTML that the functions of this module made."""

    title: str
    html: str

    @property
    def anchor(self) -> str:
        """What links to this section end with."""
        return anchor(self.title)


@dataclass(frozen=True)
class Charts:
    """Interactive pictures of a page: specifications, data, choices and what is chosen first.

    `choices` are by name: a title, and the values with what they are called.
    """

    specs: Mapping[str, Mapping[str, Any]]
    data: Mapping[str, Any]
    choices: Mapping[str, tuple[str, Mapping[str, str]]]
    first: Mapping[str, str]
    last: str


@dataclass(frozen=True)
class Page:
    """A page before it is written."""

    title: str
    question: str
    sections: Sequence[Section]
    footer: str
    charts: Charts | None = field(default=None)


class Markup(str):
    """Text that is HTML already."""


def anchor(title: str) -> str:
    """Return a title as the end of a link; what the page itself names has no such beginning."""
    return f"section-{slug(title)}"


def slug(text: str) -> str:
    """Return a text in the letters of a name."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def findings(sentences: Sequence[str]) -> str:
    """Return a list of sentences; those that are Markup stay as they are."""
    items = "".join(f"<li>{_text(sentence)}</li>" for sentence in sentences)
    return f'<ul class="findings">{items}</ul>'


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph."""
    return f"<p{f' class={chr(34)}{kind}{chr(34)}' if kind else ''}>{_text(text)}</p>"


def link(target: str, text: str) -> Markup:
    """Return a link, to a part of the page or to a file beside it."""
    return Markup(f'<a href="{escape(target)}">{escape(text)}</a>')


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a table; numbers are aligned, verdicts coloured."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    whole = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="wide">{whole}</div>'


def verdict(word: str, tone: str = "") -> Markup:
    """Return a verdict as a coloured word."""
    return Markup(f'<span class="verdict {tone or slug(word)}">{escape(word)}</span>')


def picture(path: Path, caption: str) -> str:
    """Return a figure with the PNG at `path` inside."""
    try:
        data = base64.b64encode(path.read_bytes()).decode()
    except OSError as error:
        raise StoreError(f"{path}: the picture cannot be read ({error.strerror})") from None
    image = f'<img alt="{escape(caption)}" src="data:image/png;base64,{data}">'
    return f"<figure>{image}<figcaption>{escape(caption)}</figcaption></figure>"


def chart(name: str, caption: str) -> str:
    """Return the place of an interactive picture, and of the numbers behind it."""
    said = escape(caption)
    return (
        f'<figure aria-label="{said}"><div class="chart" data-chart="{name}"></div>'
        f"<figcaption>{said}</figcaption>"
        f'<details class="rows" data-of="{name}"><summary>Numbers</summary>'
        '<div class="wide"></div></details></figure>'
    )


def fold(summary: str, html: str) -> str:
    """Return what opens by a click."""
    return f"<details><summary>{escape(summary)}</summary>{html}</details>"


def write_page(path: Path, page: Page) -> Path:
    """Write the page and return its path."""
    template = Template(own("page.html"))
    body = "\n".join(
        f'<section id="{part.anchor}"><h2>{escape(part.title)}</h2>{part.html}</section>'
        for part in page.sections
    )
    scripts = _scripts(page.charts)
    text = template.substitute(
        policy=policy(scripts),
        title=escape(page.title),
        question=escape(page.question),
        style=own("page.css"),
        contents="".join(f"<li>{link(f'#{p.anchor}', p.title)}</li>" for p in page.sections),
        choices=_choices(page.charts) if page.charts else "",
        body=body,
        footer=escape(page.footer),
        scripts="\n".join(
            [*_script_data(page.charts), *(f"<script>{code}</script>" for code in scripts)]
        ),
    )
    try:
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise StoreError(f"{path}: the report cannot be written ({error.strerror})") from None
    return path


def _choices(charts: Charts) -> str:
    """Return the bar of choices, which filter every picture."""
    selects = "".join(
        f'<label for="choice-{name}">{escape(title)}<select id="choice-{name}">{_options(values)}'
        "</select></label>"
        for name, (title, values) in charts.choices.items()
    )
    every = '<button type="button" id="all">All conditions</button>'
    said = '<p id="said" role="status" aria-live="polite"></p>'
    form = '<form class="choices" aria-label="Choices">'
    return f"{form}<div>{selects}{every}{said}</div></form>"


def _options(values: Mapping[str, str]) -> str:
    shown = {v.translate(LINE_ENDS): t.translate(LINE_ENDS) for v, t in values.items()}
    return "".join(f'<option value="{escape(v)}">{escape(t)}</option>' for v, t in shown.items())


def _script_data(charts: Charts | None) -> list[str]:
    """Return what the scripts read: specifications, data and choices, as JSON."""
    if charts is None:
        return []
    told = {"specs": charts.specs, "data": charts.data, "first": charts.first, "last": charts.last}
    text = json.dumps(told, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    text = text.translate(IN_VEGA)
    return [NO_SCRIPT, f'<script type="application/json" id="charts">{text}</script>']


def _scripts(charts: Charts | None) -> list[str]:
    """Return the code: Vega only where there is something to draw with it."""
    return [*([vega()] if charts else []), own("page.js")]


def policy(scripts: Sequence[str]) -> str:
    """Return the Content-Security-Policy: these scripts run, nothing is fetched or sent.

    Vega sets styles as it draws, and styles alone neither run code nor reach anything outside.
    Pictures are data, and blobs where one is saved as a file.
    """
    digests = (hashlib.sha256(code.encode()).digest() for code in scripts)
    hashes = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline';"
        " img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


@cache
def vega() -> str:
    """Return Vega, Vega-Lite and vega-embed as one script, from the library that ships them."""
    import altair as alt
    import vl_convert

    version = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
    bundle: Callable[..., str] = vl_convert.javascript_bundle
    # In code these stand in literals only; as they are, the script would end there, or go on after.
    return re.sub("<(?=/script|script|!--)", r"\\x3C", bundle(vl_version=version), flags=re.I)


def own(name: str) -> str:
    """Return the text of a file of this package."""
    return resources.files("headgate.report").joinpath(name).read_text(encoding="utf-8")


def _text(text: str) -> str:
    return text if isinstance(text, Markup) else escape(text)


def _cell(value: Any) -> str:
    if isinstance(value, float):
        text = f"{value:,.0f}" if abs(value) >= 1000 and math.isfinite(value) else f"{value:.4g}"
        return f'<td class="number">{text}</td>'
    if isinstance(value, int):
        return f'<td class="number">{value:,}</td>'
    return f"<td>{_text(str(value)) if not isinstance(value, Markup) else value}</td>"
