"""The scenarios by packets: a function for each sweep, with what its runs differ by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from headgate import Scenario
from headgate.lab import Labels, Setup
from headgate_studies.flow_level import networks, theory
from headgate_studies.paths import (
    MBPS,
    bdp_packets,
    flow,
    in_seconds,
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
#: Vegas as in its paper: the queue is `w (1 - baseRTT/RTT)`; Linux divides by baseRTT.
DELAY_PARAMS: Mapping[str, Mapping[str, Any]] = {"fast": {}, "vegas": {"variant": "ns2"}}
#: Within which flows start so that no SYN meets data: every baseRTT is true.
TOGETHER_S = 0.001
#: RED keeps Reno's queue short, so that round trips stay different.
RED = {"name": "red", "min_packets": 20.0, "max_packets": 60.0, "max_p": 0.1, "weight": 0.002}
RENO_LINK = {"buffer": "300 packets", "queue": RED}


def random_losses(setup: Setup) -> dict[float, int]:
    """Return how many random losses each probability is measured for."""
    parts = setup.settings["random"]
    return {p: _count(setup, part["losses"]) for part in parts for p in part["probabilities"]}


def _count(setup: Setup, losses: int) -> int:
    size: float = setup.settings["size"]
    return max(5, round(size * losses))


def _lossy(setup: Setup, cca: str, loss: float, losses: int) -> tuple[tuple[str, str], Any]:
    """Return the times of a run of N losses, and its network; it starts about at rest."""
    window, own = theory.printed_window(cca, loss), setup.settings["path"]
    between_s = in_seconds(own["rtt"]) / (loss * window)
    times = seconds((FORGOTTEN + losses) * between_s), seconds(FORGOTTEN * between_s)
    transport = {"initial_ssthresh": f"{round(window)} packets"}
    return times, {**own, "buffer": "infinite", "transport": transport}


def lose_periodically(setup: Setup, *, cca: str, loss: float) -> Scenario:
    """One flow that loses packets at equal distances."""
    losses = _count(setup, setup.settings["periodic"]["losses"])
    times, network = _lossy(setup, cca, loss, losses)
    period = round(1 / loss)
    lose = [period * number for number in range(1, 2 * (FORGOTTEN + losses))]
    return path([flow(cca)], times, {**network, "lose": lose})


def choose_losses(setup: Setup) -> Iterator[Labels]:
    """Every algorithm at every probability of a random loss."""
    return ({"cca": cca, "loss": loss} for cca in LOSSY for loss in random_losses(setup))


def lose_at_random(setup: Setup, *, cca: str, loss: float, seed: int) -> Scenario:
    """One flow; packets are lost at random."""
    times, network = _lossy(setup, cca, loss, random_losses(setup)[loss])
    return path([flow(cca)], times, {**network, "loss": loss}, seed=seed)


def cases(setup: Setup) -> list[tuple[int, float]]:
    """Return flows and rate (Mbit/s) of the links with a queue."""
    part = setup.settings["delay"]
    return list(zip(part["flows"], part["rates_mbps"], strict=True))


def delay_params(setup: Setup, cca: str) -> dict[str, float]:
    """Return alpha of FAST; Vegas keeps between two bounds."""
    part = setup.settings["delay"]
    if cca == "fast":
        return {"alpha": part["alpha"]}
    half = part["slack"] / 2
    return {"alpha": part["alpha"] - half, "beta": part["alpha"] + half}


def choose_links(setup: Setup) -> Iterator[Labels]:
    """Every algorithm on every link with a queue."""
    return (
        {"cca": cca, "flows": count, "rate_mbps": rate}
        for cca in DELAYED
        for count, rate in cases(setup)
    )


def queue_up(setup: Setup, *, cca: str, flows: int, rate_mbps: float) -> Scenario:
    """Flows that keep a queue."""
    part = setup.settings["delay"]
    rtt_s, slow = in_seconds(part["rtt"]), cca != "fast"
    params: dict[str, Any] = {**delay_params(setup, cca), **DELAY_PARAMS[cca]}
    begun = starts(1, flows, rtt_s if slow else TOGETHER_S)
    rest = setup.settings["size"] * _rest_s(rate_mbps, rtt_s, flows, part["alpha"])
    first = _slow(bdp_packets(rate_mbps * MBPS, rtt_s) / flows) if slow else {}
    network = {"rate": f"{rate_mbps} Mbit/s", "rtt": part["rtt"], "buffer": "infinite"}
    return path(
        [flow(cca, start, params=params) for start in begun],
        (seconds(1.5 * rest), seconds(rest)),
        {**network, "transport": {**PATIENT, **first}},
    )


def _slow(window: float) -> dict[str, str]:
    """Return a start without a queue, by which Vegas would take a wrong baseRTT."""
    return {"initial_window": "2 packets", "initial_ssthresh": f"{round(window)} packets"}


def _rest_s(rate_mbps: float, rtt_s: float, flows: int, alpha: float) -> float:
    """Return the time until flows reach equilibrium.

    FAST: 12 times `e` at a share of alpha/(2 w) for every other round trip. Vegas: by a packet a
    round trip, from wherever its slow start ended.
    """
    packets_s = rate_mbps * MBPS / 12_000
    window = packets_s * rtt_s / flows + alpha
    return (rtt_s + flows * alpha / packets_s) * (48 * window / alpha + 2 * window)


def first_windows(setup: Setup, cca: str) -> list[float]:
    """Return the windows from which many flows approach their rest, packets."""
    part = setup.settings["approach"]
    return [round(times * theory.printed_window(cca, part["loss"])) for times in part["starts"]]


def choose_windows(setup: Setup) -> Iterator[Labels]:
    """Every algorithm from its windows."""
    return ({"cca": cca, "window": w} for cca in LOSSY for w in first_windows(setup, cca))


def approach(setup: Setup, *, cca: str, window: float) -> Scenario:
    """Many flows under random losses, all from one window: their mean is what a fluid has."""
    part, own = setup.settings["approach"], setup.settings["path"]
    first = {"initial_window": f"{window} packets", "initial_ssthresh": f"{window} packets"}
    network = {**own, "buffer": "infinite", "loss": part["loss"], "transport": first}
    flows = [flow(cca, count=part["flows"], stagger="1 us")]
    times = seconds(in_seconds(own["rtt"]) * part["rounds"]), "0 s"
    return path(flows, times, network, {"interval": own["rtt"], "flows": []})


def send_alone(setup: Setup, *, burstiness: str) -> Scenario:
    """One FAST flow, its increases at once and, with other first windows, its packets paced."""
    own = setup.settings["alone"]
    params = {"alpha": own["alpha"], **EQUATION, "burstiness": burstiness}
    transport = {**PATIENT, "initial_window": f"{own['first'][burstiness]} packets"}
    network = {"rate": own["rate"], "rtt": own["rtt"], "buffer": "infinite", "transport": transport}
    return path([flow("fast", params=params)], (own["duration"], "0 s"), network, own["rtt"])


def vary_windows(setup: Setup) -> Scenario:
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
    return path(flows, times, network, own["rtt"])


def share(setup: Setup, *, network: str, cca: str, seed: int) -> Scenario:
    """Flows over bottlenecks in a row."""
    row, fast = networks.ROWS[network], cca == "fast"
    times = scale_times(setup.settings["fair"], setup.settings["size"])
    link: Mapping[str, Any] = {"buffer": "infinite"} if fast else RENO_LINK
    begun = starts(seed, len(row.classes), TOGETHER_S if fast else 2.0)
    return row.scenario(cca, begun, times, link).model_copy(update={"seed": seed})


def rest_of_windows(setup: Setup) -> tuple[float, float, float]:
    """Return window, queueing delay and round trip at rest of the flows with other first windows.

    The round trip on an empty path is longer by the times of a packet and its ACK.
    """
    own = setup.settings["windows"]
    bps = MBPS * float(str(own["rate"]).split()[0])
    flows, rtt_s = len(own["first"]), in_seconds(own["rtt"])
    wait_s = flows * own["alpha"] * 12_000 / bps
    return bdp_packets(bps, rtt_s) / flows + own["alpha"], wait_s, rtt_s + wait_s
