"""Measures one bench network in a process of its own, so that its peak of memory is its own."""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

from headgate.base.errors import HeadgateError
from headgate.base.messages import also
from headgate.base.process import python_command
from headgate.engine.api import simulate
from headgate.engine.bench.networks import NETWORKS, flows
from headgate.engine.run.options import RunOptions
from headgate.engine.run.progress import Progress

KIB = 1024


@dataclass(frozen=True)
class Timing:
    """What one network cost. A packet-hop is one packet, data or ACK, over one link.

    `cpu_s` is the run's, of all its threads, `setup_cpu_s` what came before it; `bytes_per_flow` is
    the engine's memory after set-up, when every source is idle, over the number of flows or
    sources.
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


def names() -> list[str]:
    """Return the names of the bench networks."""
    return list(NETWORKS)


def measure(name: str, threads: int = 1) -> Timing:
    """Time a network in a fresh process, on this number of threads."""
    if name not in NETWORKS:
        known = ", ".join(NETWORKS) + also(name, NETWORKS)
        raise HeadgateError(f"{name!r} is not a bench network; they are {known}")
    done = subprocess.run(
        python_command("-m", "headgate.engine.bench.measure", name, str(threads)),
        stdout=subprocess.PIPE,
        check=False,
    )
    if done.returncode:
        raise HeadgateError(f"bench {name}: the measuring process ended with {done.returncode}")
    return Timing(**json.loads(done.stdout))


def measure_here(
    name: str, progress: Callable[[Progress], None] | None = None, threads: int = 1
) -> Timing:
    """Time a network in this process; its peak of memory counts everything done before."""
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
    )


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asdict(measure_here(sys.argv[1], threads=int(sys.argv[2])))))
