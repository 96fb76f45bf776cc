"""The stored part of a run: completion times by size instead of a row for each of 700,000 flows."""

import threading
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate import Result, Table, fluid

Values = NDArray[np.float64]
#: The scripts of the source stop TCP at the first whole second with more finished flows than this.
EARLY_FLOWS = 100_000
#: Cached lists of flows with ideal times: one for each concurrent run, and one more.
REMEMBERED = 3

_alone = threading.Lock()


@dataclass(frozen=True)
class Ideal:
    """Times in the link of the same flows under two ideal disciplines."""

    sharing_s: Values
    shortest_first_mean_s: float


def keep(result: Result) -> Result:
    """Replace the flows of a run by a row for each size that occurs, and one row of totals."""
    flows = result.flows.where(np.argsort(result.flows["start_s"], kind="stable"))
    scenario: Any = result.scenario
    rate = scenario.network.rate / (8 * scenario.transport.packet_bytes)
    rtt_s, duration_s = scenario.network.rtt / 1e12, scenario.duration / 1e12
    ideal = _ideal(flows["start_s"], flows["size_packets"], rate)
    one: dict[str, float] = {
        "flows": len(flows),
        "finished": float(np.isfinite(flows["fct_sender_s"]).sum()),
        "offered_load": float(flows["size_packets"].sum()) / (rate * duration_s),
        "early_end_s": early_end_s(flows),
        "sharing_s": float(ideal.sharing_s.mean()),
        "shortest_first_s": ideal.shortest_first_mean_s,
        "retransmissions": float(flows["retransmissions_total"].sum()),
        "timeouts": float(flows["timeouts_total"].sum()),
    }
    tables = {
        **result.tables,
        "flows": result.flows.where(slice(0, 0)),
        "sizes": _sizes(flows, ideal, rtt_s, duration_s),
        "totals": Table("totals", {name: np.array([value], float) for name, value in one.items()}),
    }
    return Result(tables, result.meta)


def _sizes(flows: Table, ideal: Ideal, rtt_s: float, duration_s: float) -> Table:
    sizes, of = np.unique(flows["size_packets"], return_inverse=True)

    def mean(values: Values, rows: NDArray[np.bool_]) -> Values:
        rows = rows & np.isfinite(values)  # no RTT is measured if every packet was retransmitted
        sums = np.bincount(of[rows], values[rows], len(sizes))
        count = np.bincount(of[rows], minlength=len(sizes))
        return divide(sums, count).astype(np.float32).astype(np.float64)  # half the room in files

    def count(rows: NDArray[np.bool_]) -> Values:
        return np.bincount(of[rows], minlength=len(sizes)).astype(float)

    sender_s, receiver_s = flows["fct_sender_s"], flows["fct_receiver_s"]
    finished = np.isfinite(sender_s)
    clean = finished & (flows["retransmissions_total"] == 0) & (flows["timeouts_total"] == 0)
    early = finished & (flows["start_s"] + sender_s <= early_end_s(flows))
    shared_s = 1.5 * rtt_s + ideal.sharing_s
    shared = flows["start_s"] + shared_s <= duration_s
    return Table(
        "sizes",
        {
            "size_packets": sizes.astype(float),
            "flows": count(np.ones(len(flows), bool)),
            "finished": count(finished),
            "sender_s": mean(sender_s, finished),
            "receiver_s": mean(receiver_s, finished),
            "established_s": mean(flows["established_s"], finished),
            "rtt_s": mean(flows["mean_rtt_s"], finished),
            "paired_sharing_s": mean(shared_s, finished),
            "clean": count(clean),
            "clean_sender_s": mean(sender_s, clean),
            "early": count(early),
            "early_sender_s": mean(sender_s, early),
            "shared": count(shared),
            "sharing_s": mean(shared_s, shared),
        },
    )


def divide(sums: NDArray[Any], count: NDArray[Any]) -> Values:
    """Return means of sums; NaN for a count of zero."""
    return np.asarray(np.divide(sums, count, out=np.full(len(sums), np.nan), where=count > 0))


def early_end_s(flows: Table) -> float:
    """Return when the scripts' run of TCP would have stopped."""
    ends = flows["start_s"] + flows["fct_sender_s"]
    ends = np.sort(ends[np.isfinite(ends)])
    return float(np.ceil(ends[EARLY_FLOWS])) if len(ends) > EARLY_FLOWS else np.inf


def _ideal(start_s: Values, packets: NDArray[np.uint64], rate: float) -> Ideal:
    with _alone:
        return _compute_ideal(start_s.tobytes(), packets.tobytes(), rate)


@lru_cache(REMEMBERED)
def _compute_ideal(start_s: bytes, packets: bytes, rate: float) -> Ideal:
    starts, sizes = np.frombuffer(start_s, float), np.frombuffer(packets, np.uint64)
    return Ideal(
        fluid.serve_equally(starts, sizes, rate),
        float(fluid.serve_shortest_first(starts, sizes, rate).mean()),
    )
