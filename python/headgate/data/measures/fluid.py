"""Tables of a packet run, formed from the outputs of a fluid model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.data.columns import FLOWS, NETWORK, PORTS, RESPONSES, Column
from headgate.data.measures.formula import form, ratio
from headgate.data.measures.tables import stack_series
from headgate.data.tables import Table, Words

Facts = Mapping[str, Any]
Numbers = NDArray[np.float64]
Names = Mapping[str, list[str]]


#: Default time between two samples of a packet run's responses.
INTERVAL_S = 0.2
#: A buffer is full from this share on, the accuracy of a solution.
FULL = 1 - 1e-9


@dataclass(frozen=True)
class Path:
    """The path of a class: links by index, and the loss in addition to theirs."""

    links: Sequence[int] = (0,)
    loss: float = 0.0


def make_fluid_tables(
    model: str,
    facts: Facts,
    warmup_s: float,
    names: Names | None = None,
    paths: Sequence[Path] | None = None,
) -> dict[str, Table]:
    """Return the five tables; quantities that a fluid lacks (completion times) are NaN.

    A row of flows represents one flow of a class. `names` are those of each `class` and `link`;
    without `paths` each class uses the first link.
    """
    names = names or {
        "class": _names(facts["classes"], "class", "flow"),
        "link": _names(facts["links"], "link", "link"),
    }
    sent = _per_flow(facts, warmup_s, paths or [Path()] * len(names["class"]))
    return {
        "flows": _flows(model, facts, warmup_s, names["class"], sent),
        "ports": _ports(facts, warmup_s, names["link"]),
        "series": _series(facts, names),
        "network": _network(facts),
        "responses": _responses(facts, warmup_s, sent),
    }


def _per_flow(facts: Facts, warmup_s: float, paths: Sequence[Path]) -> Facts:
    """Return means over time of one flow of each class: packets sent, lost and in flight."""
    kept, links = _later(facts["classes"], warmup_s), _later(facts["links"], warmup_s)
    through = 1.0 - _loss_share(links, facts["lines"])
    means: dict[str, list[float]] = {"sent": [], "lost": [], "window": []}
    for index, path in enumerate(paths):
        here = kept["class"] == index
        passed = np.full(int(here.sum()), 1.0 - path.loss)
        for link in path.links:
            passed *= through[links["link"] == link]
        rate = kept["rate_packets_s"][here]
        means["sent"].append(float(rate.mean()))
        means["lost"].append(float((rate * (1.0 - passed)).mean()))
        means["window"].append(float((rate * kept["srtt_s"][here]).mean()))
    return {name: np.array(column) for name, column in means.items()}


def _later(of: Facts, warmup_s: float) -> Facts:
    kept = of["t_s"] >= warmup_s
    return {name: column[kept] for name, column in of.items()}


def _loss_share(links: Facts, lines: Facts) -> Numbers:
    """Return the share of arrivals that a link loses: by its probability, or as a full buffer."""
    which = links["link"].astype(np.int64)
    full = links["queue_packets"] >= FULL * lines["buffer_packets"][which]
    arriving = np.maximum(links["arrival_packets_s"], lines["rate_packets_s"][which])
    taken = np.where(full, lines["rate_packets_s"][which] / arriving, 1.0)
    return np.asarray(1.0 - (1.0 - links["drop_probability"]) * taken)


def _names(of: Facts, column: str, word: str) -> list[str]:
    count = int(of[column].max()) + 1 if len(of[column]) else 0
    return [word] if count == 1 else [f"{word}-{index}" for index in range(count)]


def _means(of: Facts, which: str, column: str, warmup_s: float) -> Numbers:
    kept = of["t_s"] >= warmup_s
    count = int(of[which].max()) + 1 if len(of[which]) else 0
    return np.array([of[column][kept & (of[which] == index)].mean() for index in range(count)])


def _flows(model: str, facts: Facts, warmup_s: float, names: list[str], sent: Facts) -> Table:
    """Form one row per class; packets carry no headers."""
    of = facts["classes"]
    rows, duration_s = len(names), _end(of)
    kept = of["t_s"] >= warmup_s
    least = [of["srtt_s"][kept & (of["class"] == row)].min() for row in range(rows)]
    words = {"traffic": names, "cca": [model] * rows, "status": ["running"] * rows}
    active_s, arriving = duration_s - warmup_s, sent["sent"] - sent["lost"]
    columns = {
        "start_s": np.zeros(rows),
        "size_packets": np.zeros(rows),
        "goodput_bps": 8 * facts["packet_bytes"] * arriving,
        "delivered_packets": arriving * active_s,
        "active_s": np.full(rows, active_s),
        "retransmissions": sent["lost"] * active_s,
        "min_rtt_s": np.array(least, dtype=float),
        "mean_rtt_s": _means(of, "class", "srtt_s", warmup_s),
        "mean_cwnd_packets": _means(of, "class", "cwnd_packets", warmup_s),
    }
    return _table("flows", FLOWS, rows, words, columns)


def _ports(facts: Facts, warmup_s: float, names: list[str]) -> Table:
    of, lines = facts["links"], facts["lines"]
    rows, packet_bits = len(names), 8 * facts["packet_bytes"]
    sent = _sent_rate(of, lines)
    dropped = _loss_share(of, lines) * of["arrival_packets_s"]
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
        # Little's law
        "wait_sum_s": mean["queue_packets"] * elapsed_s,
        "utilisation": mean["sent"] / lines["rate_packets_s"],
        "throughput_bps": packet_bits * mean["sent"],
        "loss_rate": ratio(mean["dropped"], mean["dropped"] + mean["sent"]),
        "mean_queue_packets": mean["queue_packets"],
        "max_queue_packets": np.array(most, dtype=float),
        "mean_wait_s": mean["queue_packets"] / lines["rate_packets_s"],
        "elapsed_s": np.full(rows, elapsed_s),
    }
    ends = {"from": [f"{name} in" for name in names], "to": [f"{name} out" for name in names]}
    return _table("ports", PORTS, rows, {"link": names, **ends}, columns)


def _sent_rate(of: Facts, lines: Facts) -> Numbers:
    """Return the rate sent by each link: its capacity while there is a queue, else the arrivals."""
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
        "throughput_bps": bits * _sent_rate(links, facts["lines"]),
        "drop_probability": links["drop_probability"],
    }
    lengths = (len(classes["t_s"]), len(links["t_s"]))
    names = (known["class"], known["link"])
    places = np.concatenate([classes["class"], links["link"] + len(names[0])])
    words = {
        "of": Words(np.repeat([0, 1], lengths), ["flow", "port"]),
        "name": Words(places, [*names[0], *names[1]]),
    }
    return Table("series", stack_series(words, (flows, ports), lengths))


def _network(facts: Facts) -> Table:
    of = facts["classes"]
    first = of["class"] == 0
    t_s = of["t_s"][first]
    count = np.full(len(t_s), facts["flows"].sum())
    return _table("network", NETWORK, len(t_s), {}, {"t_s": t_s, "active_flows": count})


def _responses(facts: Facts, warmup_s: float, sent: Facts) -> Table:
    """Form the responses of one period; times are counted in samples of a packet run."""
    flows, elapsed_s = facts["flows"], _end(facts["classes"]) - warmup_s
    samples, packets = elapsed_s / INTERVAL_S, elapsed_s * flows
    entering, lost = float(packets @ sent["sent"]), float(packets @ sent["lost"])
    queues = _means(facts["links"], "link", "queue_packets", warmup_s)
    windows = _means(facts["classes"], "class", "cwnd_packets", warmup_s)
    known = {
        "start_s": warmup_s,
        "end_s": warmup_s + elapsed_s,
        "interval_s": INTERVAL_S,
        "samples": samples,
        "sources": flows.sum(),
        "transmitting_sum": samples * flows.sum(),
        "active_sum": samples * flows.sum(),
        "connecting_sum": 0.0,
        "segments_in": entering,
        "segments_out": entering - lost,
        "segments_dropped": lost,
        "flows_completed": 0.0,
        "connection_failures": 0.0,
        "retransmissions": lost,
        "cwnd_sum": samples * float(flows @ windows),
        "rtt_sum_s": float(packets @ sent["window"]),
        "rtt_count": entering,
        # Little's law
        "wait_sum_s": elapsed_s * float(queues.sum()),
    }
    counted = [column.name for column in RESPONSES if not column.formula]
    facts = {name: np.array([known.get(name, np.nan)]) for name in counted}
    return Table("responses", form(RESPONSES, facts))


def _end(of: Facts) -> float:
    return float(of["t_s"].max()) if len(of["t_s"]) else 0.0


def _table(
    name: str,
    columns: tuple[Column, ...],
    rows: int,
    words: Mapping[str, list[str]],
    numbers: Mapping[str, NDArray[Any]],
) -> Table:
    """Return a table with every column of its kind; missing words are empty, numbers NaN."""
    data: dict[str, NDArray[Any] | Words] = {}
    for column in columns:
        if column.name in numbers:
            data[column.name] = np.asarray(numbers[column.name], dtype=float)
        elif column.unit == "":
            data[column.name] = Words.of(words.get(column.name, [""] * rows))
        else:
            data[column.name] = np.full(rows, np.nan)
    return Table(name, data)
