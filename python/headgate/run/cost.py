"""What a campaign will cost, from the beginnings of some of its runs on this machine.

A pilot begins a run and follows how its packet-hops and its CPU time grow with simulated time. What
comes later is taken to go on as in the second half of what was seen, since the first half has the
start-up. What no beginning can know, such as congestion that comes in a later period, is learned
from a few pilots that go on to their end: what they cost over what their beginnings told corrects
the others. Runs that differ in their seed only cost the same; runs without a pilot cost what those
do that share most labels with them.
"""

from __future__ import annotations

import heapq
import json
import os
import socket
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from multiprocessing import get_context
from pathlib import Path

from headgate.errors import InterruptedRunError
from headgate.run.folder import query, write_bytes
from headgate.run.plan import Job
from headgate.run.progress import Progress, StopRunError
from headgate.run.simulate import simulate
from headgate.run.store import Store

#: A pilot sees so much of the simulated time, at least so many reports, and takes so long at most.
PILOT_SHARE, PILOT_REPORTS, PILOT_WALL_S = 0.15, 5, 60.0
#: No more pilots than this; other runs are taken to be like them.
MOST_PILOTS = 64
#: So many pilots go on to the end, unless that takes them longer than `PILOT_WALL_S`.
WHOLE_PILOTS = 6
KIB = 1024


@dataclass(frozen=True)
class Pilot:
    """What one run will cost, by its beginning: CPU time with its set-up, in seconds, and hops.

    `seen` is the share of its time that it went on for; what a whole one took is in `took_*`.
    """

    run_id: str
    packet_hops: float
    cpu_s: float
    seen: float
    took_packet_hops: float | None = None
    took_cpu_s: float | None = None


@dataclass(frozen=True)
class Estimate:
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


def estimate(jobs: Sequence[Job], store: Store, workers: int | None = None) -> Estimate:
    """Estimate what the jobs that the store lacks will cost; pilots are kept in the store."""
    workers = workers or os.cpu_count() or 1
    jobs = list({job.id: job for job in jobs}.values())
    missing = store.missing(jobs)
    query("SELECT 1")  # what stores the runs is part of what a campaign holds anyway
    held_bytes = peak_bytes()
    chosen = _chosen(missing)
    pilots = _pilots(chosen, store.folder, min(workers, os.cpu_count() or 1))
    hops_more, cpu_more = _corrections([pilot for _, pilot in pilots.values()])
    costs = [_cost(job, pilots) for job in missing]
    heaviest = max(chosen, key=lambda job: pilots[job.id][1].packet_hops, default=None)
    return Estimate(
        runs=len(missing),
        found=len(jobs) - len(missing),
        pilots=len(pilots),
        whole_pilots=sum(pilot.took_cpu_s is not None for _, pilot in pilots.values()),
        packet_hops=hops_more * sum(hops for hops, _ in costs),
        cpu_s=cpu_more * sum(cpu_s for _, cpu_s in costs),
        workers=workers,
        wall_s=_wall_s([cpu_more * cpu_s for _, cpu_s in costs], workers),
        memory_bytes=held_bytes + min(workers, len(missing)) * _run_bytes(heaviest),
    )


def _chosen(jobs: Sequence[Job]) -> list[Job]:
    """Choose runs for pilots: one of each set of replicates, and not too many of these."""
    first = {_without_seed(job): job for job in reversed(jobs)}
    different = list(reversed(first.values()))
    step = max(len(different) / MOST_PILOTS, 1.0)
    return [different[int(place * step)] for place in range(min(len(different), MOST_PILOTS))]


def _without_seed(job: Job) -> tuple[tuple[str, str | int | float], ...]:
    labels = tuple((name, value) for name, value in job.labels.items() if name != "seed")
    return labels or (("run", job.id),)


def _pilots(jobs: Sequence[Job], store: Path, threads: int) -> dict[str, tuple[Job, Pilot]]:
    """Make pilots as many at a time as there will be runs, since cores slow one another down."""
    step = max(len(jobs) // WHOLE_PILOTS, 1)
    with ThreadPoolExecutor(threads) as executor:
        made = list(
            executor.map(
                lambda at: _pilot(at[1], store, whole=at[0] % step == step // 2), enumerate(jobs)
            )
        )
    return {job.id: (job, pilot) for job, pilot in zip(jobs, made, strict=True)}


def _pilot(job: Job, store: Path, *, whole: bool) -> Pilot:
    path = store / "pilots" / socket.gethostname() / f"{job.id}.json"
    try:
        return Pilot(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        pilot = begin(job, whole=whole)
    write_bytes(path, json.dumps(asdict(pilot)).encode(), durable=False)
    return pilot


@dataclass(frozen=True)
class _Seen:
    time_s: float
    packet_hops: int
    cpu_s: float


def begin(job: Job, *, whole: bool = False) -> Pilot:
    """Begin a run, and tell from its beginning what it will cost; a whole one also what it took."""
    begun_cpu_s, begun_s = time.thread_time(), time.perf_counter()
    seen: list[_Seen] = []
    told: list[Pilot] = []

    def report(now: Progress) -> None:
        seen.append(_Seen(now.time_s, now.packet_hops, time.thread_time() - begun_cpu_s))
        enough = now.share >= PILOT_SHARE and len(seen) >= PILOT_REPORTS
        late = time.perf_counter() - begun_s > PILOT_WALL_S
        if not told and (enough or late or now.share >= 1):
            told.append(_continued(job, seen))
        if now.share < 1 and (late or (enough and not whole)):
            raise StopRunError

    try:
        simulate(job.scenario, progress=report)
    except InterruptedRunError:
        return told[0]
    took_s = time.thread_time() - begun_cpu_s
    return replace(told[0], took_packet_hops=seen[-1].packet_hops, took_cpu_s=took_s)


def _corrections(pilots: Sequence[Pilot]) -> tuple[float, float]:
    """Give what whole pilots took over what their beginnings told, in packet-hops and CPU time."""
    told_hops = told_s = hops = cpu_s = 0.0
    for pilot in pilots:
        if pilot.took_packet_hops is not None and pilot.took_cpu_s is not None:
            told_hops, told_s = told_hops + pilot.packet_hops, told_s + pilot.cpu_s
            hops, cpu_s = hops + pilot.took_packet_hops, cpu_s + pilot.took_cpu_s
    return (hops / told_hops if told_hops else 1.0), (cpu_s / told_s if told_s else 1.0)


def _continued(job: Job, seen: Sequence[_Seen]) -> Pilot:
    """Go on as in the second half of what was seen."""
    end_s, last = job.scenario.duration / 1e12, seen[-1]
    half = next(at for at in seen if at.time_s >= last.time_s / 2)
    if half is last:  # one report: nothing is known of the start-up
        half = _Seen(0.0, 0, 0.0)
    more = max(end_s - last.time_s, 0.0) / (last.time_s - half.time_s)
    hops = last.packet_hops + more * (last.packet_hops - half.packet_hops)
    cpu_s = last.cpu_s + more * (last.cpu_s - half.cpu_s)
    return Pilot(job.id, hops, cpu_s, last.time_s / end_s)


def _cost(job: Job, pilots: dict[str, tuple[Job, Pilot]]) -> tuple[float, float]:
    """Give hops and CPU time: the mean of the pilots that share most labels with the job."""
    mine = set(_without_seed(job))
    alike = {run: len(mine & set(_without_seed(other))) for run, (other, _) in pilots.items()}
    most = max(alike.values())
    like = [pilots[run][1] for run, shared in alike.items() if shared == most]
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
        return executor.submit(_growth_bytes, job).result()


def _growth_bytes(job: Job) -> int:
    """Give by how much a pilot raises this process's peak of memory."""
    before = peak_bytes()
    begin(job)
    return peak_bytes() - before


def peak_bytes() -> int:
    """Give the most memory that this program held; getrusage counts its parent's in, too."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    high = next(line for line in lines if line.startswith("VmHWM:"))
    return int(high.split()[1]) * KIB
