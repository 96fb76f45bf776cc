"""The measures of the runs by packets."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from headgate import Result
from headgate.lab import Runs, Setup
from headgate_studies.flow_level import networks
from headgate_studies.flow_level.jobs import GAMMA, random_losses, rest_of_windows
from headgate_studies.paths import PACKET_BITS, course, in_seconds, measured_period_s

Numbers = NDArray[np.float64]
#: Distances from rest through which the line of convergence by packets is laid.
LINE_FROM, LINE_TO = 0.3, 0.02


def rates(result: Result) -> Numbers:
    """Packets that each flow delivered a second."""
    begin_s, end_s = measured_period_s(result)
    return np.asarray(result.flows["delivered_packets"], float) / (end_s - begin_s)


def window(result: Result) -> float:
    """Mean rate of the first flow times its mean round trip."""
    return float(rates(result)[0] * result.flows["mean_rtt_s"][0])


def periodic(setup: Setup) -> list[float]:
    """Return the probabilities of the periodic losses."""
    losses: list[float] = setup.settings["periodic"]["probabilities"]
    return losses


def points(runs: Runs, kind: str, cca: str) -> tuple[list[float], list[float]]:
    """Return probability and window of every run, replicates one by one."""
    if kind == "periodic":
        losses = periodic(runs.setup)
        return losses, [window(runs["periodic", cca, p]) for p in losses]
    each = [
        (p, window(run))
        for p in random_losses(runs.setup)
        for run in runs.replicates("random", cca, p)
    ]
    return [p for p, _ in each], [w for _, w in each]


def means(runs: Runs, kind: str, cca: str) -> dict[float, float]:
    """Return the mean window at each probability."""
    losses, windows = (np.array(column) for column in points(runs, kind, cca))
    return {float(p): float(windows[losses == p].mean()) for p in np.unique(losses)}


def mean_delay(runs: Runs, cca: str, flows: int, rate_mbps: float) -> tuple[float, float]:
    """Return the mean wait at a link (s) and the mean rate (packets/s) of the flows of a link."""
    run = runs["delay", cca, flows, rate_mbps]
    return float(run.ports["mean_wait_s"][0]), float(rates(run).mean())


def approach(runs: Runs, cca: str, first: float) -> tuple[Numbers, Numbers]:
    """Return time and the mean window of many flows, from what the link sent."""
    t_s, bps = course(runs["approach", cca, first], "bottleneck", "throughput_bps")
    rtt_s = in_seconds(runs.setup.settings["path"]["rtt"])
    flows = runs.setup.settings["approach"]["flows"]
    # A row is the mean over the interval before it, a round trip; the first one is the handshake.
    return t_s - 1.5 * rtt_s, bps / PACKET_BITS * rtt_s / flows


def alone(runs: Runs, burstiness: str) -> tuple[Numbers, Numbers]:
    """Return time since the handshake and the window of the one FAST flow."""
    t_s, window = course(runs["alone", burstiness], "fast", "cwnd_packets")
    return t_s - in_seconds(runs.setup.settings["alone"]["rtt"]), window


def by_class(runs: Runs, name: str, cca: str) -> Numbers:
    """Return the mean rate of each class over the replicates, packets/s."""
    done = runs.replicates("fair", name, cca)
    return np.asarray(np.mean([rates(run) for run in done], axis=0))


def ratio(runs: Runs, cca: str, over: str, under: str) -> list[float]:
    """Return the ratio of the rates of two classes of the unequal links, of each replicate."""
    names = networks.UNEVEN.names
    first, second = names.index(over), names.index(under)
    each = [rates(run) for run in runs.replicates("fair", "uneven", cca)]
    return [float(row[first] / row[second]) for row in each]


def window_ratio(runs: Runs, cca: str, over: str, under: str) -> list[float]:
    """Return the same of rate times mean round trip: the ratio of rates over that of 1/RTT."""
    names = networks.UNEVEN.names
    first, second = names.index(over), names.index(under)
    done = runs.replicates("fair", "uneven", cca)
    trips = [run.flows["mean_rtt_s"] for run in done]
    each = zip(ratio(runs, cca, over, under), trips, strict=True)
    return [rates * float(rtt_s[first] / rtt_s[second]) for rates, rtt_s in each]


def greatest_gain(row: networks.Row, rate: Numbers) -> float:
    """Return the most that `sum alpha (x' - x)/x` is for rates within the links, over `sum alpha`.

    Rates are proportionally fair if that is nothing: a linear programme.
    """
    alpha = np.array([one.alpha for one in row.classes.values()])
    routes = np.array(
        [
            [float(one.first <= link < one.last) for one in row.classes.values()]
            for link in range(len(row.rates_mbps))
        ]
    )
    best = optimize.linprog(-alpha / rate, A_ub=routes, b_ub=row.rates())
    return float((-best.fun - alpha.sum()) / alpha.sum())


def windows(runs: Runs) -> Mapping[str, tuple[Numbers, Numbers]]:
    """Return the course of each window of the flows that started with other ones."""
    names = [f"from {first}" for first in runs.setup.settings["windows"]["first"]]
    return {name: course(runs["windows",], name, "cwnd_packets") for name in names}


def apart(runs: Runs) -> tuple[Numbers, Numbers]:
    """Return time, and distance of those windows from rest, as `fluid.measure_convergence` does."""
    courses = list(windows(runs).values())
    rest = rest_of_windows(runs.setup)[0]
    each = np.array([w for _, w in courses])
    return courses[0][0], np.sqrt(np.mean((each / rest - 1) ** 2, axis=0))


def factor(runs: Runs) -> float:
    """Return by what an update multiplies that distance: a line through its logarithm."""
    t_s, distance = apart(runs)
    first = int(np.argmax(distance < LINE_FROM))
    last = int(np.argmax(distance < LINE_TO))
    slope = np.polyfit(t_s[first:last], np.log(distance[first:last]), 1)[0]
    return float(np.exp(slope * update_s(runs.setup)))


def update_s(setup: Setup) -> float:
    """Return the time between two updates at rest: one in every other round trip."""
    return 2 * rest_of_windows(setup)[2]


def derived_factor(setup: Setup) -> float:
    """Return what the linear map has for that."""
    _, wait_s, round_trip_s = rest_of_windows(setup)
    return 1 - GAMMA * wait_s / round_trip_s
