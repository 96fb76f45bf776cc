"""Properties of every table of a run, for any scenario."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from headgate.data.tables import Table

#: Columns in which infinity means that there is no limit, and in which the sign carries
#: information.
MAY_BE_INFINITE = {
    ("ports", "buffer_packets"),
    ("series", "ssthresh_packets"),
    ("series", "pacing_rate_bps"),
    ("media_series", "pacing_bps"),
    ("media_series", "window_bytes"),
}
MAY_BE_NEGATIVE = {
    ("series", "gauge"),
    ("media_series", "gauge"),
    ("checks", "relative_error"),
}

#: Columns with a number in every row.
PROMISED = {
    "flows": ("start_s", "size_packets", "delivered_packets", "active_s", "retransmissions"),
    "ports": (
        "rate_bps", "delay_s", "arrivals", "drops", "lost", "departures", "sent_bytes",
        "utilisation", "throughput_bps", "mean_queue_packets", "max_queue_packets", "elapsed_s",
    ),
    "links": ("utilisation", "throughput_bps", "mean_queue_packets", "sent_bytes", "elapsed_s"),
    "network": ("t_s", "active_flows", "connecting_flows", "finished_flows"),
    "series": ("t_s",),
    "media": ("active_s", "frames", "packets_sent", "packets_received", "packets_lost"),
    "media_series": ("t_s", "target_bps", "in_flight_bytes", "queue_bytes"),
}  # fmt: skip

#: Rounding of a quotient of sums.
ROUNDING = 1e-9

#: Bits of the largest packet.
PACKET_BITS = 8 * 65_535

Tables = Mapping[str, Table]


def broken(tables: Tables, plan: Mapping[str, Any]) -> list[str]:
    """Say which promises a run broke."""
    found = [*numbers(tables), *ports(tables), *flows(tables), *proportions(tables)]
    found += balances(tables)
    if "media" in tables:
        found += media(tables["media"])
    if plan["measure"]["warmup_ps"] == 0:
        found += conservation(tables)
    return found


def numeric(table: Table) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    for name in table:
        column = np.asarray(table[name])
        if column.dtype.kind in "fiu" and len(column):
            yield name, column


def numbers(tables: Tables) -> Iterator[str]:
    """No infinity, no negative, no wrapped count, nothing missing that is promised."""
    for of, table in tables.items():
        for name, column in numeric(table):
            if np.isinf(column).any() and (of, name) not in MAY_BE_INFINITE:
                yield f"infinite: {of}.{name}"
            if (column < 0).any() and (of, name) not in MAY_BE_NEGATIVE:
                yield f"negative: {of}.{name}"
            if column.dtype.kind == "u" and (column > 2**62).any():
                yield f"wrapped: {of}.{name}"
            missing = name in PROMISED.get(of, ()) and np.isnan(column)
            if name == "utilisation" and of == "links":
                # in a short period a trace may offer no opportunity
                missing &= np.asarray(table["sent_bytes"]) > 0
            if np.any(missing):
                yield f"missing: {of}.{name}"


def ports(tables: Tables) -> Iterator[str]:
    """No link sends more than it can, and no mean is above its greatest value."""
    table = tables["ports"]
    if (table["outage_losses"] > table["drops"] + table["lost"]).any():
        yield "more losses by outages than losses: ports"
    if (table["down_s"] > table["elapsed_s"] * (1 + ROUNDING)).any():
        yield "longer down than measured: ports"
    for of, greatest, mean in (
        ("ports", "max_queue_packets", "mean_queue_packets"),
        ("links", "greatest_sampled_packets", "sampled_queue_packets"),
    ):
        table = tables[of]
        if (table[mean] > table[greatest] * (1 + ROUNDING)).any():
            yield f"mean above the greatest: {of}.{mean}"
        used = table["utilisation"]
        with np.errstate(invalid="ignore", divide="ignore"):
            can_send = table["throughput_bps"] / used * table["elapsed_s"]
        if ((used - 1) * can_send > PACKET_BITS + ROUNDING * can_send).any():
            yield f"utilisation above 1: {of}"


def flows(tables: Tables) -> Iterator[str]:
    table = tables["flows"]
    size = np.where(table["size_packets"] == 0, np.inf, table["size_packets"])
    ordered = {
        "delivered of size": (table["delivered_total_packets"], size),
        "delivered of all": (table["delivered_packets"], table["delivered_total_packets"]),
        "least and mean RTT": (table["min_rtt_s"], table["mean_rtt_s"]),
        "completion at receiver and sender": (table["fct_receiver_s"], table["fct_sender_s"]),
        "one and mean window": (np.ones(len(table)), table["mean_cwnd_packets"]),
    }
    for what, (less, more) in ordered.items():
        with np.errstate(invalid="ignore"):
            wrong = np.asarray(less) > np.asarray(more) * (1 + ROUNDING)
        if wrong.any():
            yield f"out of order: {what}"


def media(table: Table) -> Iterator[str]:
    """Over all periods, no more arrives than was sent, and no more is marked, late or complete."""
    names = np.asarray(table["name"])
    for name in dict.fromkeys(names.tolist()):
        total = {
            column: np.asarray(table[column], np.float64)[names == name].sum()
            for column in table
            if table.unit(column) in {"1", "packets", "bytes"}
        }
        ordered = (("packets_marked", "packets_received"), ("frames_late", "frames_complete"))
        for less, more in ordered:
            if total[less] > total[more]:
                yield f"out of order: media.{less} and {more}"
    for of in ("packet_delay", "frame_delay"):
        with np.errstate(invalid="ignore"):
            wrong = table[f"{of}_p95_s"] > table[f"{of}_p99_s"]
        if np.any(wrong):
            yield f"out of order: quantiles of {of}"


def proportions(tables: Tables) -> Iterator[str]:
    table = tables["responses"]
    for name in ("y2", "y7", "y9"):
        if (np.nan_to_num(table[name]) > 1 + ROUNDING).any():
            yield f"a proportion above 1: {name}"
    if (np.nan_to_num(tables["ports"]["loss_rate"]) > 1).any():
        yield "a proportion above 1: loss_rate"


def balances(tables: Tables) -> Iterator[str]:
    """Packets and flows, counted in two ways, agree exactly."""
    table = tables["checks"]
    for check, error in zip(table["check"], table["relative_error"], strict=True):
        exact = "sent = arrived" in check or "started = over" in check
        if exact and math.isfinite(error) and error != 0:
            yield f"out of balance: {check}"


def conservation(tables: Tables) -> Iterator[str]:
    """Arrivals at a port left it, were dropped, or wait: at most one more than ever waited."""
    table = tables["ports"]
    counts = [np.asarray(table[name], np.float64) for name in ("arrivals", "drops", "departures")]
    waiting = counts[0] - counts[1] - counts[2]
    if (waiting < 0).any() or (waiting > table["max_queue_packets"] + 1.0).any():
        yield f"packets not conserved: {waiting.min()} to {waiting.max()} wait"
    if (np.asarray(table["lost"], np.float64) > counts[2]).any():
        yield "more lost than sent"
    total = tables["responses"]
    for name in ("segments_out", "segments_dropped"):
        if (
            len(total) == 1
            and total[name][0] > total["segments_in"][0] + total["segments_copied"][0]
        ):
            yield f"more than was sent: {name}"
