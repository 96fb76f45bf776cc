"""The first study at a size that takes seconds; run as a program, it can be killed."""

import sys
from pathlib import Path

from headgate.studies import runner, study


def shrunk() -> study.Study:
    """Return the study with a quick scale of 32 runs of four simulated seconds."""
    whole = study.load("tcp-replacements")
    quick = whole.plan.scales["quick"].model_copy(
        update={
            "factors": ("X1", "X12"),
            "size": 0.002,
            "seeds": 2,
            "fixed": {"warmup": "1 s", "period": "1 s", "periods": 3},
        }
    )
    changed = study.Study(whole.folder)
    scales = {**whole.plan.scales, "quick": quick}
    changed.__dict__["plan"] = whole.plan.model_copy(update={"scales": scales})
    return changed


def run(folder: Path, workers: int) -> runner.Outcome:
    """Run the small study."""
    return runner.run_study("tcp-replacements", "quick", workers, folder)


if __name__ == "__main__":
    runner.load = lambda _: shrunk()
    run(Path(sys.argv[1]), 2)
