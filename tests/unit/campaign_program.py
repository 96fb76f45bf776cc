"""A campaign of a few runs as a program of its own, which can be killed: FOLDER, runs, seconds."""

import sys
from pathlib import Path
from typing import Any

from headgate import Result, Scenario, dumbbell
from headgate.run import simulate, worker
from headgate.run.plan import Job
from headgate.run.pool import Pool
from headgate.run.store import Store


def jobs(runs: int, duration_s: float) -> list[Job]:
    """Return runs that differ in their seed, each a few CPU seconds per 10 simulated minutes."""
    scenario = dumbbell(
        rate="100 Mbit/s", rtt="20 ms", buffer="1 BDP", flows=["reno", "cubic"]
    ).replaced({"duration": f"{duration_s} s", "measure": {"flows": "all", "series": "none"}})
    return [Job(seeded(scenario, seed), {"law": "both", "seed": seed}) for seed in range(runs)]


def seeded(scenario: Scenario, seed: int) -> Scenario:
    return scenario.model_copy(update={"seed": seed})


def run(folder: Path, runs: int, duration_s: float, workers: int = 2) -> None:
    """Run them with a snapshot each quarter of a second, by default once a minute."""
    simulate.CHECKPOINT_S = 0.25
    Pool(Store(folder), workers).run(jobs(runs, duration_s), lambda _: None, "campaign")


def counted() -> list[object]:
    """Count the runs that this process makes itself."""
    made: list[object] = []
    plain = worker.simulate

    def simulate_and_count(scenario: Scenario, **options: Any) -> Result:
        made.append(scenario)
        return plain(scenario, **options)

    worker.simulate = simulate_and_count  # type: ignore[assignment]
    return made


if __name__ == "__main__":
    made = counted()
    run(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
    print(len(made))
