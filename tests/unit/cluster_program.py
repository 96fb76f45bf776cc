"""A campaign on two local worker processes, as a program that can be stopped: FOLDER."""

import sys
from pathlib import Path

from headgate import dumbbell
from headgate.base.errors import HeadgateError
from headgate.lab.cluster import Cluster
from headgate.lab.jobs import Job
from headgate.lab.scheduler import Scheduler
from headgate.lab.store import Store

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    (folder / "local.toml").write_text('engine = "local"\njobs = 2\n')
    long = dumbbell(rate="100 Mbit/s", rtt="20 ms", buffer="1 BDP", flows=["reno", "cubic"])
    made = [
        Job(long.replaced({"duration": "9000 s", "seed": seed}), {"seed": seed}) for seed in (1, 2)
    ]
    try:
        Scheduler(Store(folder), executor=Cluster(str(folder / "local.toml"))).run(
            made, lambda _: None
        )
    except HeadgateError as error:
        sys.exit(f"headgate: {error}")
