"""Runs of a campaign start while memory suffices; with fewer runs, each gets more threads."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from headgate import dumbbell
from headgate.engine.run.memory import peak_bytes
from headgate.lab.jobs import Job
from headgate.lab.processes import MemoryLimiter, Processes, bytes_of_run
from headgate.lab.scheduler import Scheduler
from headgate.lab.store import Store


def small_jobs(count: int) -> list[Job]:
    """Give runs that take a moment each."""
    made = dumbbell(flows=["reno"], rate="10 Mbit/s", rtt="20 ms", duration="2 s")
    return [Job(made.replaced({"seed": seed})) for seed in range(count)]


def most_at_once(limiter: MemoryLimiter, runs: int, needs: Callable[[int], int]) -> int:
    """Let `runs` runs begin at a time, and return the greatest number that ran at once."""
    lock, at_once, most = threading.Lock(), [0], [0]

    def make(number: int) -> None:
        with limiter.admit(lambda: needs(number)):
            with lock:
                at_once[0] += 1
                most[0] = max(most[0], at_once[0])
            time.sleep(0.05)
            with lock:
                at_once[0] -= 1

    threads = [threading.Thread(target=make, args=(number,)) for number in range(runs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()
    return most[0]


@pytest.mark.parametrize(("needs", "at_once"), [(10, 6), (30, 3), (51, 1), (1000, 1)])
def test_as_many_runs_begin_as_memory_holds(needs: int, at_once: int) -> None:
    assert most_at_once(MemoryLimiter(lambda: 100), 6, lambda _: needs) == at_once


def test_without_a_figure_of_free_memory_all_runs_begin() -> None:
    assert most_at_once(MemoryLimiter(lambda: None), 5, lambda _: 10**15) == 5


def test_the_measured_use_of_a_run_replaces_the_guess() -> None:
    limiter = MemoryLimiter(lambda: 100)
    limiter.note_peak(60)
    assert most_at_once(limiter, 4, lambda _: 1) == 1


def test_nobody_waits_when_the_campaign_is_over() -> None:
    limiter = MemoryLimiter(lambda: 100)
    with limiter.admit(lambda: 80):
        waiting = threading.Thread(target=lambda: limiter.admit(lambda: 80).__enter__())
        waiting.start()
        waiting.join(0.1)
        assert waiting.is_alive()
        limiter.close()
        waiting.join(5)
        assert not waiting.is_alive()


def test_a_guess_is_of_the_order_of_the_use_of_a_run(tmp_path: Path) -> None:
    job = small_jobs(1)[0]
    executor = Processes(1)
    Scheduler(Store(tmp_path), executor=executor).run([job], lambda _: None)
    took = executor._children.peak_bytes
    assert 0.3 * bytes_of_run(job) < took < 3 * bytes_of_run(job)
    assert peak_bytes() > 1e7


def test_a_campaign_without_room_makes_one_run_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares: list[str] = []
    executor = Processes(2)
    monkeypatch.setattr(executor, "_memory", MemoryLimiter(lambda: 1))
    jobs: list[Job] = small_jobs(3)

    def look(_: object) -> None:
        shares.append(executor._shares.file.read_text().strip())

    Scheduler(Store(tmp_path), executor=executor).run(jobs, look)
    assert Store(tmp_path).missing(jobs) == []
    assert "1" not in shares  # no run had to share: each used both cores
