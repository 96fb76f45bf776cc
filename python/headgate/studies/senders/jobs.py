"""Every run of the study: one function a part; the first label of a run is its part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations_with_replacement, product
from typing import Any

from headgate.build import Flow
from headgate.campaign.jobs import Job
from headgate.experiment.runs import Key, Setup, by_labels
from headgate.studies.paths import (
    bdp_packets,
    beside,
    draw_starts,
    flow,
    in_seconds,
    job,
    packets,
    path,
    scale_times,
    seconds,
    starts,
)
from headgate.units import parse_rate

TCP = "reno"
#: The seven replacements that the NIST team compared with TCP.
SEVEN = ("bic", "ctcp", "fast", "fast-at", "hstcp", "htcp", "scalable")
MOST_FAIR, LEAST_FAIR = ("ctcp", "htcp", "fast-at"), ("scalable", "bic", "fast")
THRESHOLDS = {"high": "infinite", "low": "100 packets"}

#: 100 Mbit/s and 100 ms: 833 packets.
FAST_PATH = {"rate": "100 Mbit/s", "rtt": "100 ms", "buffer": "1 BDP"}
FAST_PATH_BPS, FAST_PATH_BDP = 100e6, bdp_packets(100e6, 0.1)
#: A receive window that keeps the path full without overflowing it, and a packet lost long after.
FULL_WINDOW = round(1.1 * FAST_PATH_BDP)
LOST_PACKET = 700_000
SHORT_PATH = {"rate": "100 Mbit/s", "rtt": "40 ms", "buffer": "0.5 BDP"}
PAIR = ("one", "other")
CROWD, CROWDED_FLOWS = 4, 40
CROWDED_PATH = {"rate": "20 Mbit/s", "rtt": "50 ms", "buffer": f"{CROWDED_FLOWS} packets"}
ROUND_TRIP_S = 0.02
#: Within which newcomers come.
JOINS_WITHIN_S = 5.0
SMALL_WINDOW = 44  # 64 KiB

Part = Iterator[Job]


def jobs(setup: Setup) -> dict[Key, Job]:
    """Make every run of a scale."""
    parts: tuple[Callable[[Setup], Part], ...] = (
        _alone,
        _course,
        _phases,
        _one_loss,
        _halve_rate,
        _random_loss,
        _random_loss_delayed,
        _pairs,
        _pairs_low,
        _crowds,
        _newcomer,
        _round_trips,
        _crowd,
        _path_252,
        _utility,
    )
    return by_labels(run for part in parts for run in part(setup))


def replicates(setup: Setup, part: str, count: str = "replicates") -> tuple[int, ...]:
    """Return the seeds of a part: as many as it says, else as many as the scale has."""
    first = setup.seeds[0]
    return tuple(range(first, first + setup.settings[part].get(count, len(setup.seeds))))


def pair_seeds(setup: Setup, *laws: str) -> tuple[int, ...]:
    """Return the seeds of a pair: more of them where TCP is one of the two."""
    return replicates(setup, "pairs", "replicates_with_tcp" if TCP in laws else "replicates")


def _times(setup: Setup, part: str) -> tuple[str, str]:
    return scale_times(setup.settings[part], setup.settings["size"])


def _alone(setup: Setup) -> Part:
    part = setup.settings["alone"]
    for (rate, duration), rtt_ms, buffer in product(
        zip(part["rates"], part["durations"], strict=True), part["rtts_ms"], part["buffers"]
    ):
        bdp = bdp_packets(parse_rate(rate), rtt_ms / 1e3)
        network = {"rate": rate, "rtt": f"{rtt_ms} ms", "buffer": packets(buffer * bdp)}
        whole = in_seconds(duration) * setup.settings["size"]
        times = seconds(whole), seconds(whole / 5)
        for law in setup.laws:
            labels = {"law": law, "rate": rate, "rtt_ms": rtt_ms, "buffer": buffer}
            yield job(path([flow(law)], times, network), part="alone", **labels)


def _course(setup: Setup) -> Part:
    for law in setup.laws:
        scenario = path([flow(law)], _times(setup, "course"), SHORT_PATH, "50 ms")
        yield job(scenario, part="course", law=law)


def _phases(setup: Setup) -> Part:
    """One TCP flow: a first threshold, an overflow, and a whole window lost."""
    network = {
        "rate": "10 Mbit/s",
        "rtt": "100 ms",
        "buffer": "40 packets",
        "transport": {"initial_ssthresh": "64 packets"},
        "lose": list(range(14_000, 14_087)),
    }
    yield job(path([flow(TCP)], _times(setup, "phases"), network, "20 ms"), part="phases")


def _one_loss(setup: Setup) -> Part:
    """Lose one packet on a full path that does not overflow: what is given up, and got back."""
    for threshold, packets_first in THRESHOLDS.items():
        transport = {
            "initial_ssthresh": packets_first,
            "receive_window": f"{FULL_WINDOW} packets",
            "window_validation": True,
        }
        network = {**FAST_PATH, "lose": [LOST_PACKET], "transport": transport}
        for law in setup.laws:
            scenario = path([flow(law)], _times(setup, "one_loss"), network, "50 ms")
            yield job(scenario, part="one loss", law=law, threshold=threshold)


def _halve_rate(setup: Setup) -> Part:
    """Halve the rate of the path, and give it back."""
    part, size = setup.settings["halved"], setup.settings["size"]
    moments = [
        {"at": seconds(size * in_seconds(part[edge])), "rate": rate}
        for edge, rate in (("begins", "50 Mbit/s"), ("ends", "100 Mbit/s"))
    ]
    for law in setup.laws:
        network = {**FAST_PATH, "changes": moments}
        scenario = path([flow(law)], _times(setup, "halved"), network, "100 ms")
        yield job(scenario, part="halved", law=law)


def _random_loss(setup: Setup) -> Part:
    for part in setup.settings["random_loss"]:
        times = scale_times(part, setup.settings["size"])
        for loss, law, seed in product(part["losses"], setup.laws, setup.seeds):
            network = {**FAST_PATH, "rate": part["rate"], "loss": loss}
            scenario = path([flow(law)], times, network, seed=seed)
            rate: str = part["rate"]
            yield job(scenario, part="random loss", rate=rate, law=law, loss=loss, seed=seed)


def _random_loss_delayed(setup: Setup) -> Part:
    """Bic's growth counts on delayed ACKs: its random losses once more, with them."""
    bic = [law for law in setup.laws if law == "bic"]
    for part in setup.settings["random_loss"]:
        if part["rate"] != FAST_PATH["rate"]:
            continue
        times = scale_times(part, setup.settings["size"])
        for law, loss, seed in product(bic, part["losses"], setup.seeds):
            network = {**FAST_PATH, "loss": loss, "transport": {"delayed_ack": True}}
            scenario = path([flow(law)], times, network, seed=seed)
            yield job(scenario, part="random loss delayed", loss=loss, seed=seed)


def cells(setup: Setup) -> list[tuple[int, float]]:
    """Return round trip in ms and buffer in BDP of every cell of the pairs."""
    part = setup.settings["pairs"]
    return list(product(part["rtts_ms"], part["buffers"]))


def _cell(setup: Setup, rtt_ms: int, buffer: float) -> dict[str, Any]:
    rate = setup.settings["pairs"]["rate"]
    return {"rate": rate, "rtt": f"{rtt_ms} ms", "buffer": f"{buffer} BDP"}


def _pairs(setup: Setup) -> Part:
    both = combinations_with_replacement(setup.laws, 2)
    for (one, other), (rtt_ms, buffer) in product(both, cells(setup)):
        for seed in pair_seeds(setup, one, other):
            flows = _begin_flows({"one": one, "other": other}, seed)
            scenario = beside(flows, _times(setup, "pairs"), _cell(setup, rtt_ms, buffer), seed)
            cell = {"rtt_ms": rtt_ms, "buffer": buffer}
            yield job(scenario, part="pairs", one=one, other=other, **cell, seed=seed)


def _begin_flows(laws: Mapping[str, str], seed: int, spread_s: float = 2.0) -> list[Flow]:
    """Describe named flows that begin at random."""
    begun = draw_starts(seed, len(laws), spread_s)
    return [flow(laws[name], at, name=name) for name, at in zip(laws, begun, strict=True)]


def _pairs_low(setup: Setup) -> Part:
    """Pairs with TCP whose first threshold is low."""
    transport = {"initial_ssthresh": THRESHOLDS["low"]}
    for law, (rtt_ms, buffer), seed in product(setup.laws, cells(setup), pair_seeds(setup, TCP)):
        network = {**_cell(setup, rtt_ms, buffer), "transport": transport}
        flows = _begin_flows({"one": law, "other": TCP}, seed)
        scenario = beside(flows, _times(setup, "pairs"), network, seed)
        yield job(scenario, part="pairs low", law=law, rtt_ms=rtt_ms, buffer=buffer, seed=seed)


def crowd_seeds(setup: Setup, *laws: str) -> tuple[int, ...]:
    """Return the seeds of flows against as many others: more of them where TCP is one of two."""
    return setup.seeds if TCP in laws else replicates(setup, "crowds")


def _crowds(setup: Setup) -> Part:
    """As many flows of a law against as many of another."""
    for one, other in combinations_with_replacement(setup.laws, 2):
        named = dict(zip(PAIR, (one, other), strict=True))
        laws = {f"{name} {i}": law for i in range(CROWD) for name, law in named.items()}
        for seed in crowd_seeds(setup, one, other):
            flows = _begin_flows(laws, seed)
            scenario = beside(flows, _times(setup, "crowds"), SHORT_PATH, seed)
            yield job(scenario, part="crowds", one=one, other=other, seed=seed)


def _newcomer(setup: Setup) -> Part:
    joins_s = in_seconds(setup.settings["newcomer"]["joins"]) * setup.settings["size"]
    for law, seed in product(setup.laws, setup.seeds):
        for newcomer in dict.fromkeys((law, TCP)):
            at = joins_s + draw_starts(seed, 1, JOINS_WITHIN_S)[0]
            flows = [flow(law, name="old"), flow(newcomer, at, name="new")]
            scenario = beside(flows, _times(setup, "newcomer"), SHORT_PATH, seed, "500 ms")
            yield job(scenario, part="newcomer", law=law, newcomer=newcomer, seed=seed)


def _round_trips(setup: Setup) -> Part:
    part = setup.settings["round_trips"]
    for law, ratio, seed in product(setup.laws, part["ratios"], replicates(setup, "round_trips")):
        begun = draw_starts(seed, 2, 2)
        flows = [
            flow(law, at, name=name, rtt=seconds(ROUND_TRIP_S * times))
            for at, name, times in zip(begun, ("short", "long"), (1, ratio), strict=True)
        ]
        network = {"rate": "100 Mbit/s", "rtt": seconds(ROUND_TRIP_S), "buffer": "2 BDP"}
        scenario = beside(flows, _times(setup, "round_trips"), network, seed)
        yield job(scenario, part="round trips", law=law, ratio=ratio, seed=seed)


def _crowd(setup: Setup) -> Part:
    """Heavy congestion: a packet of buffer a flow."""
    for (threshold, first), law, seed in product(THRESHOLDS.items(), setup.laws, setup.seeds):
        begun = starts(seed, CROWDED_FLOWS, 2)
        flows = [flow(law, at) for at in begun]
        network = {**CROWDED_PATH, "transport": {"initial_ssthresh": first}}
        scenario = path(flows, _times(setup, "crowded"), network, seed=seed)
        yield job(scenario, part="crowded", law=law, threshold=threshold, seed=seed)


def _path_252(setup: Setup) -> Part:
    network = {"rate": "252 Mbit/s", "rtt": "100 ms", "buffer": "0.25 BDP"}
    scenario = path([flow(TCP)], _times(setup, "path_252"), network, "500 ms")
    yield job(scenario, part="path 252")


#: What each case changes: receive window, first threshold, packets, loss, duration.
UTILITY = {
    "all": ("infinite", "low", 50_000, 1e-5, "300 s"),
    "receive-window": (f"{SMALL_WINDOW} packets", "low", 50_000, 1e-5, "600 s"),
    "threshold": ("infinite", "high", 50_000, 1e-5, "300 s"),
    "file": ("infinite", "low", 100, 1e-5, "60 s"),
    "congestion": ("infinite", "low", 50_000, 3e-2, "6000 s"),
}


def _utility(setup: Setup) -> Part:
    """One file, under the four conditions of the source together, and with each of them broken."""
    laws = [law for law in (TCP, *SEVEN) if law in setup.laws]
    for case, law, seed in product(UTILITY, laws, setup.seeds):
        window, threshold, size, loss, duration = UTILITY[case]
        transport = {"receive_window": window, "initial_ssthresh": THRESHOLDS[threshold]}
        network = {**FAST_PATH, "loss": loss, "transport": transport}
        one = flow(law, size=f"{size} packets")
        scenario = path([one], (duration, "0 s"), network, seed=seed)
        yield job(scenario, part="utility", case=case, law=law, seed=seed)
