"""What stands above the pictures of a run in real time: that it was live, what flows got."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from headgate.data.measures.shown import HEADS, list_flows, say_loop, show_flow
from headgate.data.tables import Table


def write_lead(tables: Mapping[str, Table], meta: Mapping[str, Any]) -> str:
    """Write what stands above the pictures, as HTML."""
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
