"""Predicts the speed-up of a bench network by threads, from the packets of each region and window.

    python scripts/thread_model.py abilene-278000 3

The run lasts the given number of simulated seconds on one thread. It records the packets that leave
every port in every window of the engine: bytes over the mean size of the port's packets. A router
is one region, and the hosts behind it are another. The work of a region in a window is its number
of packets times the cost of a packet, which is less at routers of the backbone, and a constant.
Regions go to the thread with the least work so far, the heaviest first. A window takes as long as
its slowest thread, and a barrier. The model leaves out packets that are passed between threads, and
the effects of shared caches and memory.
"""

import sys

import numpy as np
from numpy.typing import NDArray

from headgate import Result, Scenario
from headgate.engine.bench import NETWORKS

THREADS = (1, 2, 4, 8, 16, 32, 64)
#: Nanoseconds per packet at a router of the backbone and elsewhere, and per region with any packet.
BACKBONE_NS, OTHER_NS, REGION_NS = 62.0, 88.0, 200.0
#: Nanoseconds of a barrier between two windows: the least and the greatest that are assumed.
BARRIER_NS = (1_000.0, 5_000.0)
#: The share of the run that is left out while flows begin.
BEGINNING = 0.25
Work = NDArray[np.float64]


def run(name: str, seconds: int) -> Result:
    """Run a bench network with a row per port and window."""
    network = NETWORKS[name]()
    window_s = network.replaced({"duration": "10 ms", "measure.warmup": "0 s"}).run()
    interval = f"{window_s.meta['lookahead_s']} s"
    keys = network.to_dict()
    keys["duration"] = f"{seconds} s"
    keys["measure"] |= {
        "warmup": "0 s",
        "series": {"interval": interval, "flows": [], "ports": ["*"]},
    }
    return Scenario.from_dict(keys).run()


def count_packets(result: Result) -> dict[str, Work]:
    """Return the packets of each region in each window: routers by name, and the hosts of each."""
    ports = result.ports
    links = ports["link"].tolist()
    assert result.series["name"][: len(links)].tolist() == links
    sent = result.series["sent_bytes"].reshape(-1, len(links)).astype(float)
    sizes = ports["sent_bytes"] / np.maximum(ports["departures"], 1)
    packets = np.diff(sent, axis=0)[int(BEGINNING * len(sent)) :] / np.maximum(sizes, 1)
    regions: dict[str, Work] = {}
    ends = [*zip(ports["from"].tolist(), ports["to"].tolist(), strict=True)]
    inner = {router for router, _ in ends if sum(one == router for one, _ in ends) > 1}
    for (router, to), of_port in zip(ends, packets.T, strict=True):
        regions[router] = regions.get(router, 0.0) + of_port
        if to not in inner:  # an access router hands all of them to its hosts
            regions[to] = regions.get(to, 0.0) + of_port
            regions[f"hosts of {to}"] = of_port
    return regions


def work_of(result: Result) -> Work:
    """Return nanoseconds of work by region and window."""
    regions, delay_s = count_packets(result), result.ports["delay_s"]
    backbone = {*result.ports["from"][delay_s > 1.01 * delay_s.min()].tolist()}
    costs = [BACKBONE_NS if name in backbone else OTHER_NS for name in regions]
    packets = np.array([*regions.values()])
    work: Work = packets * np.array(costs)[:, None] + REGION_NS * (packets > 0)
    return work


def distribute(work: Work, threads: int) -> Work:
    """Return the work of each thread in each window."""
    totals = work.sum(axis=1)
    loads, of_threads = np.zeros(threads), np.zeros((threads, work.shape[1]))
    for region in np.argsort(-totals):
        thread = int(loads.argmin())
        loads[thread] += totals[region]
        of_threads[thread] += work[region]
    return of_threads


def describe(name: str, work: Work) -> str:
    """Return a table: the largest load over the mean, in the run and in windows, and speed-up."""
    share, mean_us = work.sum(axis=1).max() / work.sum(), work.sum(axis=0).mean() / 1e3
    lines = [
        f"{name}: {len(work)} regions, {work.shape[1]} windows of {mean_us:.0f} us of work;"
        f" the largest region is {100 * share:.1f} % of all work",
        "| threads | largest load over the mean, in the run | in the windows | speed-up |",
        "| --- | --- | --- | --- |",
    ]
    for threads in THREADS:
        loads = distribute(work, threads)
        mean_ns, slowest_ns = work.sum() / threads, loads.max(axis=0).sum()
        barriers = [ns * work.shape[1] * (threads > 1) for ns in BARRIER_NS]
        high, low = (work.sum() / (slowest_ns + ns) for ns in barriers)
        in_run, in_windows = loads.sum(axis=1).max() / mean_ns, slowest_ns / mean_ns
        lines.append(f"| {threads} | {in_run:.2f} | {in_windows:.2f} | {low:.1f} to {high:.1f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    network, seconds = sys.argv[1], int(sys.argv[2])
    predicted = describe(network, work_of(run(network, seconds)))
    sys.stdout.write(f"{predicted}\n")
