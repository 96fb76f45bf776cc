"""One HTML page with interactive pictures of runs: it opens from disk with the network off."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from pathlib import Path
from string import Template

from headgate.base.files import write_bytes
from headgate.figures.charts.pictures import DARK, make_specs
from headgate.figures.pictures.drawing import Drawing, Map
from headgate.figures.report.page import IN_VEGA, own, policy, vega


def write_pictures(path: Path, title: str, drawings: Mapping[str, Drawing], lead: str = "") -> Path:
    """Write a page of pictures by name, below HTML that leads to them, and return its path.

    Raises StoreError.
    """
    specs = {name: make_specs(drawing) for name, drawing in drawings.items()}
    every = {f"{name}-{place}": spec for name, of in specs.items() for place, spec in enumerate(of)}
    told = json.dumps(every, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    scripts = [vega(), own("pictures.js")]
    text = Template(own("pictures.html")).substitute(
        policy=policy(scripts),
        title=escape(title),
        lead=lead,
        contents="".join(
            f'<li><a href="#{name}">{escape(drawing.title)}</a></li>'
            for name, drawing in drawings.items()
        ),
        body="\n".join(_section(name, drawings[name], len(specs[name])) for name in drawings),
        specs=told.translate(IN_VEGA),
        dark=json.dumps(DARK, separators=(",", ":")),
        scripts="\n".join(f"<script>{code}</script>" for code in scripts),
    )
    write_bytes(path, text.encode(errors="backslashreplace"))
    return path


def _section(name: str, drawing: Drawing, panels: int) -> str:
    """Return the title, the places of the panels and the caption of a picture."""
    two = " two" if not isinstance(drawing, Map) and drawing.columns > 1 else ""
    places = "".join(
        f'<div class="chart" data-chart="{name}-{place}"></div>' for place in range(panels)
    )
    return (
        f'<section id="{name}"><h2>{escape(drawing.title)}</h2>'
        f'<div class="panels{two}">{places}</div><p>{escape(drawing.caption)}</p></section>'
    )
