"""An endless flow beside files in ns-2: `python -m tests.oracles.web OUT.csv` measures it."""

import argparse
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from .rows import read_rows, write_rows

SCRIPT = Path(__file__).parent / "data" / "ns2" / "web.tcl"
AGENTS = ("Sack1", "bic")
REPEATS = range(1, 5)
UNTIL_S = 60
#: Files for each second, half the load of 10 Mbit/s with packets of 1000 B; Pareto sizes.
FILES_PER_S, MEAN_PACKETS, SHAPE = 25, 25, 1.2
FIGURES = (
    "drops",
    "departures",
    "long_acked",
    "long_timeouts",
    "long_retransmissions",
    "file_timeouts",
    "file_retransmissions",
    "dropped_syns",
)


def files(repeat: int) -> list[tuple[str, int]]:
    """Draw the files of a repeat: start in s, and size in packets."""
    chance = np.random.default_rng(repeat)
    starts = np.cumsum(chance.exponential(1 / FILES_PER_S, 2 * FILES_PER_S * UNTIL_S))
    least = MEAN_PACKETS * (SHAPE - 1) / SHAPE
    sizes = np.maximum(1, least * chance.uniform(size=len(starts)) ** (-1 / SHAPE)).astype(int)
    return [(f"{at:.6f}", int(n)) for at, n in zip(starts, sizes, strict=True) if at < UNTIL_S]


def run_ns2(agent: str, repeat: int) -> dict[str, object]:
    """Give the figures of one run of ns-2."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.writelines(f"{start} {size}\n" for start, size in files(repeat))
        file.flush()
        command = ["ns", str(SCRIPT), agent, file.name]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    line = next(line for line in done.stdout.splitlines() if line.startswith("figures"))
    found = dict(zip(FIGURES, map(int, line.split()[1:]), strict=True))
    return {"agent": agent, "repeat": repeat} | found


def main() -> None:
    """Measure what is missing in the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    out = parser.parse_args().out
    rows = read_rows(out)
    have = {(row["agent"], int(row["repeat"])) for row in rows}
    for repeat in REPEATS:
        for agent in AGENTS:
            if (agent, repeat) not in have:
                rows.append(run_ns2(agent, repeat))
                write_rows(out, rows)


if __name__ == "__main__":
    main()
