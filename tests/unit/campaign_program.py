"""A campaign of a few runs as a separate program, which can be killed.

FOLDER, runs, seconds of each, and by how many seconds the clock of its machine is ahead.
"""

import os
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from headgate import Result, Scenario, dumbbell
from headgate.engine.run import simulate
from headgate.lab import worker
from headgate.lab.jobs import Job
from headgate.lab.scheduler import Scheduler
from headgate.lab.store import Store
from headgate.lab.worker import CampaignSpec, JobOutcome, Worker


class Threads:
    """Makes `workers` runs at a time in this process, so that a test can inspect them."""

    copies = False
    patience_s = float("inf")

    def __init__(self, workers: int | None = None) -> None:
        self.slots = workers or os.cpu_count() or 1
        self._executor = ThreadPoolExecutor(self.slots)

    def open(self, order: CampaignSpec) -> None:
        self._worker = Worker(order, Store(order.folder))

    def submit(self, job: Job, *, copy: bool = False) -> Future[JobOutcome]:
        return self._executor.submit(self._worker.run_job, job, copy=copy)

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)


def jobs(runs: int, duration_s: float) -> list[Job]:
    """Return runs that differ in their seed, each a few CPU seconds per 10 simulated minutes."""
    scenario = dumbbell(
        rate="100 Mbit/s", rtt="20 ms", buffer="1 BDP", flows=["reno", "cubic"]
    ).replaced({"duration": f"{duration_s} s", "measure": {"flows": "all", "series": "none"}})
    return [Job(seeded(scenario, seed), {"cca": "both", "seed": seed}) for seed in range(runs)]


def seeded(scenario: Scenario, seed: int) -> Scenario:
    return scenario.model_copy(update={"seed": seed})


def run(folder: Path, runs: int, duration_s: float, workers: int = 2) -> None:
    """Run them with a snapshot each quarter of a second, by default once a minute."""
    simulate.CHECKPOINT_S = 0.25
    Scheduler(Store(folder), executor=Threads(workers)).run(
        jobs(runs, duration_s), lambda _: None, "campaign"
    )


def counted() -> list[object]:
    """Count the runs that this process makes itself."""
    made: list[object] = []
    plain = worker.simulate

    def simulate_and_count(scenario: Scenario, **options: Any) -> Result:
        made.append(scenario)
        return plain(scenario, **options)

    worker.simulate = simulate_and_count  # type: ignore[assignment]
    return made


def set_clock(ahead_s: float) -> None:
    """Let this machine's clock be ahead."""
    right = time.time
    time.time = lambda: right() + ahead_s


if __name__ == "__main__":
    set_clock(float(sys.argv[4]) if len(sys.argv) > 4 else 0.0)
    made = counted()
    run(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
    print(len(made))
