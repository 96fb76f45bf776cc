"""Three runs with many idle users, two at a time: print their memory, `predicted` or `taken`.

Arguments: `predicted` or `taken`, FOLDER.
"""

import resource
import sys
from pathlib import Path

from headgate import dumbbell
from headgate.lab.cost import estimate, peak_bytes
from headgate.lab.jobs import Job
from headgate.lab.scheduler import Scheduler
from headgate.lab.store import Store

USERS = 150_000
WORKERS = 2


def jobs() -> list[Job]:
    users = {
        "kind": "web",
        "cca": "reno",
        "users": USERS,
        "think": "1000 s",
        "size": {"kind": "pareto", "mean": "30 packets", "shape": 1.5},
    }
    scenario = dumbbell(rate="100 Mbit/s", rtt="20 ms", buffer="1 BDP", flows=[users]).replaced(
        {"duration": "2 s", "measure": {"flows": "none", "series": "none"}}
    )
    return [Job(scenario.model_copy(update={"seed": n}), {"seed": n}) for n in range(3)]


if __name__ == "__main__":
    store = Store(Path(sys.argv[2]))
    if sys.argv[1] == "predicted":
        print(estimate(jobs(), store, WORKERS, pilots=True).memory_bytes)
    else:
        Scheduler(store, WORKERS).run(jobs(), lambda _: None)
        of_a_child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        print(peak_bytes() + WORKERS * of_a_child)
