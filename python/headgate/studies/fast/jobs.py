"""Every run of the study: one function a part; the first label of a run is its part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

from headgate.api import Scenario
from headgate.campaign.jobs import Job
from headgate.experiment.runs import Key, Setup, by_labels
from headgate.studies.fast.theory import AGAINST_RENO, EVEN
from headgate.studies.paths import (
    MBPS,
    NO_SERIES,
    PACKET_BITS,
    bdp_packets,
    flow,
    in_seconds,
    job,
    packets,
    path,
    scale_times,
    seconds,
    starts,
)  # fmt: skip

ALPHA = 100
RECALLED_ALPHA = {"100 Mbit/s": 100, "1 Gbit/s": 200}
#: w = baseRTT/RTT w + alpha, letter by letter.
LITERAL = {"gamma": 1.0, "update_rounds": 1, "mi_threshold_s": 0.0, "variant": "paper"}
#: Without doubling while the queue is empty.
PLAIN = {"mi_threshold_s": 0.0}
#: One update in every other round trip, at once: the map of which the theorem speaks.
MAP = {"variant": "paper", "burstiness": "none"}
#: RFC 6298; with less, the rise of the queue at the start is a time-out.
PATIENT = {"min_rto": "1 s"}
UPDATES_OF_REST = 24

FLOWS = (1, 2, 4, 8)
RATES_MBPS = (20, 50, 100, 200)
RTTS_S = (0.02, 0.08, 0.16)
GAMMAS = (0.25, 0.5, 0.75)
WEIGHTS = (50, 100, 200)
LATECOMERS = (2, 3, 5, 10)
BETWEEN_LATECOMERS_S = 20.0
LONG_FAT: dict[str, Any] = {"rate": "1 Gbit/s", "rtt": "180 ms", "buffer": "1 BDP"}
OC192: dict[str, Any] = {"rate": "9.5 Gbit/s", "rtt": "264 ms", "buffer": "0.25 BDP"}
#: Frames of 9000 B, as in the record of the same group at SC2004.
JUMBO = {"segment": "8960 B", "header": "40 B"}
OC192_LAWS = ("reno", "westwood", "bic", "fast")
JAIN_LAWS = ("fast", "hstcp", "reno", "scalable")
JAIN_RTTS_S = (0.05, 0.10, 0.15, 0.20)
DSL_RATE, DSL_BUFFER, DSL_ALPHA = "512 kbit/s", 50, 8
DSL_RTTS_MS = (10, 18)
FULLNESS = {"too little": 0.5, "enough": 2.0}
BURSTINESS = ("none", "spread", "pace")
LOST_PACKET = 40_000

Part = Iterator[Job]


def jobs(setup: Setup) -> dict[Key, Job]:
    """Make every run of a scale."""
    parts: tuple[Callable[[Setup], Part], ...] = (
        _packet_level, _together, _capacity, _convergence, _weights, _round_trips, _latecomers,
        _against_reno, _overfull, _long_fat, _two_gbit, _oc192, _kaist, _jain, _dsl, _random_loss,
        _burstiness, _components,
    )  # fmt: skip
    return by_labels(run for part in parts for run in part(setup))


def fast(start_s: float = 0.0, alpha: float = ALPHA, **params: Any) -> Any:
    """Describe a FAST flow."""
    return flow("fast", start_s, params={"alpha": alpha, **params})


def rest_s(rate_mbps: float, rtt_s: float, flows: int, alpha: float) -> float:
    """Time to come to rest.

    An update every other round trip takes alpha/(2w) of a flow's distance; after a number over that
    share, e^-12 of it is left.
    """
    packets_per_s = rate_mbps * MBPS / PACKET_BITS
    window = packets_per_s * rtt_s / flows + alpha
    return 2 * (rtt_s + flows * alpha / packets_per_s) * UPDATES_OF_REST * window / alpha


def _at_rest(
    rate_mbps: float, rtt_s: float, flows: list[Any], rest: float, series: str = NO_SERIES
) -> Scenario:
    """Measure a long time after the last start, with room for every packet."""
    last = max(in_seconds(each["start"]) for each in flows)
    times = seconds(last + 1.5 * rest), seconds(last + rest)
    network = {"rate": f"{rate_mbps} Mbit/s", "rtt": seconds(rtt_s), "buffer": "infinite"}
    return path(flows, times, {**network, "transport": PATIENT}, series)


def _packet_level(_: Setup) -> Part:
    flows = [fast(0.0, ALPHA, **LITERAL)]
    yield job(_at_rest(100, 0.1, flows, 60), part="packet level")


def _together(setup: Setup) -> Part:
    """N flows whose SYNs meet no data: every baseRTT is true."""
    alpha = 50
    for count in sorted({*FLOWS, *LATECOMERS}):
        rest = rest_s(100, 0.04, count, alpha)
        for seed in setup.seeds:
            flows = [fast(start, alpha) for start in starts(seed, count, 0.01)]
            yield job(_at_rest(100, 0.04, flows, rest), part="together", flows=count, seed=seed)


def _capacity(_: Setup) -> Part:
    for rate in RATES_MBPS:
        for rtt in RTTS_S:
            flows = [fast(start, 50) for start in starts(1, 2, rtt / 4)]
            scenario = _at_rest(rate, rtt, flows, rest_s(rate, rtt, 2, 50))
            yield job(scenario, part="capacity", rate_mbps=rate, rtt_s=rtt)


def _convergence(_: Setup) -> Part:
    for gamma in GAMMAS:
        flows = [fast(0.0, ALPHA, gamma=gamma, **MAP)]
        scenario = _at_rest(100, 0.1, flows, 20, series="10 ms")
        yield job(scenario, part="convergence", gamma=gamma)


def _weights(setup: Setup) -> Part:
    rest = rest_s(100, 0.04, 3, min(WEIGHTS))
    for seed in setup.seeds:
        begun = zip(starts(seed, 3, 0.01), WEIGHTS, strict=True)
        flows = [fast(start, alpha) for start, alpha in begun]
        yield job(_at_rest(100, 0.04, flows, rest), part="weights", seed=seed)


def _round_trips(setup: Setup) -> Part:
    for seed in setup.seeds:
        begun = zip(starts(seed, 4, 0.002), (0.02, 0.04, 0.08, 0.16), strict=True)
        flows = [{**fast(start, 50), "rtt": seconds(rtt)} for start, rtt in begun]
        rest = rest_s(100, 0.16, 4, 50)
        yield job(_at_rest(100, 0.02, flows, rest), part="round trips", seed=seed)


def _latecomers(_: Setup) -> Part:
    for count in LATECOMERS:
        flows = [fast(i * BETWEEN_LATECOMERS_S, 50) for i in range(count)]
        scenario = _at_rest(100, 0.04, flows, BETWEEN_LATECOMERS_S, series="100 ms")
        yield job(scenario, part="latecomers", flows=count)


def _against_reno(setup: Setup) -> Part:
    """FAST comes first, to an empty queue."""
    times = scale_times(setup.settings["against_reno"], setup.settings["size"])
    bdp = bdp_packets(100 * MBPS, 0.05)
    senders: dict[str, Mapping[str, Any]] = {"doubling": {}, "no-doubling": PLAIN}
    for (buffer, alpha), (sender, params) in product(
        dict.fromkeys((*AGAINST_RENO, *EVEN)), senders.items()
    ):
        for seed in setup.seeds:
            flows = [fast(0.0, alpha * bdp, **params), flow("reno", 2 + starts(seed, 1, 5)[0])]
            network = {"rate": "100 Mbit/s", "rtt": "50 ms", "buffer": f"{buffer} BDP"}
            labels = {"sender": sender, "buffer": buffer, "alpha": alpha, "seed": seed}
            yield job(path(flows, times, network), part="against reno", **labels)


def _overfull(setup: Setup) -> Part:
    times = scale_times(setup.settings["overfull"], setup.settings["size"])
    count, alpha = 8, 50
    for room, buffer in FULLNESS.items():
        for seed in setup.seeds:
            flows = [fast(start, alpha) for start in starts(seed, count, 0.01)]
            network = {
                "rate": "100 Mbit/s",
                "rtt": "40 ms",
                "buffer": packets(buffer * count * alpha),
                "transport": PATIENT,
            }
            yield job(path(flows, times, network, "20 ms"), part="overfull", room=room, seed=seed)


def _long_fat(setup: Setup) -> Part:
    part = setup.settings["long_fat"]
    times = scale_times(part, setup.settings["size"])
    laws = {"fast": fast(0.0, RECALLED_ALPHA["1 Gbit/s"]), "reno": flow("reno")}
    for loss in part["losses"]:
        for law, one in laws.items():
            for seed in setup.seeds if loss else setup.seeds[:1]:
                scenario = path([one], times, LONG_FAT | {"loss": loss}, seed=seed)
                yield job(scenario, part="long fat", law=law, loss=loss, seed=seed)


def _two_gbit(setup: Setup) -> Part:
    part = setup.settings["long_fat"]
    if part["two_gbit"]:
        flows = [fast(start, RECALLED_ALPHA["1 Gbit/s"]) for start in (0.0, 0.01)]
        times = scale_times(part, setup.settings["size"])
        yield job(path(flows, times, LONG_FAT | {"rate": "2 Gbit/s"}), part="two gbit")


def _oc192(setup: Setup) -> Part:
    part = setup.settings["oc192"]
    times = scale_times(part, setup.settings["size"])
    for law in (law for law in OC192_LAWS if law in setup.laws):
        one = fast(0.0, RECALLED_ALPHA["1 Gbit/s"]) if law == "fast" else flow(law)
        for loss in part["losses"]:
            scenario = path([one], times, OC192 | {"loss": loss, "transport": JUMBO})
            yield job(scenario, part="oc192", law=law, loss=loss)


def _kaist(setup: Setup) -> Part:
    times = scale_times(setup.settings["kaist"], setup.settings["size"])
    network = {**LONG_FAT, "buffer": "0.5 BDP"}
    for law in setup.laws:
        one = fast(0.0, RECALLED_ALPHA["1 Gbit/s"]) if law == "fast" else flow(law)
        yield job(path([one], times, network), part="kaist", law=law)


def _jain(setup: Setup) -> Part:
    times = scale_times(setup.settings["jain"], setup.settings["size"])
    network = {"rate": "800 Mbit/s", "rtt": "50 ms", "buffer": "2000 packets"}
    for law in (law for law in JAIN_LAWS if law in setup.laws):
        for seed in setup.seeds:
            begun = zip(starts(seed, 4, 0.01), JAIN_RTTS_S, strict=True)
            flows = [{**_own(law, start), "rtt": seconds(rtt)} for start, rtt in begun]
            yield job(path(flows, times, network), part="jain", law=law, seed=seed)


def _own(law: str, start_s: float) -> Mapping[str, Any]:
    return fast(start_s) if law == "fast" else flow(law, start_s)


def _dsl(setup: Setup) -> Part:
    times = scale_times(setup.settings["dsl"], setup.settings["size"])
    for rtt in DSL_RTTS_MS:
        for law in ("fast", "reno"):
            one = fast(0.0, DSL_ALPHA) if law == "fast" else flow("reno")
            network = {"rate": DSL_RATE, "rtt": f"{rtt} ms", "buffer": packets(DSL_BUFFER)}
            scenario = path([one], times, network, "100 ms")
            yield job(scenario, part="dsl", law=law, rtt_ms=rtt)


def _random_loss(setup: Setup) -> Part:
    part = setup.settings["random_loss"]
    for rate, alpha in RECALLED_ALPHA.items():
        duration = part["duration_100m" if rate == "100 Mbit/s" else "duration_1g"]
        times = scale_times({**part, "duration": duration}, setup.settings["size"])
        senders = {
            "doubling": fast(0.0, alpha),
            "no-doubling": fast(0.0, alpha, **PLAIN),
            "paper": fast(0.0, alpha, **PLAIN, variant="paper"),
            "reno": flow("reno"),
        }
        for sender, one in senders.items():
            for loss in part["losses"]:
                for seed in setup.seeds:
                    network = {"rate": rate, "rtt": "100 ms", "loss": loss}
                    scenario = path([one], times, network, seed=seed)
                    labels = {"rate": rate, "sender": sender, "loss": loss, "seed": seed}
                    yield job(scenario, part="random loss", **labels)


def _burstiness(setup: Setup) -> Part:
    times = scale_times(setup.settings["burstiness"], setup.settings["size"])
    for kind in BURSTINESS:
        flows = [fast(0.0, ALPHA, burstiness=kind)]
        network = {"rate": "100 Mbit/s", "rtt": "100 ms", "buffer": "2 BDP"}
        scenario = path(flows, times, network, "5 ms")
        yield job(scenario, part="burstiness", burstiness=kind)


def _components(setup: Setup) -> Part:
    """One packet is lost, so that loss control is seen."""
    times = scale_times(setup.settings["burstiness"], setup.settings["size"])
    network = {"rate": "100 Mbit/s", "rtt": "100 ms", "buffer": "2 BDP", "lose": [LOST_PACKET]}
    yield job(path([fast()], times, network, "10 ms"), part="components")
