"""Every run by packets: one function a part; the first label of a run is its part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from headgate.campaign.jobs import Job
from headgate.experiment.runs import Key, Setup, by_labels
from headgate.studies.flow_level import networks, theory
from headgate.studies.paths import (
    MBPS,
    bdp_packets,
    flow,
    in_seconds,
    job,
    path,
    scale_times,
    seconds,
    starts,
)

LOSSY = ("reno", "hstcp", "scalable")
DELAYED = ("fast", "vegas")
#: As the slides have them.
NAMES = {"reno": "Reno", "hstcp": "HSTCP", "scalable": "STCP", "fast": "FAST", "vegas": "Vegas"}
#: One update in every other round trip, at once and without doubling: the deck's equation.
EQUATION = {"mi_threshold_s": 0.0, "variant": "paper", "burstiness": "none"}
GAMMA = 0.5
#: The fewest losses that are forgotten first: 7/8 to this power is 2 % of Scalable TCP's start.
FORGOTTEN = 30
#: RFC 6298; with less, the rise of the queue at the start is a time-out.
PATIENT = {"min_rto": "1 s"}
#: Vegas as its paper has it: what waits is `w (1 - baseRTT/RTT)`; Linux divides by baseRTT.
DELAY_PARAMS: Mapping[str, Mapping[str, Any]] = {"fast": {}, "vegas": {"variant": "ns2"}}
#: Within which flows start so that no SYN meets data: every baseRTT is true.
TOGETHER_S = 0.001
#: Reno has a queue to keep short on the way, so that round trips stay apart.
RED = {"name": "red", "min_packets": 20.0, "max_packets": 60.0, "max_p": 0.1, "weight": 0.002}
RENO_LINK = {"buffer": "300 packets", "queue": RED}

Part = Iterator[Job]


def jobs(setup: Setup) -> dict[Key, Job]:
    """Make every run of a scale."""
    parts: tuple[Callable[[Setup], Part], ...] = (
        _periodic,
        _random,
        _delay,
        _approach,
        _alone,
        _windows,
        _fair,
    )
    return by_labels(run for part in parts for run in part(setup))


def random_losses(setup: Setup) -> dict[float, int]:
    """Return how many random losses each probability is measured for."""
    parts = setup.settings["random"]
    return {p: _count(setup, part["losses"]) for part in parts for p in part["probabilities"]}


def _count(setup: Setup, losses: int) -> int:
    size: float = setup.settings["size"]
    return max(5, round(size * losses))


def _lossy(setup: Setup, law: str, loss: float, losses: int) -> tuple[tuple[str, str], Any]:
    """Return the times of a run of N losses, and its network; it starts about at rest."""
    window, own = theory.printed_window(law, loss), setup.settings["path"]
    between_s = in_seconds(own["rtt"]) / (loss * window)
    times = seconds((FORGOTTEN + losses) * between_s), seconds(FORGOTTEN * between_s)
    transport = {"initial_ssthresh": f"{round(window)} packets"}
    return times, {**own, "buffer": "infinite", "transport": transport}


def _periodic(setup: Setup) -> Part:
    part = setup.settings["periodic"]
    losses = _count(setup, part["losses"])
    for law in LOSSY:
        for loss in part["probabilities"]:
            times, network = _lossy(setup, law, loss, losses)
            period = round(1 / loss)
            lose = [period * number for number in range(1, 2 * (FORGOTTEN + losses))]
            scenario = path([flow(law)], times, {**network, "lose": lose})
            yield job(scenario, part="periodic", law=law, loss=loss)


def _random(setup: Setup) -> Part:
    for law in LOSSY:
        for loss, losses in random_losses(setup).items():
            times, network = _lossy(setup, law, loss, losses)
            for seed in setup.seeds:
                scenario = path([flow(law)], times, {**network, "loss": loss}, seed=seed)
                yield job(scenario, part="random", law=law, loss=loss, seed=seed)


def cases(setup: Setup) -> list[tuple[int, float]]:
    """Return flows and rate (Mbit/s) of the links with a queue."""
    part = setup.settings["delay"]
    return list(zip(part["flows"], part["rates_mbps"], strict=True))


def delay_params(setup: Setup, law: str) -> dict[str, float]:
    """Return alpha of FAST; Vegas keeps between two bounds."""
    part = setup.settings["delay"]
    if law == "fast":
        return {"alpha": part["alpha"]}
    half = part["slack"] / 2
    return {"alpha": part["alpha"] - half, "beta": part["alpha"] + half}


def _delay(setup: Setup) -> Part:
    part, size = setup.settings["delay"], setup.settings["size"]
    rtt_s = in_seconds(part["rtt"])
    for law in DELAYED:
        params: dict[str, Any] = {**delay_params(setup, law), **DELAY_PARAMS[law]}
        for count, rate in cases(setup):
            spread_s = TOGETHER_S if law == "fast" else rtt_s
            flows = [flow(law, s, params=params) for s in starts(1, count, spread_s)]
            rest = size * _rest_s(rate, rtt_s, count, part["alpha"])
            network = {"rate": f"{rate} Mbit/s", "rtt": part["rtt"], "buffer": "infinite"}
            first = {} if law == "fast" else _slow(bdp_packets(rate * MBPS, rtt_s) / count)
            times = seconds(1.5 * rest), seconds(rest)
            scenario = path(flows, times, {**network, "transport": {**PATIENT, **first}})
            yield job(scenario, part="delay", law=law, flows=count, rate_mbps=rate)


def _slow(window: float) -> dict[str, str]:
    """Return a start without a queue, by which Vegas would take a wrong baseRTT."""
    return {"initial_window": "2 packets", "initial_ssthresh": f"{round(window)} packets"}


def _rest_s(rate_mbps: float, rtt_s: float, flows: int, alpha: float) -> float:
    """Return the time to come to rest.

    FAST: 12 times `e` at a share of alpha/(2 w) for every other round trip. Vegas: by a packet a
    round trip, from wherever its slow start ended.
    """
    packets_s = rate_mbps * MBPS / 12_000
    window = packets_s * rtt_s / flows + alpha
    return (rtt_s + flows * alpha / packets_s) * (48 * window / alpha + 2 * window)


def first_windows(setup: Setup, law: str) -> list[float]:
    """Return the windows from which many flows approach their rest, packets."""
    part = setup.settings["approach"]
    return [round(times * theory.printed_window(law, part["loss"])) for times in part["starts"]]


def _approach(setup: Setup) -> Part:
    """Many flows under random losses, all from one window: their mean is what a fluid has."""
    part, own = setup.settings["approach"], setup.settings["path"]
    rtt_s = in_seconds(own["rtt"])
    for law in LOSSY:
        for window in first_windows(setup, law):
            first = {"initial_window": f"{window} packets", "initial_ssthresh": f"{window} packets"}
            network = {**own, "buffer": "infinite", "loss": part["loss"], "transport": first}
            flows = [flow(law, count=part["flows"], stagger="1 us")]
            times = seconds(rtt_s * part["rounds"]), "0 s"
            series = {"interval": own["rtt"], "flows": []}
            scenario = path(flows, times, network, series)
            yield job(scenario, part="approach", law=law, window=window)


def _alone(setup: Setup) -> Part:
    """One FAST flow, its increases at once and, with other first windows, its packets paced."""
    own = setup.settings["alone"]
    network = {"rate": own["rate"], "rtt": own["rtt"], "buffer": "infinite"}
    for burstiness, first in own["first"].items():
        params = {"alpha": own["alpha"], **EQUATION, "burstiness": burstiness}
        transport = {**PATIENT, "initial_window": f"{first} packets"}
        scenario = path(
            [flow("fast", params=params)],
            (own["duration"], "0 s"),
            {**network, "transport": transport},
            own["rtt"],
        )
        yield job(scenario, part="alone", burstiness=burstiness)


def _windows(setup: Setup) -> Part:
    """Flows that are equal but for their first windows."""
    own = setup.settings["windows"]
    network = {"rate": own["rate"], "rtt": own["rtt"], "buffer": "infinite", "transport": PATIENT}
    begun = zip(starts(1, len(own["first"]), TOGETHER_S), own["first"], strict=True)
    flows = [
        flow(
            "fast",
            start,
            params={"alpha": own["alpha"], **EQUATION},
            name=f"from {first}",
            transport={**PATIENT, "initial_window": f"{first} packets"},
        )
        for start, first in begun
    ]
    times = own["duration"], seconds(in_seconds(own["duration"]) / 2)
    yield job(path(flows, times, network, own["rtt"]), part="windows")


def _fair(setup: Setup) -> Part:
    times = scale_times(setup.settings["fair"], setup.settings["size"])
    links: Mapping[str, Mapping[str, Any]] = {"fast": {"buffer": "infinite"}, "reno": RENO_LINK}
    for name, row in networks.ROWS.items():
        for law, link in links.items():
            spread_s = TOGETHER_S if law == "fast" else 2.0
            for seed in setup.seeds:
                begun = starts(seed, len(row.classes), spread_s)
                scenario = row.scenario(law, begun, times, link)
                scenario = scenario.model_copy(update={"seed": seed})
                yield job(scenario, part="fair", network=name, law=law, seed=seed)


def rest_of_windows(setup: Setup) -> tuple[float, float, float]:
    """Return window, queueing delay and round trip at rest of the flows with other first windows.

    The round trip on an empty path is longer by the times of a packet and its ACK.
    """
    own = setup.settings["windows"]
    bps = MBPS * float(str(own["rate"]).split()[0])
    flows, rtt_s = len(own["first"]), in_seconds(own["rtt"])
    wait_s = flows * own["alpha"] * 12_000 / bps
    return bdp_packets(bps, rtt_s) / flows + own["alpha"], wait_s, rtt_s + wait_s
