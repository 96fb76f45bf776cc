"""The CPU time of a campaign of small runs: `python -m tests.unit.many_runs REPLICATES DURATION`.

Prints, as JSON, the number of runs, the CPU seconds of the engine (the sum of `cpu_s` of the runs),
and those of all processes of the campaign, from their start to the end of the runs: no analysis.
"""

import ctypes
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from headgate import Experiment
from headgate.lab.scheduler import Scheduler
from headgate.lab.store import Store
from headgate.lab.workers import WorkerPool

WORKERS = 2
#: `prctl`: orphans become children of this process, which then counts their CPU time.
PR_SET_CHILD_SUBREAPER = 36


def make_experiment(replicates: int, duration: str) -> Experiment:
    """Return an experiment of 40 conditions, whose runs of 30 s take 0.1 to 0.2 CPU seconds."""
    flows = {"kind": "flows", "cca": "reno", "count": 4}
    network = {"kind": "dumbbell", "rate": "100 Mbit/s", "rtt": "20 ms"}
    return Experiment(
        {"duration": duration, "network": network, "traffic": [flows]},
        {
            "network.rtt": ["10 ms", "20 ms", "40 ms", "80 ms"],
            "network.buffer": ["0.25 BDP", "0.5 BDP", "1 BDP", "2 BDP", "4 BDP"],
            "cca": ["reno", "cubic"],
        },
        replicates=replicates,
        responses=["goodput_bps", "loss_rate", "jain"],
    )


def make_runs(folder: Path, replicates: int, duration: str) -> None:
    """Check an experiment and make its runs, as `experiment run` does before the analysis."""
    experiment = make_experiment(replicates, duration)
    experiment.check()
    jobs = list(experiment.plan_runs(folder).jobs.values())
    executor = WorkerPool(WORKERS).executor()
    Scheduler(Store(folder), keep=experiment.keep, executor=executor).run(jobs, lambda _: None)


def measure(replicates: int = 25, duration: str = "30 s") -> Mapping[str, Any]:
    """Make the runs in another process, and return what they took.

    The process that calls becomes the parent of orphans, and waits for all its children.
    """
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    before_s = _children_s()
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", __spec__.name, folder, str(replicates), duration]
        subprocess.run(words, check=True, env=os.environ | {"PYTHONDONTWRITEBYTECODE": ""})
        try:
            while True:
                os.wait()
        except ChildProcessError:  # all have ended
            tree_s = _children_s() - before_s
        metas = [json.loads(path.read_text()) for path in Path(folder).glob("runs/*/run.json")]
    engine_s = sum(meta["cpu_s"] for meta in metas)
    return {"runs": len(metas), "engine_s": engine_s, "all_s": tree_s}


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    if len(sys.argv) > 3:
        make_runs(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
    else:
        print(json.dumps(measure(*map(int, sys.argv[1:2]), *sys.argv[2:3])))
