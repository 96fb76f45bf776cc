"""One HTML page with interactive pictures of runs, which opens without a network."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from headgate.base.files import write_bytes
from headgate.data.measures.shown import HEADS, list_flows, say_loop, show_flow
from headgate.data.tables import Table
from headgate.figures.report.page import IN_VEGA, own, policy, vega
from headgate.figures.spec.drawing import Drawing, Map
from headgate.figures.vega.runs import DARK, make_specs


def write_lead(tables: Mapping[str, Table], meta: Mapping[str, Any]) -> str:
    """Write the introduction above the pictures, as HTML."""
    live = meta["live"]
    kernel = f"{live['kernel']['system']} {live['kernel']['release']}"
    commands = "".join(
        f"<li>{escape(one['host'])}: <code>{escape(_say_command(one['command']))}</code></li>"
        for one in live["commands"]
    )
    doubts = "".join(f"<p><strong>Note:</strong> {escape(says)}.</p>" for says in meta["warnings"])
    return (
        f"<p><strong>live</strong>: real packets of {escape(kernel)} in real time, so the run is"
        f" not repeatable. {escape(say_loop(live))}.</p>{doubts}{_write_flows(tables)}"
        f"<ul>{commands}</ul>"
    )


def _say_command(command: str | list[str]) -> str:
    return command if isinstance(command, str) else " ".join(command)


def _write_flows(tables: Mapping[str, Table]) -> str:
    heads = "".join(f'<th scope="col">{escape(head)}</th>' for head in HEADS)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in show_flow(flow)) + "</tr>"
        for flow in list_flows(tables)
    )
    return (
        '<div class="table"><table><caption>Flows of real packets</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def write_pictures(path: Path, title: str, drawings: Mapping[str, Drawing], lead: str = "") -> Path:
    """Write a page of pictures by name below introductory HTML, and return its path.

    Raises StoreError.
    """
    specs = {name: make_specs(drawing) for name, drawing in drawings.items()}
    every = {f"{name}-{place}": spec for name, of in specs.items() for place, spec in enumerate(of)}
    text_of_specs = json.dumps(every, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    scripts = [vega(), own("player.js"), own("pictures.js")]
    text = Template(own("pictures.html")).substitute(
        policy=policy(scripts),
        title=escape(title),
        lead=lead,
        contents="".join(
            f'<li><a href="#{name}">{escape(drawing.title)}</a></li>'
            for name, drawing in drawings.items()
        ),
        body="\n".join(_section(name, drawings[name], len(specs[name])) for name in drawings),
        specs=text_of_specs.translate(IN_VEGA),
        dark=json.dumps(DARK, separators=(",", ":")),
        scripts="\n".join(f"<script>{code}</script>" for code in scripts),
    )
    write_bytes(path, text.encode(errors="backslashreplace"))
    return path


def _section(name: str, drawing: Drawing, panels: int) -> str:
    two = " two" if not isinstance(drawing, Map) and drawing.columns > 1 else ""
    places = "".join(
        f'<div class="chart" data-chart="{name}-{place}"></div>' for place in range(panels)
    )
    return (
        f'<section id="{name}"><h2>{escape(drawing.title)}</h2>'
        f'<div class="panels{two}">{places}</div><p>{escape(drawing.caption)}</p></section>'
    )
