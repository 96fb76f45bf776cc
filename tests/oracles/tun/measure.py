"""Measures the cases on this machine's kernel: `python -m tests.oracles.tun.measure OUT.csv`."""

import argparse
import fnmatch
import platform
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from ..rows import read_rows, write_rows
from .cases import CASES
from .kernel import Case, disturbed, run


def repeat(case: Case, number: int) -> list[dict[str, Any]]:
    """Run a case; its number sets the starts and seeds the losses. Nothing if it was disturbed."""
    result = run(case.repeated(number), number)
    kept = not disturbed(result)
    late = f"late {result['late_p99_us']:.0f} us (99 %), {result['late_max_us']:.0f} us (all)"
    print(f"{case.name}, repeat {number}: {'kept' if kept else 'discarded'}, {late}", flush=True)
    return lines(case, number, result) if kept else []


def lines(case: Case, number: int, result: dict[str, Any]) -> list[dict[str, Any]]:
    """Give a line for each flow."""
    shared = {key: value for key, value in result.items() if not isinstance(value, list)}
    path = {
        "case": case.name,
        "repeat": number,
        "rtt_ms": case.rtt_ms,
        "buffer": case.buffer,
        "loss": case.loss,
    }
    window = {
        "from_s": case.from_s,
        "duration_s": case.duration_s,
        "kernel": platform.release().split("-")[0],
    }
    return [
        path | window | {"flow": index} | flow | {"drops": drops, "lost": lost} | shared
        for index, (flow, drops, lost) in enumerate(
            zip(result["flows"], result["drops"], result["lost"], strict=True)
        )
    ]


def chosen(names: list[str]) -> list[Case]:
    """Give the cases whose names match."""
    return [case for case in CASES if any(fnmatch.fnmatch(case.name, name) for name in names)]


def in_order(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sort the lines by the order of the cases."""
    order = {case.name: index for index, case in enumerate(CASES)}
    return sorted(rows, key=lambda row: (order[row["case"]], int(row["repeat"]), int(row["flow"])))


def main() -> None:
    """Measure what is missing in the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("cases", nargs="*", default=["*"])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    rows = read_rows(given.out)
    have = {(row["case"], int(row["repeat"])) for row in rows}
    wanted = [(case, n) for n in range(1, given.repeats + 1) for case in chosen(given.cases)]
    with ThreadPoolExecutor(given.jobs) as pool:
        runs = [pool.submit(repeat, case, n) for case, n in wanted if (case.name, n) not in have]
        for finished in as_completed(runs):
            if found := finished.result():
                rows += found
                write_rows(given.out, in_order(rows))


if __name__ == "__main__":
    main()
