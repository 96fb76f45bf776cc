"""Tables with names, ratios and units, from the engine's counters and the plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.names import each_name, transport_of_each
from headgate.data.columns import FLOWS, NETWORK, PORTS, RESPONSES, SERIES
from headgate.data.columns.mesonet import PAIRS
from headgate.data.measures.formula import form, ratio
from headgate.data.measures.media import OF_STREAMS, has_media
from headgate.data.measures.periods import OF_PERIODS, cca_names, name_links
from headgate.data.tables import LazyTables, Table, Words, refuse_table

Facts = Mapping[str, NDArray[Any]]
Plan = Mapping[str, Any]

STATUS = ("connecting", "running", "finished", "failed", "abandoned")


def responses(plan: Plan, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Form the responses of each period; the interval is the plan's."""
    periods = facts["responses"]
    interval_s = np.full(len(periods["start_s"]), plan["measure"]["interval_ps"] / 1e12)
    of_pairs = _flows_of_pairs(facts["pairs"], facts["labels"]["class"], len(interval_s))
    return form(RESPONSES, {**periods, **of_pairs, "interval_s": interval_s})


def _flows_of_pairs(pairs: Facts, labels: Sequence[str], periods: int) -> dict[str, NDArray[Any]]:
    """Return flows_DD and rate_sum_DD of each period, and those of the other pairs of MesoNet."""
    found: dict[str, NDArray[Any]] = {}
    for column, fact in (("flows", "timed"), ("rate_sum", "rate_sum")):
        for pair in PAIRS:
            here = pairs["pair"] == (labels.index(pair) if pair in labels else len(labels))
            found[f"{column}_{pair}"] = np.zeros(periods, pairs[fact].dtype)
            found[f"{column}_{pair}"][pairs["period"][here].astype(np.int64)] = pairs[fact][here]
    return found


def flows(plan: Plan, of_run: Mapping[str, Any]) -> dict[str, Any]:
    """Form the flows, with names of traffic, algorithm, class and routers."""
    facts = of_run["flows"]
    nodes = [node["name"] for node in plan["nodes"]]
    segment = np.array([t["segment_bytes"] for t in plan["transports"]], np.float64)
    profile = transport_of_each(plan["traffic"])[facts["traffic"].astype(np.int64)]
    words = {
        "traffic": Words(facts["traffic"], list(each_name(plan["traffic"]))),
        "cca": Words(facts["cca"], cca_names(plan["laws"])),
        "transport": Words(profile, [t["name"] for t in plan["transports"]]),
        "class": Words(facts["pair"], of_run["labels"]["class"]),
        "source": Words(facts["source"], nodes),
        "receiver": Words(facts["receiver"], nodes),
        "status": Words(facts["status"], STATUS),
    }
    return form(FLOWS, {**facts, **words, "segment_bytes": segment[profile]})


def ports(plan: Plan, of_run: Mapping[str, Any]) -> dict[str, Any]:
    """Form the ports, one row per link of the plan, with names of links and routers."""
    links = plan["links"]
    packet = plan["transports"][0]["segment_bytes"] + plan["transports"][0]["header_bytes"]
    of_plan = {
        **name_links(plan, np.arange(len(links))),
        "delay_s": np.array([link["delay_ps"] for link in links]) / 1e12,
        "buffer_packets": np.array([_buffer_packets(link["buffer"], packet) for link in links]),
    }
    return form(PORTS, {**of_run["ports"], **of_plan})


def _buffer_packets(buffer: Any, packet_bytes: int) -> float:
    if buffer == "infinite":
        return float("inf")
    return float(buffer.get("packets", buffer.get("bytes", 0) / packet_bytes))


def series(plan: Plan, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Concatenate the series of flows and of ports."""
    numbers = np.array((plan["measure"]["series"] or {"flows": []})["flows"], np.int64)
    wanted = set(numbers.tolist())
    known = {n: name for n, name in enumerate(each_name(plan["traffic"])) if n in wanted}
    names = [known[number] for number in numbers.tolist()]
    of_flows, of_ports = facts["series_flows"], facts["series_ports"]
    flow, link = of_flows["flow"].astype(np.int64), of_ports["link"].astype(np.int64)
    profile = transport_of_each(plan["traffic"])[numbers]
    segment, header = (
        np.array([profile[f"{part}_bytes"] for profile in plan["transports"]], np.float64)
        for part in ("segment", "header")
    )
    bits, packets = 8 * segment[profile], 8 * (segment + header)[profile]
    delivered = bits[flow] * of_flows["delivered_packets"]
    arrived = bits[flow] * of_flows["arrived_packets"]
    parts = [
        {
            **of_flows,
            "pacing_rate_bps": packets[flow] * of_flows["pace"],
            "throughput_bps": _slope(of_flows["t_s"], delivered, flow),
            "arrival_rate_bps": _slope(of_flows["t_s"], arrived, flow),
        },
        {**of_ports, "throughput_bps": _slope(of_ports["t_s"], 8.0 * of_ports["sent_bytes"], link)},
    ]
    lengths = [len(flow), len(link)]
    words = {
        "of": Words(np.repeat([0, 1], lengths), ["flow", "port"]),
        "name": Words(
            np.concatenate([flow, link + len(names)]),
            [*names, *(item["name"] for item in plan["links"])],
        ),
    }
    return stack_series(words, parts, lengths)


def stack_series(
    words: Mapping[str, Words], parts: Sequence[Facts], lengths: Sequence[int]
) -> dict[str, Any]:
    """Return every column of the series; a part without a column gives NaN."""
    found: dict[str, Any] = dict.fromkeys(column.name for column in SERIES)
    for name in found:
        columns = [
            np.asarray(part[name], np.float64) if name in part else np.full(length, np.nan)
            for part, length in zip(parts, lengths, strict=True)
        ]
        found[name] = words[name] if name in words else np.concatenate(columns)
    return found


def _slope(t_s: NDArray[Any], total: NDArray[Any], of: NDArray[Any]) -> NDArray[np.float64]:
    """Return the growth per second since the previous row of a flow or port; NaN in the first."""
    order = np.lexsort((t_s, of))
    out = np.full(len(t_s), np.nan)
    same = np.diff(of[order]) == 0
    slope = ratio(np.diff(np.asarray(total, np.float64)[order]), np.diff(t_s[order]))
    out[order[1:][same]] = slope[same]
    return out


def network(_: Plan, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Form the samples of the whole network."""
    return form(NETWORK, facts["network"])


_FORMED: Mapping[str, Callable[[Plan, Mapping[str, Any]], dict[str, Any]]] = {
    "flows": flows,
    "ports": ports,
    "series": series,
    "network": network,
    "responses": responses,
    **OF_PERIODS,
}


class RunTables(LazyTables):
    """The tables of a run. Each is formed when it is first read.

    To form all of them takes as long as a small run. `facts` are the columns of the engine.
    """

    def __init__(self, plan: Plan, facts: Mapping[str, Any]) -> None:
        self._plan, self._facts = plan, facts
        self._makers = {**_FORMED, **(OF_STREAMS if has_media(plan) else {})}
        self._formed: dict[str, Table] = {}

    def __getitem__(self, name: str) -> Table:
        if name not in self._makers:
            raise refuse_table(name, self)
        if name not in self._formed:
            self._formed[name] = Table(name, self._makers[name](self._plan, self._facts))
        return self._formed[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)
