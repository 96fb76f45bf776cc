"""Measures the rates of docs/reference/power.md, and writes them there.

`python -m tests.truth.measure KIND COUNT [FILE]` looks at COUNT planted tables, experiments or
designs with their pages. Counts are added to FILE, seed by seed, so that a measurement that was
stopped goes on; begin with no file after a change of the program.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from . import (
    judge_comparisons,
    judge_designs,
    judge_experiments,
    judge_tables,
    test_designs,
    test_experiments,
    test_tables,
)
from .pages import without_pictures
from .rates import Promise, Rates, publish


def _look_at_table(seed: int, folder: Path, found: Rates) -> None:
    said = judge_tables.look(seed)
    judge_tables.judge(said, found)
    test_tables.check_page(said, folder)


def _look_at_experiment(seed: int, folder: Path, found: Rates) -> None:
    judge_experiments.judge(test_experiments.check_page(seed, folder), found)


def _look_at_comparison(seed: int, _folder: Path, found: Rates) -> None:
    judge_comparisons.judge(judge_comparisons.look(seed), found)


def _look_at_design(seed: int, folder: Path, found: Rates) -> None:
    judge_designs.judge(test_designs.check_page(seed, folder), found)
    judge_designs.judge_comparisons(seed, found)


KINDS: Mapping[str, tuple[Callable[[int, Path, Rates], None], Mapping[str, Promise]]] = {
    "tables": (_look_at_table, judge_tables.PROMISED),
    "experiments": (_look_at_experiment, judge_experiments.PROMISED),
    "comparisons": (_look_at_comparison, judge_comparisons.PROMISED),
    "designs": (_look_at_design, judge_designs.PROMISED),
}


def measure(kind: str, count: int, kept: Path) -> Rates:
    """Look at what the file has not counted; return the counts of all."""
    look, _ = KINDS[kind]
    known = {}
    if kept.is_file():
        lines = map(json.loads, kept.read_text(encoding="utf-8").splitlines())
        known = {line["seed"]: line["counts"] for line in lines if line["seed"] < count}
    with kept.open("a", encoding="utf-8") as file, without_pictures():
        for seed in sorted(set(range(count)) - set(known)):
            own = Rates()
            with tempfile.TemporaryDirectory() as folder:
                look(seed, Path(folder), own)
            known[seed] = own.counts
            file.write(json.dumps({"seed": seed, "counts": own.counts}) + "\n")
            file.flush()
    found = Rates()
    for counts in known.values():
        found.merge(counts)
    return found


def main() -> None:
    kind, count = sys.argv[1], int(sys.argv[2])
    kept = Path(sys.argv[3] if len(sys.argv) > 3 else f"out/truth-{kind}.jsonl")
    kept.parent.mkdir(parents=True, exist_ok=True)
    publish(measure(kind, count, kept), KINDS[kind][1], kind, count)


if __name__ == "__main__":
    main()
