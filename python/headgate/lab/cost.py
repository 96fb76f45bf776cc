"""Estimates of the cost of a campaign, from short pilot runs on this machine.

Pilots tell what some runs will cost (`pilots.py`). Runs that differ in their seed only cost the
same; runs without a pilot cost what those do that share most labels with them.
"""

from __future__ import annotations

import heapq
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context

from headgate.data.parquet import query
from headgate.engine.run.memory import peak_bytes
from headgate.lab.jobs import Job
from headgate.lab.pilots import Pilots, begin, choose_pilots, run_pilots, without_seed
from headgate.lab.store import Store


@dataclass(frozen=True)
class CostEstimate:
    """What the missing runs will cost; `wall_s` and memory are for `workers` at a time."""

    runs: int
    found: int
    pilots: int
    whole_pilots: int
    packet_hops: float
    cpu_s: float
    workers: int
    wall_s: float
    memory_bytes: float

    def as_json(self) -> dict[str, float]:
        """Return the object that `--json` prints."""
        return asdict(self)


def estimate(jobs: Sequence[Job], store: Store, workers: int | None = None) -> CostEstimate:
    """Estimate what the jobs that the store lacks will cost; pilots are kept in the store."""
    workers = workers or os.cpu_count() or 1
    jobs = list({job.id: job for job in jobs}.values())
    missing = store.missing(jobs)
    held_bytes = peak_bytes()
    pilots = run_pilots(choose_pilots(missing), store.folder, min(workers, os.cpu_count() or 1))
    hops_more, cpu_more = pilots.corrections()
    costs = [_cost(job, pilots) for job in missing]
    return CostEstimate(
        runs=len(missing),
        found=len(jobs) - len(missing),
        pilots=len(pilots.made),
        whole_pilots=len({pilot.run_id for pilot in pilots.drawn if pilot.more}),
        packet_hops=hops_more * sum(hops for hops, _ in costs),
        cpu_s=cpu_more * sum(cpu_s for _, cpu_s in costs),
        workers=workers,
        wall_s=_wall_s([cpu_more * cpu_s for _, cpu_s in costs], workers),
        memory_bytes=held_bytes + min(workers, len(missing)) * _run_bytes(pilots.heaviest),
    )


def _cost(job: Job, pilots: Pilots) -> tuple[float, float]:
    """Return hops and CPU time: the mean of the pilots that share most labels with the job."""
    mine = set(without_seed(job))
    alike = {run: len(mine & set(without_seed(other))) for run, (other, _) in pilots.made.items()}
    most = max(alike.values())
    like = [pilots.made[run][1] for run, shared in alike.items() if shared == most]
    hops = sum(pilot.packet_hops for pilot in like) / len(like)
    return hops, sum(pilot.cpu_s for pilot in like) / len(like)


def _wall_s(costs_s: Iterable[float], workers: int) -> float:
    """Hand runs out in their order to whoever is free; give when the last one ends."""
    free_s = [0.0] * workers
    for cost_s in costs_s:
        heapq.heappush(free_s, heapq.heappop(free_s) + cost_s)
    return max(free_s)


def _run_bytes(job: Job | None) -> int:
    """Measure the heaviest run in a process of its own, whose peak of memory is its own."""
    if job is None:
        return 0
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        return executor.submit(_peak_of, job).result()


def _peak_of(job: Job) -> int:
    """Return the most memory that a process holds which begins a run, and could store it."""
    query("SELECT 1")
    begin(job)
    return peak_bytes()
