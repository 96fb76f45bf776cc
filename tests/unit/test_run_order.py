"""The order of a campaign's runs: the time left is right early, and no core waits at the end."""

from collections.abc import Sequence
from heapq import heapify, heapreplace
from itertools import pairwise, product

import pytest

import headgate
from headgate.lab.hop_limit import limit_packet_hops
from headgate.lab.jobs import Job
from headgate.lab.order import SAMPLED, order_jobs, weigh_jobs

RATES = ("1 Mbit/s", "10 Mbit/s", "100 Mbit/s", "1 Gbit/s")
#: Cost of a packet-hop by algorithm, in units of the cheapest.
PRICES = {"reno": 1.0, "cubic": 1.1, "vegas": 1.5, "bbr": 3.0}
SEEDS = 10


@pytest.fixture(scope="module")
def jobs() -> list[Job]:
    """Runs in the order of their levels: the cheap ones first."""
    return [
        make_job(rate, cca, rtt_ms, seed)
        for rate, cca, rtt_ms, seed in product(RATES, PRICES, range(10, 60, 5), range(SEEDS))
    ]


def make_job(rate: str, cca: str, rtt_ms: int, seed: int) -> Job:
    scenario = headgate.dumbbell(
        rate=rate, rtt=f"{rtt_ms} ms", flows=[cca], duration="10 s", seed=seed
    )
    return Job(scenario, {"rate": rate, "cca": cca, "rtt_ms": rtt_ms, "seed": seed})


def costs(order: Sequence[Job], work: dict[str, float]) -> list[float]:
    return [work[job.id] * PRICES[str(job.labels["cca"])] for job in order]


def estimate(order: Sequence[Job], work: dict[str, float], share: float) -> float:
    """Return the expected over the actual cost of the rest when a share of the work is done."""
    cost, due, done, at = costs(order, work), sum(work.values()), 0.0, 0
    while done < share * due:
        done += work[order[at].id]
        at += 1
    return sum(cost[:at]) * (due - done) / done / sum(cost[at:])


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.75])
def test_the_rest_costs_as_much_as_the_runs_so_far(jobs: list[Job], share: float) -> None:
    work = weigh_jobs(jobs)
    assert estimate(order_jobs(jobs, work), work, share) == pytest.approx(1, abs=0.25)


def test_by_the_order_of_levels_the_estimate_is_wrong(jobs: list[Job]) -> None:
    """A tenth of the runs is at the lowest rate: the estimate is at most 1 % of the rest."""
    work = weigh_jobs(jobs)
    cost, at = costs(jobs, work), len(jobs) // 10
    assert sum(cost[:at]) * (len(jobs) / at - 1) < 0.01 * sum(cost[at:])


def test_the_end_is_the_longest_first(jobs: list[Job]) -> None:
    work = weigh_jobs(jobs)
    order = [work[job.id] for job in order_jobs(jobs, work)]
    start = next(at for at in range(len(order)) if sum(order[:at]) > SAMPLED * sum(order))
    assert order[start:] == sorted(order[start:], reverse=True)
    assert order[:start] != sorted(order[:start], reverse=True)


@pytest.mark.parametrize("workers", [2, 16])
def test_no_core_waits_long_at_the_end(jobs: list[Job], workers: int) -> None:
    work = weigh_jobs(jobs)
    free = [0.0] * workers
    heapify(free)
    for cost in costs(order_jobs(jobs, work), work):
        heapreplace(free, free[0] + cost)
    assert max(free) - min(free) < 0.05 * max(free)


def test_replicates_stay_together_in_any_order_of_the_runs(jobs: list[Job]) -> None:
    work = weigh_jobs(jobs)
    order = order_jobs(jobs, work)
    changes = sum(
        one.labels["rtt_ms"] != other.labels["rtt_ms"] or one.labels["cca"] != other.labels["cca"]
        for one, other in pairwise(order)
    )
    assert changes <= len(jobs) // SEEDS
    turned = order_jobs(jobs[::-1], work)
    assert {job.id for job in turned} == {job.id for job in jobs}
    assert [dict(job.labels) | {"seed": 0} for job in turned] == [
        dict(job.labels) | {"seed": 0} for job in order
    ]


def test_a_design_is_whole_before_its_next_replicate_begins(jobs: list[Job]) -> None:
    """With the replicates as the outermost loop, a stopped campaign contains every condition."""
    work = weigh_jobs(jobs)
    order = order_jobs(sorted(jobs, key=lambda job: int(job.labels["seed"])), work)
    conditions = len(jobs) // SEEDS
    for replicate in range(SEEDS // 2):
        part = order[conditions * replicate : conditions * (replicate + 1)]
        assert {job.labels["seed"] for job in part} == {replicate}


def test_a_plan_limits_the_work() -> None:
    """Runs without labels are no replicates of each other."""
    plain = [Job(make_job(rate, "reno", 20, 1).scenario) for rate in RATES]
    work = weigh_jobs(plain)
    assert list(work.values()) == [limit_packet_hops(job.scenario.plan()[0]) for job in plain]
    assert len(set(work.values())) == len(RATES)
