"""Short pilot runs, from which the cost of a whole campaign is estimated.

A pilot begins a run and follows how its packet-hops and its CPU time grow with simulated time. What
comes later is taken to go on as in the second half of what was seen, since the first half has the
start-up. What no beginning can know, such as congestion that comes in a later period, is learned
from a few that go on to their end. These are drawn by cost (systematically, from the cheapest to
the dearest: half of the cost is seen by half of them), so that the mean of what they took over what
their beginnings predicted corrects the whole without bias (Hansen and Hurwitz 1943).
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from headgate.base.errors import InterruptedRunError
from headgate.base.files import write_bytes
from headgate.base.progress import count_steps
from headgate.engine.api import simulate
from headgate.engine.run.progress import Progress, StopRunError
from headgate.lab.jobs import Job

#: Share of the simulated time that a pilot sees, its fewest reports, its longest wall time.
PILOT_SHARE, PILOT_REPORTS, PILOT_WALL_S = 0.15, 5, 60.0
#: No more pilots than this; other runs are taken to be like them.
MOST_PILOTS = 64
#: Number of draws of pilots that go on to the end; none that would take longer than `PILOT_WALL_S`.
DRAWS = 6


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

    @property
    def more(self) -> tuple[float, float] | None:
        """What the run took over its prediction: packet-hops and CPU time, if known."""
        if self.took_packet_hops is None or self.took_cpu_s is None:
            return None
        return self.took_packet_hops / self.packet_hops, self.took_cpu_s / self.cpu_s


@dataclass(frozen=True)
class Pilots:
    """Pilots by the digest of their run, and those drawn to run to the end, some repeatedly."""

    made: Mapping[str, tuple[Job, Pilot]]
    drawn: Sequence[Pilot]

    @property
    def heaviest(self) -> Job | None:
        """The run with most packet-hops."""
        return max(self.made.values(), key=lambda one: one[1].packet_hops, default=(None,))[0]

    def corrections(self) -> tuple[float, float]:
        """Return the ratios of actual to predicted cost, in packet-hops and in CPU time."""
        told = [pilot.more for pilot in self.drawn if pilot.more]
        hops, cpu = np.mean(told, axis=0) if told else (1.0, 1.0)
        return float(hops), float(cpu)


def run_pilots(jobs: Sequence[Job], store: Path, threads: int) -> Pilots:
    """Make pilots as many at a time as there will be runs, since cores slow one another down."""
    with ThreadPoolExecutor(threads) as executor:
        begun = _count(executor.map(partial(_pilot, store=store), jobs), len(jobs), "begun")
        drawn = [jobs[place] for place in draw([pilot.cpu_s for pilot in begun])]
        ends = {job.id: job for job in drawn}.values()
        followed = executor.map(partial(_pilot, store=store, whole=True), ends)
        ended = _count(followed, len(ends), "followed to the end")
    by_id = {pilot.run_id: pilot for pilot in (*begun, *ended)}
    return Pilots({job.id: (job, by_id[job.id]) for job in jobs}, [by_id[job.id] for job in drawn])


def _count(pilots: Iterable[Pilot], total: int, noun: str) -> list[Pilot]:
    """Collect pilots, and show how many there are."""
    with count_steps("pilot runs", total, noun) as step:
        made = []
        for pilot in pilots:
            made.append(pilot)
            step()
        return made


def draw(costs_s: Sequence[float]) -> list[int]:
    """Draw places with chances in proportion to cost, some repeatedly; none that costs too much."""
    order = sorted(range(len(costs_s)), key=costs_s.__getitem__)
    order = [place for place in order if costs_s[place] <= PILOT_WALL_S]
    if not order:
        return []
    reached_s = np.cumsum([costs_s[place] for place in order])
    marks_s = (np.arange(DRAWS) + 0.5) / DRAWS * reached_s[-1]
    return [order[at] for at in np.searchsorted(reached_s, marks_s)]


def _pilot(job: Job, store: Path, *, whole: bool = False) -> Pilot:
    path = store / "pilots" / socket.gethostname() / f"{job.id}.json"
    try:
        pilot = Pilot(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        pilot = None
    if pilot is None or (whole and pilot.took_cpu_s is None):
        pilot = begin(job, whole=whole)
        write_bytes(path, json.dumps(asdict(pilot)).encode(), durable=False)
    return pilot


def choose_pilots(jobs: Sequence[Job]) -> list[Job]:
    """Choose runs for pilots: one of each set of replicates, and not too many of these."""
    first = {without_seed(job): job for job in reversed(jobs)}
    different = list(reversed(first.values()))
    step = max(len(different) / MOST_PILOTS, 1.0)
    return [different[int(place * step)] for place in range(min(len(different), MOST_PILOTS))]


def without_seed(job: Job) -> tuple[tuple[str, str | int | float], ...]:
    """Return what replicates have in common: their labels but the seed."""
    labels = tuple((name, value) for name, value in job.labels.items() if name != "seed")
    return labels or (("run", job.id),)


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
            told.append(_extrapolate(job, seen))
        if now.share < 1 and (late or (enough and not whole)):
            raise StopRunError

    try:
        simulate(job.scenario, progress=report)
    except InterruptedRunError:
        return told[0]
    took_s = time.thread_time() - begun_cpu_s
    return replace(told[0], took_packet_hops=seen[-1].packet_hops, took_cpu_s=took_s)


def _extrapolate(job: Job, seen: Sequence[_Seen]) -> Pilot:
    """Go on as in the second half of what was seen."""
    end_s, last = job.scenario.duration / 1e12, seen[-1]
    half = next(at for at in seen if at.time_s >= last.time_s / 2)
    if half is last:  # one report: nothing is known of the start-up
        half = _Seen(0.0, 0, 0.0)
    more = max(end_s - last.time_s, 0.0) / (last.time_s - half.time_s)
    hops = last.packet_hops + more * (last.packet_hops - half.packet_hops)
    cpu_s = last.cpu_s + more * (last.cpu_s - half.cpu_s)
    return Pilot(job.id, hops, cpu_s, last.time_s / end_s)
