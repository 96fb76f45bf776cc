"""What a run in real time comes to: its flows that delivered most, and how the loop did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headgate.data.tables import Table

MOST_FLOWS = 12


def is_live(meta: Mapping[str, Any]) -> bool:
    """Say whether run.json is that of a run in real time."""
    return bool(meta.get("live"))


def list_flows(tables: Mapping[str, Table]) -> list[dict[str, Any]]:
    """Return the flows that delivered most, `None` for what is missing."""
    table = tables["live_flows"]
    order = sorted(range(len(table)), key=lambda row: -int(table["delivered_payload_bytes"][row]))
    return [
        {name: None if (value := table[name][row].item()) != value else value for name in table}
        for row in order[:MOST_FLOWS]
    ]


#: Heads of the cells that `show_flow` gives.
HEADS = ("flow", "packets", "lost", "marked", "goodput\nMbit/s", "mean delay\nms")


def show_flow(flow: Mapping[str, Any]) -> list[str]:
    """Return the cells of a flow."""
    source = f"{flow['from_host']}:{flow['source_port']}"
    destination = f"{flow['to_host']}:{flow['destination_port']}"
    return [
        f"{flow['protocol']} {source} > {destination}",
        f"{flow['sent_packets']:,}",
        f"{flow['lost_packets']:,}",
        f"{flow['marked_packets']:,}",
        _scaled(flow["goodput_bps"], 1e-6),
        _scaled(flow["mean_delay_s"], 1e3),
    ]


def _scaled(value: float | None, scale: float) -> str:
    return "" if value is None else f"{value * scale:.4g}"


def say_loop(live: Mapping[str, Any]) -> str:
    """Say in one line what the loop carried, and how late."""
    loop = live["loop"]
    late = ", ".join(
        f"{name} {_scaled(loop[f'lateness_{key}_s'], 1e3) or '-'} ms"
        for name, key in (("p50", "p50"), ("p99", "p99"), ("p99.9", "p99_9"), ("max", "max"))
    )
    odd = loop["malformed"] + loop["unreachable"]
    others = f"; {odd:,} addressed to no host, or not IP" if odd else ""
    dropped = sum(loop["dropped_unread"].values()) + sum(loop["dropped_untaken"].values())
    others += f"; {dropped:,} dropped at the hosts' own devices" if dropped else ""
    return (
        f"{live['ended_s']:.1f} s: {loop['read']:,} packets read, {loop['written']:,} written,"
        f" {loop['lost']:,} lost{others}. Lateness of delivery: {late}"
    )
