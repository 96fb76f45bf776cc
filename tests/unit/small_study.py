"""The first study at a size that takes seconds; run as a program, it can be killed."""

import sys
from pathlib import Path

from headgate import Result
from headgate.experiment import runner
from headgate.experiment.study import study
from headgate.lab.workers import WorkerPool

#: The function that tests replace by `shrunk`.
LOAD = study.load


def shrunk(seeds: int = 2, period: str = "1 s") -> study.Study:
    """Return the study with a quick scale of 16 runs a seed, of four simulated seconds."""
    whole = LOAD("tcp-replacements")
    quick = whole.spec.scales["quick"].model_copy(
        update={
            "factors": ("X1", "X12"),
            "size": 0.002,
            "seeds": seeds,
            "fixed": {"warmup": "1 s", "period": period, "periods": 3},
        }
    )
    changed = study.Study(whole.folder, whole.package)
    scales = {**whole.spec.scales, "quick": quick}
    changed.__dict__["spec"] = whole.spec.model_copy(update={"scales": scales})
    return changed


def asked(folder: Path, seeds: int = 2, period: str = "1 s") -> runner.StudyRun:
    """Return what the small study runs."""
    small = shrunk(seeds, period)
    return runner.StudyRun(small, small.setup(small.scale("quick")), folder, "quick")


def run(folder: Path, workers: int) -> runner.StudyOutcome:
    """Run the small study."""
    return runner.run_study(
        study.plan_study("tcp-replacements", "quick", folder), WorkerPool(workers)
    )


def digests(folder: Path) -> dict[str, str]:
    """Return the digest of every run that is there; reading holds each to its checksums."""
    return {run.name: Result.read(run).digest for run in (folder / "runs").iterdir()}


if __name__ == "__main__":
    study.load = lambda _: shrunk()
    run(Path(sys.argv[1]), 2)
