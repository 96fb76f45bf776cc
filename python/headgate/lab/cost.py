"""Estimates of the cost of a campaign: from finished runs, from the plans, or from pilot runs.

By default nothing is run. A missing run is expected to cost as much as the finished runs that share
most labels with it. If no run is finished, the plans limit the packet-hops (`hop_limit`).

If the user asks for them, pilots are run on this machine. A pilot begins a run and records the
growth of its packet-hops and its CPU time with simulated time. The rest is extrapolated from the
second half of the recording, because the first half includes the start-up. A few pilots run to the
end, to show later changes such as congestion. They are drawn systematically by cost, so that the
mean ratio of their actual to predicted cost corrects the whole without bias (Hansen and Hurwitz
1943). Runs that differ only in their seed cost the same; a run without a pilot costs the mean of
the pilots that share most labels with it.
"""

from __future__ import annotations

import heapq
import json
import os
import socket
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Literal

import numpy as np

from headgate.base.errors import InterruptedRunError
from headgate.base.files import write_bytes
from headgate.base.progress import count_steps
from headgate.data.parquet import query
from headgate.engine.api import simulate
from headgate.engine.run.memory import estimate_bytes, peak_bytes
from headgate.engine.run.progress import Progress, StopRunError
from headgate.lab.hop_limit import limit_packet_hops
from headgate.lab.jobs import Job, without_seed
from headgate.lab.store import Store, summary

#: Share of the simulated time of a pilot, its least reports, and its greatest wall time.
PILOT_SHARE, PILOT_REPORTS, PILOT_WALL_S = 0.15, 5, 60.0
#: Greatest number of pilots; other runs are assumed to be similar.
MOST_PILOTS = 64
#: Number of draws of pilots that run to the end; none that would exceed `PILOT_WALL_S`.
DRAWS = 6
#: Packet-hops per CPU second on a busy machine, with an expensive algorithm.
HOPS_PER_CPU_S = 1e7
#: Memory of a process that makes runs, without its run.
PROCESS_BYTES = 100_000_000


@dataclass(frozen=True)
class Pilot:
    """Predicted cost of one run: CPU time with its set-up, in seconds, and packet-hops.

    `seen` is the simulated share; `took_*` is the cost of a pilot that ran to the end.
    """

    run_id: str
    packet_hops: float
    cpu_s: float
    seen: float
    took_packet_hops: float | None = None
    took_cpu_s: float | None = None

    @property
    def more(self) -> tuple[float, float] | None:
        """Ratio of actual to predicted cost: packet-hops and CPU time, if known."""
        if self.took_packet_hops is None or self.took_cpu_s is None:
            return None
        return self.took_packet_hops / self.packet_hops, self.took_cpu_s / self.cpu_s


@dataclass(frozen=True)
class Pilots:
    """Pilots by the identity of their run, and those drawn to run to the end, some repeatedly."""

    made: Mapping[str, tuple[Job, Pilot]]
    drawn: Sequence[Pilot]

    @property
    def heaviest(self) -> Job | None:
        """The run with most packet-hops."""
        return max(self.made.values(), key=lambda one: one[1].packet_hops, default=(None,))[0]

    def corrections(self) -> tuple[float, float]:
        """Return the ratios of actual to predicted cost, in packet-hops and in CPU time."""
        predicted = [pilot.more for pilot in self.drawn if pilot.more]
        hops, cpu = np.mean(predicted, axis=0) if predicted else (1.0, 1.0)
        return float(hops), float(cpu)


def run_pilots(jobs: Sequence[Job], store: Path, threads: int) -> Pilots:
    """Run as many pilots at a time as there will be runs, because cores slow one another down."""
    with ThreadPoolExecutor(threads) as executor:
        begun = _count(executor.map(partial(_pilot, store=store), jobs), len(jobs), "begun")
        drawn = [jobs[place] for place in draw([pilot.cpu_s for pilot in begun])]
        ends = {job.id: job for job in drawn}.values()
        followed = executor.map(partial(_pilot, store=store, whole=True), ends)
        ended = _count(followed, len(ends), "followed to the end")
    by_id = {pilot.run_id: pilot for pilot in (*begun, *ended)}
    return Pilots({job.id: (job, by_id[job.id]) for job in jobs}, [by_id[job.id] for job in drawn])


def _count(pilots: Iterable[Pilot], total: int, noun: str) -> list[Pilot]:
    with count_steps("pilot runs", total, noun) as step:
        made = []
        for pilot in pilots:
            made.append(pilot)
            step()
        return made


def draw(costs_s: Sequence[float]) -> list[int]:
    """Draw places with probability proportional to cost, some repeatedly; none too expensive."""
    order = sorted(range(len(costs_s)), key=costs_s.__getitem__)
    order = [place for place in order if costs_s[place] <= PILOT_WALL_S]
    if not order:
        return []
    reached_s = np.cumsum([costs_s[place] for place in order])
    marks_s = (np.arange(DRAWS) + 0.5) / DRAWS * reached_s[-1]
    return [order[at] for at in np.searchsorted(reached_s, marks_s)]


def _pilot(job: Job, store: Path, *, whole: bool = False) -> Pilot:
    pilot = _read_pilot(job, store)
    if pilot is None or (whole and pilot.took_cpu_s is None):
        pilot = begin(job, whole=whole)
        write_bytes(_path_of(job, store), json.dumps(asdict(pilot)).encode(), durable=False)
    return pilot


def _read_pilot(job: Job, store: Path) -> Pilot | None:
    try:
        return Pilot(**json.loads(_path_of(job, store).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _path_of(job: Job, store: Path) -> Path:
    return store / "pilots" / socket.gethostname() / f"{job.id}.json"


def choose_pilots(jobs: Sequence[Job]) -> list[Job]:
    """Choose one run of each set of replicates, up to MOST_PILOTS."""
    first = {without_seed(job): job for job in reversed(jobs)}
    different = list(reversed(first.values()))
    step = max(len(different) / MOST_PILOTS, 1.0)
    return [different[int(place * step)] for place in range(min(len(different), MOST_PILOTS))]


@dataclass(frozen=True)
class _Report:
    time_s: float
    packet_hops: int
    cpu_s: float


def begin(job: Job, *, whole: bool = False) -> Pilot:
    """Begin a run and predict its cost; with `whole`, also measure its actual cost."""
    begun_cpu_s, begun_s = time.thread_time(), time.perf_counter()
    seen: list[_Report] = []
    predicted: list[Pilot] = []

    def report(now: Progress) -> None:
        seen.append(_Report(now.time_s, now.packet_hops, time.thread_time() - begun_cpu_s))
        enough = now.share >= PILOT_SHARE and len(seen) >= PILOT_REPORTS
        late = time.perf_counter() - begun_s > PILOT_WALL_S
        if not predicted and (enough or late or now.share >= 1):
            predicted.append(_extrapolate(job, seen))
        if now.share < 1 and (late or (enough and not whole)):
            raise StopRunError

    try:
        simulate(job.scenario, progress=report)
    except InterruptedRunError:
        return predicted[0]
    took_s = time.thread_time() - begun_cpu_s
    return replace(predicted[0], took_packet_hops=seen[-1].packet_hops, took_cpu_s=took_s)


def _extrapolate(job: Job, seen: Sequence[_Report]) -> Pilot:
    end_s, last = job.scenario.duration / 1e12, seen[-1]
    half = next(at for at in seen if at.time_s >= last.time_s / 2)
    if half is last:  # one report: nothing is known of the start-up
        half = _Report(0.0, 0, 0.0)
    more = max(end_s - last.time_s, 0.0) / (last.time_s - half.time_s)
    hops = last.packet_hops + more * (last.packet_hops - half.packet_hops)
    cpu_s = last.cpu_s + more * (last.cpu_s - half.cpu_s)
    return Pilot(job.id, hops, cpu_s, last.time_s / end_s)


#: The basis of an estimate: finished runs, pilot runs, or the plans of runs.
Basis = Literal["runs", "pilots", "plans"]


@dataclass(frozen=True)
class CostEstimate:
    """Cost of the missing runs; `wall_s` and memory are for `workers` at a time."""

    runs: int
    found: int
    pilots: int
    whole_pilots: int
    packet_hops: float
    cpu_s: float
    workers: int
    wall_s: float
    memory_bytes: float
    basis: Basis
    """If the basis is `plans`, packet-hops and times are upper limits."""

    def as_json(self) -> dict[str, float | str]:
        """Return the object that `--json` prints."""
        return asdict(self)


@dataclass(frozen=True)
class _Costs:
    """Packet-hops and CPU time of each missing run, their basis, and the memory of a run."""

    each: Sequence[tuple[float, float]]
    basis: Basis
    run_bytes: int
    pilots: Pilots = field(default_factory=lambda: Pilots({}, ()))


def estimate(
    jobs: Sequence[Job], store: Store, workers: int | None = None, *, pilots: bool = False
) -> CostEstimate:
    """Estimate the cost of the jobs that the store lacks; with `pilots`, from pilot runs."""
    workers = workers or os.cpu_count() or 1
    jobs = list({job.id: job for job in jobs}.values())
    missing = store.missing(jobs)
    held_bytes = peak_bytes()
    if pilots:
        costs = _from_pilots(missing, store, min(workers, os.cpu_count() or 1))
    else:
        costs = _from_runs(jobs, missing, store) or _from_plans(missing)
    return CostEstimate(
        runs=len(missing),
        found=len(jobs) - len(missing),
        pilots=len(costs.pilots.made),
        whole_pilots=len({pilot.run_id for pilot in costs.pilots.drawn if pilot.more}),
        packet_hops=sum(hops for hops, _ in costs.each),
        cpu_s=sum(cpu_s for _, cpu_s in costs.each),
        workers=workers,
        wall_s=_wall_s([cpu_s for _, cpu_s in costs.each], workers),
        memory_bytes=held_bytes + min(workers, len(missing)) * costs.run_bytes,
        basis=costs.basis,
    )


def _from_pilots(missing: Sequence[Job], store: Store, threads: int) -> _Costs:
    pilots = run_pilots(choose_pilots(missing), store.folder, threads)
    hops_more, cpu_more = pilots.corrections()
    known = [(job, one.packet_hops, one.cpu_s) for job, one in pilots.made.values()]
    alike = [_cost(job, known) for job in missing]
    costs = [(hops_more * hops, cpu_more * cpu_s) for hops, cpu_s in alike]
    return _Costs(costs, "pilots", _run_bytes(pilots.heaviest), pilots)


def _from_runs(jobs: Sequence[Job], missing: Sequence[Job], store: Store) -> _Costs | None:
    """Estimate by finished runs; None if there are none, but some are missing."""
    absent = {job.id for job in missing}
    finished = [job for job in jobs if job.id not in absent]
    if missing and not finished:
        return None
    read = [(job, summary(store.runs / job.id)) for job in choose_pilots(finished)]
    known = [(job, one.packet_hops, one.cpu_s) for job, one in read]
    return _Costs([_cost(job, known) for job in missing], "runs", _find_most(_limit(missing)))


def _from_plans(missing: Sequence[Job]) -> _Costs:
    """Estimate by what the links can carry and the traffic offers."""
    limits = _limit(missing)
    known = [(job, hops, hops / HOPS_PER_CPU_S) for job, hops, _ in limits]
    return _Costs([_cost(job, known) for job in missing], "plans", _find_most(limits))


def _limit(missing: Sequence[Job]) -> list[tuple[Job, float, int]]:
    """Return the greatest packet-hops and the memory of one run of each set of replicates."""
    planned = ((job, job.scenario.plan()) for job in choose_pilots(missing))
    return [
        (job, limit_packet_hops(plan), PROCESS_BYTES + estimate_bytes(plan, arrays))
        for job, (plan, arrays) in planned
    ]


def _find_most(limits: Iterable[tuple[Job, float, int]]) -> int:
    return max((size for _, _, size in limits), default=0)


def _cost(job: Job, known: Sequence[tuple[Job, float, float]]) -> tuple[float, float]:
    """Return hops and CPU time: the mean of the known runs that share most labels with the job."""
    mine = set(without_seed(job))
    shared = [len(mine & set(without_seed(other))) for other, _, _ in known]
    most = max(shared)
    alike = [costs for count, (_, *costs) in zip(shared, known, strict=True) if count == most]
    hops, cpu_s = (sum(column) / len(alike) for column in zip(*alike, strict=True))
    return hops, cpu_s


def _wall_s(costs_s: Iterable[float], workers: int) -> float:
    """Assign runs in order to the next free worker; return the end of the last one."""
    free_s = [0.0] * workers
    for cost_s in costs_s:
        heapq.heappush(free_s, heapq.heappop(free_s) + cost_s)
    return max(free_s)


def _run_bytes(job: Job | None) -> int:
    if job is None:
        return 0
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        return executor.submit(_peak_of, job).result()


def _peak_of(job: Job) -> int:
    """Return the memory peak of a process that begins a run and could store it."""
    query("SELECT 1")
    begin(job)
    return peak_bytes()
