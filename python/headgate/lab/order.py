"""The order of a campaign's runs, and the expected work of each.

The time left is estimated as if the rest cost as much per unit of work as the finished part. Two
rules make that true. A unit is a packet-hop that the plan allows: a second of simulated time costs
a thousand times more at 10 Gbit/s than at 10 Mbit/s. The first runs are a sample of all, drawn by a
hash of their labels: in the order of levels, they could be those of one algorithm, and a hop of BBR
costs several of Reno. The last third begins with the longest runs, since a long run at the end
would leave cores idle.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from itertools import accumulate

from headgate.lab.hop_limit import limit_packet_hops
from headgate.lab.jobs import Job, without_seed

#: Share of the work that is made as a sample of all runs.
SAMPLED = 2 / 3


def weigh_jobs(jobs: Sequence[Job]) -> dict[str, float]:
    """Return the greatest packet-hops of each run by its id, equal for replicates."""
    limits: dict[object, float] = {}
    for job in jobs:
        alike = without_seed(job)
        if alike not in limits:
            plan, _ = job.planned or job.scenario.plan()
            limits[alike] = max(limit_packet_hops(plan), 1.0)
    return {job.id: limits[without_seed(job)] for job in jobs}


def order_jobs(jobs: Sequence[Job], work: Mapping[str, float]) -> list[Job]:
    """Return a sample of all runs, then the others, the longest first.

    Replicates that are neighbours in `jobs` stay neighbours: a process keeps their plan for the
    next run. If the first replicates of all conditions come first, they stay first: then a stopped
    campaign contains the whole design.
    """
    rounds = _count_rounds(jobs)
    mixed = sorted(jobs, key=lambda job: (rounds[job.id], _draw(job)))
    target = SAMPLED * sum(work.values())
    reached = accumulate(work[job.id] for job in mixed)
    sampled = sum(so_far <= target for so_far in reached)
    rest = sorted(mixed[sampled:], key=lambda job: -work[job.id])
    return mixed[:sampled] + rest


def _count_rounds(jobs: Sequence[Job]) -> dict[str, int]:
    """Return how often the labels of each run occurred before its own unbroken stretch of them."""
    seen: dict[object, int] = {}
    rounds, before = {}, None
    for job in jobs:
        alike = without_seed(job)
        if alike != before:
            seen[alike] = seen.get(alike, -1) + 1
        rounds[job.id], before = seen[alike], alike
    return rounds


def _draw(job: Job) -> str:
    return hashlib.sha256(repr(without_seed(job)).encode()).hexdigest()
