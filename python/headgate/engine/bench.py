"""Benchmarks: the speed of the engine on five networks."""

import json
import math
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass

from headgate.base.errors import HeadgateError
from headgate.base.messages import also
from headgate.base.process import python_command
from headgate.engine.api import Scenario, simulate
from headgate.engine.run.options import RunOptions
from headgate.engine.run.progress import Progress

RATE_BPS, RTT_S, PACKET_BYTES = 10**9, 0.04, 1500


def dumbbell(flows: int, duration: str) -> Scenario:
    """Make ns-2's timing dumbbell with N endless SACK flows."""
    bdp = math.ceil(RATE_BPS * RTT_S / 8 / PACKET_BYTES)
    return Scenario.from_dict(
        {
            "duration": duration,
            "network": {
                "kind": "dumbbell",
                "rate": f"{RATE_BPS} bit/s",
                "rtt": "40 ms",
                "buffer": f"{bdp} packets",
            },
            "transport": {"preset": "ns2", "receive_window": f"{2 * bdp} packets"},
            "traffic": [{"kind": "flows", "cca": "reno", "count": flows, "stagger": "10 ms"}],
            "measure": {"series": "none"},
        }
    )


def abilene(rate: str, users: int, warmup_s: int, measured_s: int) -> Scenario:
    """Make the four-tier network with Web users: think 3.5 s, files of 75 packets in the mean."""
    return Scenario.from_dict(
        {
            "duration": f"{warmup_s + measured_s} s",
            "network": {"kind": "abilene", "rate": rate},
            "transport": {"preset": "mesonet", "recovery": "sack"},
            "traffic": [
                {
                    "kind": "web",
                    "cca": "reno",
                    "users": users,
                    "think": "3.5 s",
                    "size": {"kind": "pareto", "mean": "75 packets", "shape": 1.5},
                }
            ],
            "measure": {"warmup": f"{warmup_s} s", "flows": "none", "series": "none"},
        }
    )


NETWORKS: dict[str, Callable[[], Scenario]] = {
    "dumbbell-100": lambda: dumbbell(100, "40 s"),
    "dumbbell-2000": lambda: dumbbell(2000, "25 s"),
    "abilene-27800": lambda: abilene("28.8 Gbit/s", 27_800, 10, 20),
    "abilene-278000": lambda: abilene("192 Gbit/s", 278_000, 5, 15),
    "abilene-2780000": lambda: abilene("1920 Gbit/s", 2_780_000, 1, 1),
}
#: Networks that are measured only if they are named, because they take minutes and a gigabyte.
LARGE = ("abilene-2780000",)


def flows(scenario: Scenario) -> int:
    """Return how many flows, or Web users, a bench network has."""
    return scenario.traffic[0].most_flows


KIB = 1024


@dataclass(frozen=True)
class Timing:
    """Cost of one network. A packet-hop is one packet, data or ACK, over one link.

    `cpu_s` counts all threads of the run, and `setup_cpu_s` the time before it. `bytes_per_flow` is
    the memory of the engine after set-up, with every source idle, per flow or source.
    """

    name: str
    threads: int
    packet_hops: int
    cpu_s: float
    wall_s: float
    setup_cpu_s: float
    packet_hops_per_cpu_s: float
    peak_memory_bytes: int
    bytes_per_flow: float
    sim_s_per_wall_s: float
    digest: str
    """The digest of the run, which is the same for any number of threads."""


def names() -> list[str]:
    """Return the names of the bench networks that are measured by default."""
    return [name for name in NETWORKS if name not in LARGE]


def measure(name: str, threads: int = 1) -> Timing:
    """Time a network in a fresh process, on this number of threads."""
    if name not in NETWORKS:
        known = ", ".join(NETWORKS) + also(name, NETWORKS)
        raise HeadgateError(f"{name!r} is not a bench network; they are {known}")
    done = subprocess.run(
        python_command("-m", "headgate.engine.bench", name, str(threads)),
        stdout=subprocess.PIPE,
        check=False,
    )
    if done.returncode:
        raise HeadgateError(f"bench {name}: the measuring process ended with {done.returncode}")
    return Timing(**json.loads(done.stdout))


def check_digests(timings: Iterable[Timing]) -> None:
    """Raise HeadgateError if two runs of a network differ in their digests."""
    first: dict[str, Timing] = {}
    for timing in timings:
        other = first.setdefault(timing.name, timing)
        if timing.digest != other.digest:
            raise HeadgateError(
                f"bench {timing.name}: the digest is {other.digest} on {other.threads} threads and"
                f" {timing.digest} on {timing.threads}; this is an error of the engine"
            )


def measure_here(
    name: str, progress: Callable[[Progress], None] | None = None, threads: int = 1
) -> Timing:
    """Time a network in this process, whose memory peak includes everything done before."""
    begun = time.process_time()
    scenario = NETWORKS[name]()
    meta = simulate(scenario, progress=progress, options=RunOptions(threads=threads)).meta
    cpu_s, hops = float(meta["cpu_s"]), int(meta["packet_hops"])
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return Timing(
        name=name,
        threads=threads,
        packet_hops=hops,
        cpu_s=cpu_s,
        wall_s=meta["wall_s"],
        setup_cpu_s=time.process_time() - begun - cpu_s,
        packet_hops_per_cpu_s=hops / cpu_s,
        peak_memory_bytes=peak_kib * KIB,
        bytes_per_flow=meta["setup_bytes"] / flows(scenario),
        sim_s_per_wall_s=scenario.duration / 1e12 / meta["wall_s"],
        digest=meta["digest"],
    )


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asdict(measure_here(sys.argv[1], threads=int(sys.argv[2])))))
