"""The scenarios of the study: one function for each part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations_with_replacement, product
from typing import Any

from headgate import Flow, Scenario, parse_rate
from headgate.lab import Labels, Setup
from headgate_studies import paths
from headgate_studies.mesonet.parameters import PARAMS
from headgate_studies.paths import (
    NO_SERIES,
    bdp_packets,
    beside,
    draw_starts,
    in_seconds,
    packets,
    path,
    scale_times,
    seconds,
    starts,
)

TCP = "reno"
#: The seven replacements that the NIST team compared with TCP.
SEVEN = ("bic", "ctcp", "fast", "fast-at", "hstcp", "htcp", "scalable")
MOST_FAIR, LEAST_FAIR = ("ctcp", "htcp", "fast-at"), ("scalable", "bic", "fast")

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


def replicates(setup: Setup, part: str, count: str = "replicates") -> tuple[int, ...]:
    """Return the seeds of a part: as many as it says, else as many as the scale has."""
    first = setup.seeds[0]
    return tuple(range(first, first + setup.settings[part].get(count, len(setup.seeds))))


def pair_seeds(setup: Setup, *ccas: str) -> tuple[int, ...]:
    """Return the seeds of a pair: more of them if TCP is one of the two."""
    return replicates(setup, "pairs", "replicates_with_tcp" if TCP in ccas else "replicates")


def crowd_seeds(setup: Setup, *ccas: str) -> tuple[int, ...]:
    """Return the seeds of flows against as many others: more of them if TCP is one of two."""
    return setup.seeds if TCP in ccas else replicates(setup, "crowds")


def flow(cca: str, start_s: float = 0.0, **keys: Any) -> dict[str, Any]:
    """Describe one endless flow; its algorithm is as NIST had it, or a user's own."""
    return paths.flow(cca, start_s, params=PARAMS.get(cca), **keys)


def _times(setup: Setup, part: str) -> tuple[str, str]:
    return scale_times(setup.settings[part], setup.settings["size"])


def _one(
    setup: Setup, part: str, cca: str, network: Mapping[str, Any], series: str = NO_SERIES
) -> Scenario:
    return path([flow(cca)], _times(setup, part), network, series)


def fill(setup: Setup, *, cca: str, rate: str, rtt_ms: int, buffer: float) -> Scenario:
    """Let one flow fill a path; fast paths run for a shorter time."""
    part = setup.settings["alone"]
    duration = dict(zip(part["rates"], part["durations"], strict=True))[rate]
    bdp = bdp_packets(parse_rate(rate), rtt_ms / 1e3)
    network = {"rate": rate, "rtt": f"{rtt_ms} ms", "buffer": packets(buffer * bdp)}
    whole = in_seconds(duration) * setup.settings["size"]
    return path([flow(cca)], (seconds(whole), seconds(whole / 5)), network)


def follow(setup: Setup, *, cca: str) -> Scenario:
    """Follow the course of one flow."""
    return _one(setup, "course", cca, SHORT_PATH, "50 ms")


def go_through_phases(setup: Setup) -> Scenario:
    """Take one TCP flow through a first threshold, an overflow, and a whole window lost."""
    network = {
        "rate": "10 Mbit/s",
        "rtt": "100 ms",
        "buffer": "40 packets",
        "transport": {"initial_ssthresh": "64 packets"},
        "lose": list(range(14_000, 14_087)),
    }
    return _one(setup, "phases", TCP, network, "20 ms")


def lose_one(setup: Setup, *, cca: str, threshold: str) -> Scenario:
    """Lose one packet on a full path that does not overflow: reduction and recovery."""
    transport = {
        "initial_ssthresh": setup.settings["thresholds"][threshold],
        "receive_window": f"{FULL_WINDOW} packets",
        "window_validation": True,
    }
    network = {**FAST_PATH, "lose": [LOST_PACKET], "transport": transport}
    return _one(setup, "one_loss", cca, network, "50 ms")


def halve_rate(setup: Setup, *, cca: str) -> Scenario:
    """Halve the rate of the path, and give it back."""
    part, size = setup.settings["halved"], setup.settings["size"]
    moments = [
        {"at": seconds(size * in_seconds(part[edge])), "rate": rate}
        for edge, rate in (("begins", "50 Mbit/s"), ("ends", "100 Mbit/s"))
    ]
    return _one(setup, "halved", cca, {**FAST_PATH, "changes": moments}, "100 ms")


def fill_252(setup: Setup) -> Scenario:
    """Let TCP fill the path of 252 Mbit/s."""
    network = {"rate": "252 Mbit/s", "rtt": "100 ms", "buffer": "0.25 BDP"}
    return _one(setup, "path_252", TCP, network, "500 ms")


def send_file(setup: Setup, *, case: str, cca: str, seed: int) -> Scenario:
    """Send a file, under four conditions of the source together or with one of them broken."""
    part = setup.settings["utility"][case]
    transport = {
        "receive_window": part["receive_window"],
        "initial_ssthresh": setup.settings["thresholds"][part["threshold"]],
    }
    network = {**FAST_PATH, "loss": part["loss"], "transport": transport}
    return path([flow(cca, size=part["size"])], (part["duration"], "0 s"), network, seed=seed)


def losses(setup: Setup) -> Iterator[Labels]:
    """Give every rate, algorithm and loss."""
    for part in setup.settings["random_loss"]:
        for loss, cca in product(part["losses"], setup.ccas):
            yield {"rate": part["rate"], "cca": cca, "loss": loss}


def losses_of_bic(setup: Setup) -> Iterator[Labels]:
    """Give the losses at the lower rate, if there is BIC."""
    of_bic = (one for one in losses(setup) if one["cca"] == "bic")
    return ({"loss": one["loss"]} for one in of_bic if one["rate"] == FAST_PATH["rate"])


def lose_at_random(setup: Setup, *, rate: str, cca: str, loss: float, seed: int) -> Scenario:
    """Lose packets of one flow at random, for a time that depends on how often."""
    return path([flow(cca)], _lossy_times(setup, rate, loss), _lossy(rate, loss), seed=seed)


def delay_acks(setup: Setup, *, loss: float, seed: int) -> Scenario:
    """Let BIC's ACKs be delayed: its growth counts on them."""
    rate = FAST_PATH["rate"]
    network = {**_lossy(rate, loss), "transport": {"delayed_ack": True}}
    return path([flow("bic")], _lossy_times(setup, rate, loss), network, seed=seed)


def _lossy(rate: str, loss: float) -> dict[str, Any]:
    return {**FAST_PATH, "rate": rate, "loss": loss}


def _lossy_times(setup: Setup, rate: str, loss: float) -> tuple[str, str]:
    parts = setup.settings["random_loss"]
    part = next(one for one in parts if one["rate"] == rate and loss in one["losses"])
    return scale_times(part, setup.settings["size"])


def cells(setup: Setup) -> list[tuple[int, float]]:
    """Return round trip in ms and buffer in BDP of every cell of the pairs."""
    part = setup.settings["pairs"]
    return list(product(part["rtts_ms"], part["buffers"]))


def pairs(setup: Setup) -> Iterator[Labels]:
    """Give every two algorithms in every cell."""
    both = combinations_with_replacement(setup.ccas, 2)
    for (one, other), (rtt_ms, buffer) in product(both, cells(setup)):
        for seed in pair_seeds(setup, one, other):
            cell = {"rtt_ms": rtt_ms, "buffer": buffer}
            yield {"one": one, "other": other, **cell, "seed": seed}


def crowds(setup: Setup) -> Iterator[Labels]:
    """Give every two algorithms."""
    for one, other in combinations_with_replacement(setup.ccas, 2):
        for seed in crowd_seeds(setup, one, other):
            yield {"one": one, "other": other, "seed": seed}


def share(  # noqa: PLR0913 - what a run differs by
    setup: Setup, *, one: str, other: str, rtt_ms: int, buffer: float, seed: int
) -> Scenario:
    """Let two flows share a path."""
    return _share(setup, (one, other), _cell(setup, rtt_ms, buffer), seed)


def share_low(setup: Setup, *, cca: str, rtt_ms: int, buffer: float, seed: int) -> Scenario:
    """Let a flow share a path with TCP, the first threshold of both being low."""
    transport = {"initial_ssthresh": setup.settings["thresholds"]["low"]}
    network = {**_cell(setup, rtt_ms, buffer), "transport": transport}
    return _share(setup, (cca, TCP), network, seed)


def _cell(setup: Setup, rtt_ms: int, buffer: float) -> dict[str, Any]:
    rate = setup.settings["pairs"]["rate"]
    return {"rate": rate, "rtt": f"{rtt_ms} ms", "buffer": f"{buffer} BDP"}


def _share(setup: Setup, ccas: tuple[str, str], network: Mapping[str, Any], seed: int) -> Scenario:
    flows = _begin_flows(dict(zip(PAIR, ccas, strict=True)), seed)
    return beside(flows, _times(setup, "pairs"), network, seed)


def _begin_flows(ccas: Mapping[str, str], seed: int, spread_s: float = 2.0) -> list[Flow]:
    begun = draw_starts(seed, len(ccas), spread_s)
    return [flow(ccas[name], at, name=name) for name, at in zip(ccas, begun, strict=True)]


def share_in_crowds(setup: Setup, *, one: str, other: str, seed: int) -> Scenario:
    """Let some flows of an algorithm share a path with as many of another."""
    named = dict(zip(PAIR, (one, other), strict=True))
    ccas = {f"{name} {i}": cca for i in range(CROWD) for name, cca in named.items()}
    return beside(_begin_flows(ccas, seed), _times(setup, "crowds"), SHORT_PATH, seed)


def join(setup: Setup, *, cca: str, newcomer: str, seed: int) -> Scenario:
    """Let a flow join an established one."""
    joins_s = in_seconds(setup.settings["newcomer"]["joins"]) * setup.settings["size"]
    at = joins_s + draw_starts(seed, 1, JOINS_WITHIN_S)[0]
    flows = [flow(cca, name="old"), flow(newcomer, at, name="new")]
    return beside(flows, _times(setup, "newcomer"), SHORT_PATH, seed, "500 ms")


def lengthen_round_trip(setup: Setup, *, cca: str, ratio: float, seed: int) -> Scenario:
    """Let a flow share a path with one whose round trip is longer."""
    flows = [
        flow(cca, at, name=name, rtt=seconds(ROUND_TRIP_S * times))
        for at, name, times in zip(
            draw_starts(seed, 2, 2), ("short", "long"), (1, ratio), strict=True
        )
    ]
    network = {"rate": "100 Mbit/s", "rtt": seconds(ROUND_TRIP_S), "buffer": "2 BDP"}
    return beside(flows, _times(setup, "round_trips"), network, seed)


def crowd(setup: Setup, *, cca: str, threshold: str, seed: int) -> Scenario:
    """Crowd a path heavily: a packet of buffer a flow."""
    flows = [flow(cca, at) for at in starts(seed, CROWDED_FLOWS, 2)]
    transport = {"initial_ssthresh": setup.settings["thresholds"][threshold]}
    network = {**CROWDED_PATH, "transport": transport}
    return path(flows, _times(setup, "crowded"), network, seed=seed)
