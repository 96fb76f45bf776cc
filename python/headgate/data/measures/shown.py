"""Runs as people read them: small tables of packet runs, and lines about runs in real time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from headgate.data.measures.ccas import label_ccas
from headgate.data.measures.formula import ratio
from headgate.data.tables import Table


def by_cca(tables: Mapping[str, Table]) -> list[dict[str, Any]]:
    """Return one row per algorithm, of the flows that were active after the warm-up."""
    flows = tables["flows"].where(tables["flows"]["active_s"] > 0)
    rows, ccas = [], label_ccas(flows)
    for cca in np.unique(ccas):
        own = flows.where(ccas == cca)
        done = own["status"] == "finished"
        rows.append(
            {
                "cca": str(cca),
                "flows": len(own),
                "finished": int(done.sum()),
                "mean_goodput_bps": _mean(own["goodput_bps"]),
                "mean_fct_receiver_s": _mean(own["fct_receiver_s"]),
                "retransmissions": int(own["retransmissions"].sum()),
                "timeouts": int(own["timeouts"].sum()),
            }
        )
    return rows


def by_stream(tables: Mapping[str, Table]) -> list[dict[str, Any]]:
    """Return one row per stream of media, of all periods together; none without such traffic."""
    media = tables.get("media")
    if media is None:
        return []
    rows = []
    for name in dict.fromkeys(media["name"]):
        own = media.where(media["name"] == name)
        received, bits = own["packets_received"], 8 * own["bytes_received"]
        delay_s = float(np.nansum(own["mean_packet_delay_s"] * received))
        rows.append(
            {
                "stream": str(name),
                "rate_controller": str(own["rate_controller"][0]),
                "received_bps": float(ratio(bits.sum(), own["active_s"].sum())),
                "mean_packet_delay_s": float(ratio(delay_s, received.sum())),
                **{key: int(own[key].sum()) for key in ("frames", "frames_late", "frames_lost")},
            }
        )
    return rows


def busiest(tables: Mapping[str, Table], most: int) -> list[dict[str, Any]]:
    """Return the ports with the highest utilisation.

    `loss_rate` counts drops of the port, `link_loss_rate` later losses on its link. The packets
    that outages dropped or lost, which both contain, form a column if there are any.
    """
    order = np.argsort(-tables["ports"]["utilisation"], kind="stable")[:most]
    ports = tables["ports"].where(order)
    columns = {
        "link": ports["link"],
        "utilisation": ports["utilisation"],
        "loss_rate": ports["loss_rate"],
        "link_loss_rate": ratio(ports["lost"], ports["departures"]),
        "mean_queue_packets": ports["mean_queue_packets"],
        "max_queue_packets": ports["max_queue_packets"],
    }
    if "outage_losses" in ports and ports["outage_losses"].any():
        columns["outage_losses"] = ports["outage_losses"]
    return [
        {name: column[row].item() for name, column in columns.items()} for row in range(len(ports))
    ]


def _mean(column: Any) -> float:
    known = column[np.isfinite(column)]
    return float(known.mean()) if len(known) else float("nan")


#: Ports in a table, and in the printed form of a result.
MOST_PORTS, FEW_PORTS = 12, 4
_GAP = "  "
BY_CCA = "Flows by algorithm"


@dataclass(frozen=True)
class Heading:
    """The heading of a column, its unit, and the factor of its numbers."""

    name: str
    unit: str = ""
    scale: float = 1

    def __str__(self) -> str:
        return f"{self.name} ({self.unit})" if self.unit else self.name


_HEADINGS = {
    "mean_goodput_bps": Heading("mean goodput", "Mbit/s", 1e-6),
    "mean_fct_receiver_s": Heading("mean completion", "s"),
    "rate_controller": Heading("rate controller"),
    "received_bps": Heading("received", "Mbit/s", 1e-6),
    "mean_packet_delay_s": Heading("mean delay", "ms", 1e3),
    "frames_late": Heading("late frames"),
    "frames_lost": Heading("lost frames"),
    "utilisation": Heading("utilisation", "%", 100.0),
    "loss_rate": Heading("dropped", "%", 100.0),
    "link_loss_rate": Heading("lost on link", "%", 100.0),
    "mean_queue_packets": Heading("mean queue", "packets"),
    "max_queue_packets": Heading("max queue", "packets"),
    "outage_losses": Heading("lost in outages", "packets"),
    "timeouts": Heading("time-outs"),
}
#: Headings of means if each row is of one flow.
_OF_SINGLE_FLOWS = {
    "mean_goodput_bps": Heading("goodput", "Mbit/s", 1e-6),
    "mean_fct_receiver_s": Heading("completion", "s"),
}


@dataclass(frozen=True)
class Shown:
    """One table: its title, its headings, and its cells as text."""

    title: str
    heads: tuple[Heading, ...]
    rows: tuple[tuple[str, ...], ...]

    def records(self) -> Iterator[dict[str, str]]:
        """Yield each row by heading."""
        return (dict(zip(map(str, self.heads), row, strict=True)) for row in self.rows)

    def __str__(self) -> str:
        columns: list[list[str]] = []
        for head, cells in zip(self.heads, zip(*self.rows, strict=True), strict=True):
            column = (head.name, head.unit, *cells)
            width = max(map(len, column))
            columns.append([c.rjust(width) if columns else c.ljust(width) for c in column])
        lines = (_GAP.join(("", *line)).rstrip() for line in zip(*columns, strict=True))
        return "\n".join([self.title, *lines])


def show_run(
    tables: Mapping[str, Table], meta: Mapping[str, Any], ports: int = MOST_PORTS
) -> tuple[Shown, ...]:
    """Return flows by algorithm, streams of media and the busiest ports, omitting empty tables."""
    warmup = meta.get("scenario", {}).get("measure", {}).get("warmup", "0 s")
    since = "" if warmup == "0 s" else f", after the warm-up of {warmup}"
    every = {
        BY_CCA: by_cca(tables),
        "Streams of media": by_stream(tables),
        "Busiest ports": busiest(tables, ports),
    }
    return tuple(_show(f"{title}{since}", rows) for title, rows in every.items() if rows)


def show_simulated(tables: Mapping[str, Table], meta: Mapping[str, Any]) -> tuple[Shown, ...]:
    """Return the simulated flows of a run in real time by algorithm; nothing if there are none."""
    return tuple(one for one in show_run(tables, meta) if one.title.startswith(BY_CCA))


def _show(title: str, rows: Sequence[Mapping[str, Any]]) -> Shown:
    are_single = all(row.get("flows", 1) <= 1 for row in rows)
    headings = _HEADINGS | _OF_SINGLE_FLOWS if are_single else _HEADINGS
    heads = tuple(headings.get(name, Heading(name)) for name in rows[0])
    cells = (
        tuple(_cell(value, head.scale) for value, head in zip(row.values(), heads, strict=True))
        for row in rows
    )
    return Shown(title, heads, tuple(cells))


def _cell(value: Any, scale: float) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    return "" if value != value else f"{value * scale:.4g}"  # noqa: PLR0124 - NaN: there is none


MOST_FLOWS = 12


def is_live(meta: Mapping[str, Any]) -> bool:
    """Return whether run.json describes a run in real time."""
    return bool(meta.get("live"))


def list_flows(tables: Mapping[str, Table]) -> list[dict[str, Any]]:
    """Return the flows that delivered most, with `None` for missing numbers."""
    table = tables["live_flows"]
    order = sorted(range(len(table)), key=lambda row: -int(table["delivered_payload_bytes"][row]))
    return [
        {name: None if (value := table[name][row].item()) != value else value for name in table}
        for row in order[:MOST_FLOWS]
    ]


#: Headings of the cells of `show_flow`.
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
    """Return a line about the packets in the loop and their lateness."""
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
