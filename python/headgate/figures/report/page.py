"""One HTML page with its pictures inside: it opens from disk with the network off."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib import metadata, resources
from pathlib import Path
from string import Template
from typing import Any

from headgate.base.errors import StoreError
from headgate.base.files import cache_folder, write_bytes
from headgate.figures.plots.palette import SIGNED, VERDICT
from headgate.figures.report.html import explain, link, slug, wide

NO_SCRIPT = (
    "<noscript><p>The interactive pictures need JavaScript; the same pictures lie in the folder"
    " figures beside this page.</p></noscript>"
)

#: The title of the section that defines terms.
WORDS = "Glossary"
#: A picture wider than this (pixels) gets a separate row, and scrolls sideways on a phone.
BROAD = 1000
#: Characters that begin or end a tag or an entity, as JSON escapes.
IN_SCRIPT = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"}
#: Ends of lines to Vega's expressions, in which a text that holds one is an error: written out.
LINE_ENDS = {0x2028: "\\u2028", 0x2029: "\\u2029"}
IN_VEGA = IN_SCRIPT | {code: "\\" + text for code, text in LINE_ENDS.items()}


@dataclass(frozen=True)
class Section:
    """A part of the page: a title, and HTML that the functions of `html` made."""

    title: str
    html: str

    @property
    def anchor(self) -> str:
        """The end of links to this section."""
        return anchor(self.title)


@dataclass(frozen=True)
class Charts:
    """Interactive pictures of a page: specifications, data, choices and their first values.

    `choices` map a name to a title and to the titles of the values. `words` map the labels of
    conditions to their titles.
    """

    specs: Mapping[str, Mapping[str, Any]]
    data: Mapping[str, Any]
    choices: Mapping[str, tuple[str, Mapping[str, str]]]
    first: Mapping[str, str]
    last: str
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Page:
    """A page before it is written: the visible part, and the folded sections below it."""

    title: str
    question: str
    first: str
    sections: Sequence[Section]
    footer: str
    charts: Charts | None = field(default=None)


def anchor(title: str) -> str:
    """Return a title as the end of a link; no other anchor of the page has this prefix."""
    return f"section-{slug(title)}"


def picture(path: Path, title: str, caption: str) -> str:
    """Return a figure with the PNG at `path` inside; its browser darkens it on a dark page.

    A PNG is not drawn again in colours for a dark page: a second PNG would double the drawing time.
    """
    try:
        png = path.read_bytes()
    except OSError as error:
        raise StoreError(f"{path}: the picture cannot be read ({error.strerror})") from None
    data = base64.b64encode(png).decode()
    image = wide(f'<img alt="{escape(title)}" src="data:image/png;base64,{data}">', title)
    said = f"<figcaption>{explain(caption)}</figcaption>" if caption else ""
    kind = ' class="broad"' if _width(png) > BROAD else ""
    return f"<figure{kind}>{image}{said}</figure>"


def _width(png: bytes) -> int:
    """Return the width of a PNG in pixels, from its header."""
    return int.from_bytes(png[16:20], "big")


def chart(name: str, caption: str) -> str:
    """Return the place of an interactive picture and of its table of numbers."""
    return (
        f'<figure aria-label="{escape(caption)}"><div class="chart" data-chart="{name}"></div>'
        f"<figcaption>{explain(caption)}</figcaption>"
        f'<details class="rows" data-of="{name}"><summary>Numbers</summary>'
        '<div class="wide" role="group" tabindex="0" aria-label="Table"></div></details></figure>'
    )


def write_page(path: Path, page: Page) -> Path:
    """Write the page and return its path."""
    scripts = _scripts(page.charts)
    text = Template(own("page.html")).substitute(
        policy=policy(scripts),
        title=escape(page.title),
        question=escape(page.question),
        style=own("page.css"),
        first=page.first,
        contents="".join(f"<li>{link(f'#{p.anchor}', p.title)}</li>" for p in page.sections),
        body=_body(page),
        footer=escape(page.footer),
        scripts="\n".join(
            [*_script_data(page.charts), *(f"<script>{code}</script>" for code in scripts)]
        ),
    )
    write_bytes(path, text.encode(errors="backslashreplace"))
    return path


def _body(page: Page) -> str:
    """Return the folded sections; the choices precede the first interactive picture."""
    folded = [_fold(part) for part in page.sections]
    first = next((place for place, html in enumerate(folded) if 'class="chart"' in html), 0)
    if page.charts and page.charts.choices:
        folded.insert(first, _choices(page.charts))
    return "\n".join(folded)


def _fold(part: Section) -> str:
    """Return a section that opens by a click or by a link to its content."""
    return (
        f"<section><details><summary><h2>{escape(part.title)}</h2></summary>"
        f'<div id="{part.anchor}">{part.html}</div></details></section>'
    )


def _choices(charts: Charts) -> str:
    selects = "".join(
        f'<label for="choice-{name}">{escape(title)}<select id="choice-{name}">{_options(values)}'
        "</select></label>"
        for name, (title, values) in charts.choices.items()
    )
    every = '<button type="button" id="all">All conditions</button>'
    said = '<p id="said" role="status" aria-live="polite"></p>'
    lead = "<p>The pictures below show:</p>"
    form = '<form class="choices" aria-label="Choices">'
    return f"{form}{lead}<div>{selects}{every}</div>{said}</form>"


def _options(values: Mapping[str, str]) -> str:
    shown = {v.translate(LINE_ENDS): t.translate(LINE_ENDS) for v, t in values.items()}
    return "".join(f'<option value="{escape(v)}">{escape(t)}</option>' for v, t in shown.items())


def _script_data(charts: Charts | None) -> list[str]:
    """Return the specifications, data and choices as JSON."""
    if charts is None:
        return []
    data = {
        "specs": charts.specs, "data": charts.data, "first": charts.first, "last": charts.last,
        "words": charts.words, "signed": [[one.light, one.dark] for one in (VERDICT, SIGNED)],
    }  # fmt: skip
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    text = text.translate(IN_VEGA)
    return [NO_SCRIPT, f'<script type="application/json" id="charts">{text}</script>']


def _scripts(charts: Charts | None) -> list[str]:
    """Return the scripts; Vega only if the page has charts."""
    drawing = [vega(), own("charts.js")] if charts else []
    return [own("page.js"), *drawing]


def policy(scripts: Sequence[str]) -> str:
    """Return the Content-Security-Policy: these scripts run, nothing is fetched or sent.

    Vega sets styles as it draws, and styles alone neither run code nor reach anything outside.
    Pictures are data, and blobs if one is saved as a file.
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
    # In code these occur only in literals; unescaped, they would end the script early.
    return re.sub("<(?=/script|script|!--)", r"\\x3C", _bundle(), flags=re.I)


def _bundle() -> str:
    """Return the library's script, which takes it a second to make: the user's cache keeps it."""
    import altair as alt
    import vl_convert

    version = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
    name = f"vega-lite-{version}-of-{metadata.version('vl-convert-python')}.js"
    kept = cache_folder("scripts") / name
    with suppress(OSError, UnicodeDecodeError):
        return kept.read_bytes().decode()
    bundle: Callable[..., str] = vl_convert.javascript_bundle
    script = bundle(vl_version=version)
    with suppress(StoreError):  # the home of this user cannot be written
        write_bytes(kept, script.encode())
    return script


def own(name: str) -> str:
    """Return the text of a file of this package."""
    return resources.files("headgate.figures.report").joinpath(name).read_text(encoding="utf-8")
