"""Scenarios of one bottleneck for the studies of senders, and their measures."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate import Flow, Result, Scenario, dumbbell, format_time_ps, parse_time_ps
from headgate.lab import Job

MBPS = 1e6
PACKET_BYTES = 1500
PACKET_BITS = 8 * PACKET_BYTES
NO_SERIES = "none"
#: Random traffic that keeps flows from synchronising.
RANDOM_FILES = {"kind": "poisson", "cca": "reno", "load": 0.05, "size": "10 packets"}


def seconds(value: float) -> str:
    """Write a time in seconds as scenarios take it, to the nanosecond."""
    return f"{value:.9f} s"


def in_seconds(text: str) -> float:
    """Read a time as seconds."""
    return parse_time_ps(text) / 1e12


def bdp_packets(rate_bps: float, rtt_s: float) -> float:
    """Return the bandwidth-delay product in packets of 1500 B."""
    return rate_bps * rtt_s / PACKET_BITS


def packets(count: float) -> str:
    """Write a buffer in packets, at least one."""
    return f"{max(1, round(count))} packets"


def scale_times(times: Mapping[str, Any], size: float) -> tuple[str, str]:
    """Return duration and warm-up of a part of a study, shortened by the scale's size."""
    whole, warmup = (parse_time_ps(times[name]) for name in ("duration", "warmup"))
    return format_time_ps(round(size * whole)), format_time_ps(round(size * warmup))


def path(
    flows: Sequence[Flow],
    times: tuple[str, str],
    network: Mapping[str, Any],
    series: str | Mapping[str, Any] = NO_SERIES,
    seed: int = 1,
) -> Scenario:
    """Make a run on one bottleneck; `times`: duration and warm-up, `series`: interval of its rows.

    In place of the interval there may be all keys of the series. Hosts sit on the routers unless a
    flow sets its round trip.
    """
    plain = isinstance(series, str) and series != NO_SERIES
    rows: Any = {"interval": series} if plain else series
    return _scenario(flows, times, network, {"series": rows}, seed)


def beside(
    flows: Sequence[Flow],
    times: tuple[str, str],
    network: Mapping[str, Any],
    seed: int,
    interval: str = "5 s",
) -> Scenario:
    """Make a run of flows beside short files that arrive at random at 5 % of the rate.

    Without them two flows at a drop-tail queue can stay synchronised, and their phase decides which
    of them loses (Floyd, Jacobson 1992). The flows are measured by the series.
    """
    kept = {"flows": "none", "series": {"interval": interval}}
    return _scenario([*flows, RANDOM_FILES], times, network, kept, seed)


def _scenario(
    flows: Sequence[Flow],
    times: tuple[str, str],
    network: Mapping[str, Any],
    kept: Mapping[str, Any],
    seed: int,
) -> Scenario:
    own_rtt = any(isinstance(flow, Mapping) and "rtt" in flow for flow in flows)
    duration, warmup = times
    return dumbbell(
        flows=flows,
        duration=duration,
        measure={"warmup": warmup, **kept},
        seed=seed,
        **{"access": "links" if own_rtt else "direct", **network},
    )


def flow(
    cca: str, start_s: float = 0.0, *, params: Mapping[str, Any] | None = None, **keys: Any
) -> dict[str, Any]:
    """Describe one endless flow; an algorithm with a colon is a user's own, as file and name."""
    return {"cca": {"name": cca, **(params or {})}, "start": seconds(start_s), **keys}


def draw_starts(seed: int, count: int, spread_s: float) -> list[float]:
    """Draw when flows start: each within `spread_s`, the same for a seed in every run."""
    return [float(t) for t in np.random.default_rng(seed).uniform(0, spread_s, count)]


def starts(seed: int, count: int, spread_s: float) -> list[float]:
    """Draw when flows start, in the order of the flows."""
    return sorted(draw_starts(seed, count, spread_s))


def job(scenario: Scenario, **labels: str | float) -> Job:
    """Make a job; its labels in order are its key."""
    return Job(scenario, labels)


def utilisation(result: Result) -> float:
    """Share of the time that the bottleneck was sending."""
    return float(result.ports["utilisation"][0])


def goodput_bps(result: Result) -> float:
    """Payload of all flows a second."""
    return float(result.flows["goodput_bps"].sum())


def mean_queue(result: Result) -> float:
    """Mean number of packets at the bottleneck, the one in service among them."""
    return float(result.ports["mean_queue_packets"][0]) + utilisation(result)


def queue_share(result: Result) -> float:
    """Mean queue as a share of the buffer."""
    return float(result.ports["mean_queue_packets"][0] / result.ports["buffer_packets"][0])


def largest_queue(result: Result) -> float:
    """Largest number of packets waiting."""
    return float(result.ports["max_queue_packets"][0])


def largest_queue_share(result: Result) -> float:
    """Largest queue as a share of the buffer."""
    return largest_queue(result) / float(result.ports["buffer_packets"][0])


def mean_of(measure: Callable[[Result], float], results: Iterable[Result]) -> float:
    """Return the mean of a measure over runs."""
    return float(np.mean([measure(result) for result in results]))


def loss_rate(result: Result) -> float:
    """Share of the packets that the full buffer dropped."""
    return float(result.ports["loss_rate"][0])


def shares(result: Result) -> NDArray[np.float64]:
    """Share of each flow in what was delivered, in the order of their starts."""
    delivered = np.asarray(result.flows["delivered_packets"], float)
    return np.asarray(delivered / delivered.sum())


def jain(rates: NDArray[np.float64]) -> float:
    """Return Jain's index of fairness."""
    return float(rates.sum() ** 2 / (len(rates) * (rates**2).sum()))


def count_delivered(result: Result, name: str, from_s: float, to_s: float) -> float:
    """Packets of a flow of the series that were acknowledged between two moments."""
    t_s, packets_so_far = course(result, name, "delivered_packets")
    return float(np.diff(np.interp((from_s, to_s), t_s, packets_so_far, left=0.0))[0])


def measured_period_s(result: Result) -> tuple[float, float]:
    """Return when the warm-up and the run end."""
    scenario = result.meta["scenario"]
    return in_seconds(scenario["measure"]["warmup"]), in_seconds(scenario["duration"])


def course(result: Result, name: str, column: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return time and one column of the series of a flow or port."""
    rows = result.series["name"] == name
    return result.series["t_s"][rows], result.series[column][rows]
