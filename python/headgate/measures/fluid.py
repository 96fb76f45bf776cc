"""Tables of a packet run, formed from what a fluid model shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.columns import FLOWS, NETWORK, PORTS, RESPONSES, SERIES, Column
from headgate.tables import Table, Words

Facts = Mapping[str, Any]
Numbers = NDArray[np.float64]
Names = Mapping[str, list[str]]


def make_fluid_tables(
    model: str, facts: Facts, warmup_s: float, names: Names | None = None
) -> dict[str, Table]:
    """Give the five tables; what a fluid has not (single packets, completion times) is NaN.

    A row of flows is one of the flows of a class. `names` are those of each `class` and `link`.
    """
    names = names or {
        "class": _names(facts["classes"], "class", "flow"),
        "link": _names(facts["links"], "link", "link"),
    }
    return {
        "flows": _flows(model, facts, warmup_s, names["class"]),
        "ports": _ports(facts, warmup_s, names["link"]),
        "series": _series(facts, names),
        "network": _network(facts),
        "responses": _table("responses", RESPONSES, 0, {}, {}),
    }


def _names(of: Facts, column: str, word: str) -> list[str]:
    count = int(of[column].max()) + 1 if len(of[column]) else 0
    return [word] if count == 1 else [f"{word}-{index}" for index in range(count)]


def _means(of: Facts, which: str, column: str, warmup_s: float) -> Numbers:
    """Return the mean over time of each class or link."""
    kept = of["t_s"] >= warmup_s
    count = int(of[which].max()) + 1 if len(of[which]) else 0
    return np.array([of[column][kept & (of[which] == index)].mean() for index in range(count)])


def _flows(model: str, facts: Facts, warmup_s: float, names: list[str]) -> Table:
    of = facts["classes"]
    rows, duration_s = len(names), _end(of)
    kept = of["t_s"] >= warmup_s
    least = [of["srtt_s"][kept & (of["class"] == row)].min() for row in range(rows)]
    words = {"traffic": names, "law": [model] * rows, "status": ["running"] * rows}
    columns = {
        "start_s": np.zeros(rows),
        "size_packets": np.zeros(rows),
        "active_s": np.full(rows, duration_s - warmup_s),
        "min_rtt_s": np.array(least, dtype=float),
        "mean_rtt_s": _means(of, "class", "srtt_s", warmup_s),
        "mean_cwnd_packets": _means(of, "class", "cwnd_packets", warmup_s),
    }
    return _table("flows", FLOWS, rows, words, columns)


def _ports(facts: Facts, warmup_s: float, names: list[str]) -> Table:
    of, lines = facts["links"], facts["lines"]
    rows, packet_bits = len(names), 8 * facts["packet_bytes"]
    sent = _sent(of, lines)
    dropped = of["drop_probability"] * of["arrival_packets_s"]
    of = {**of, "sent": sent, "dropped": dropped}
    mean = {name: _means(of, "link", name, warmup_s) for name in of if name != "link"}
    elapsed_s = _end(of) - warmup_s
    kept = of["t_s"] >= warmup_s
    most = [of["queue_packets"][kept & (of["link"] == row)].max() for row in range(rows)]
    columns = {
        "rate_bps": packet_bits * lines["rate_packets_s"],
        "delay_s": lines["delay_s"],
        "buffer_packets": lines["buffer_packets"],
        "arrivals": mean["arrival_packets_s"] * elapsed_s,
        "drops": mean["dropped"] * elapsed_s,
        "departures": mean["sent"] * elapsed_s,
        "sent_bytes": mean["sent"] * elapsed_s * facts["packet_bytes"],
        "utilisation": mean["sent"] / lines["rate_packets_s"],
        "throughput_bps": packet_bits * mean["sent"],
        "loss_rate": mean["dropped"] / mean["arrival_packets_s"],
        "mean_queue_packets": mean["queue_packets"],
        "max_queue_packets": np.array(most, dtype=float),
        "mean_wait_s": mean["queue_packets"] / lines["rate_packets_s"],
        "elapsed_s": np.full(rows, elapsed_s),
    }
    ends = {"from": [f"{name} in" for name in names], "to": [f"{name} out" for name in names]}
    return _table("ports", PORTS, rows, {"link": names, **ends}, columns)


def _sent(of: Facts, lines: Facts) -> Numbers:
    """Return what each link sends: its rate while there is a queue, else what arrives."""
    rate = lines["rate_packets_s"][of["link"].astype(np.int64)]
    sent = np.where(of["queue_packets"] > 0, rate, np.minimum(rate, of["arrival_packets_s"]))
    return np.asarray(sent, dtype=float)


def _series(facts: Facts, known: Names) -> Table:
    classes, links = facts["classes"], facts["links"]
    bits = 8 * facts["packet_bytes"]
    flows = {
        "t_s": classes["t_s"],
        "cwnd_packets": classes["cwnd_packets"],
        "srtt_s": classes["srtt_s"],
        "in_flight_packets": classes["cwnd_packets"],
        "throughput_bps": bits * classes["rate_packets_s"],
    }
    ports = {
        "t_s": links["t_s"],
        "gauge": links["mean_queue_packets"],
        "queue_packets": links["queue_packets"],
        "throughput_bps": bits * _sent(links, facts["lines"]),
        "drop_probability": links["drop_probability"],
    }
    lengths = (len(classes["t_s"]), len(links["t_s"]))
    names = (known["class"], known["link"])
    places = np.concatenate([classes["class"], links["link"] + len(names[0])])
    words = {
        "of": Words(np.repeat([0, 1], lengths), ["flow", "port"]),
        "name": Words(places, [*names[0], *names[1]]),
    }
    stacked = {
        column.name: np.concatenate(
            [
                part.get(column.name, np.full(length, np.nan))
                for part, length in zip((flows, ports), lengths, strict=True)
            ]
        )
        for column in SERIES
        if column.name not in words
    }
    order = [column.name for column in SERIES]
    return Table(
        "series", {name: words[name] if name in words else stacked[name] for name in order}
    )


def _network(facts: Facts) -> Table:
    of = facts["classes"]
    first = of["class"] == 0
    t_s = of["t_s"][first]
    count = np.full(len(t_s), facts["flows"].sum())
    return _table("network", NETWORK, len(t_s), {}, {"t_s": t_s, "active_flows": count})


def _end(of: Facts) -> float:
    return float(of["t_s"].max()) if len(of["t_s"]) else 0.0


def _table(
    name: str,
    columns: tuple[Column, ...],
    rows: int,
    words: Mapping[str, list[str]],
    numbers: Mapping[str, NDArray[Any]],
) -> Table:
    """Give a table with every column of its kind; a word that is missing is empty, a number NaN."""
    data: dict[str, NDArray[Any] | Words] = {}
    for column in columns:
        if column.name in numbers:
            data[column.name] = np.asarray(numbers[column.name], dtype=float)
        elif column.unit == "":
            data[column.name] = Words.of(words.get(column.name, [""] * rows))
        else:
            data[column.name] = np.full(rows, np.nan)
    return Table(name, data)
