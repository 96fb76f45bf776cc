"""Two flows of BBR in 1 BDP of buffer, the second one at several starts.

`python -m tests.oracles.tun.pairs OUT.csv` measures them on this machine's kernel.
"""

import argparse
import platform
from pathlib import Path

from ..rows import read_rows, write_rows
from .kernel import Case, disturbed, run

#: Starts of the second flow after the first one, ms.
APART_MS = (60, 70, 80, 90, 100, 110, 120, 130)
#: Start of the first flow, s.
FIRST_S = 0.1


def pair(apart_ms: int) -> Case:
    """Give the path and its flows; figures are of the whole minute."""
    starts = (FIRST_S, round(FIRST_S + apart_ms / 1000, 6))
    flows = tuple(("bbr", start, 0) for start in starts)
    return Case(f"pair-{apart_ms}", flows, duration_s=60, from_s=2)


def main() -> None:
    """Measure what is missing in the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    out = parser.parse_args().out
    rows = read_rows(out)
    have = {int(row["apart_ms"]) for row in rows}
    for apart_ms in APART_MS:
        if apart_ms in have:
            continue
        result = run(pair(apart_ms), seed=1)
        if disturbed(result):
            print(f"{apart_ms} ms: discarded, {result['late_p99_us']:.0f} us late (99 %)")
            continue
        first, second = (flow["retransmissions"] for flow in result["flows"])
        rows.append(
            {
                "apart_ms": apart_ms,
                "retransmissions_first": first,
                "retransmissions_second": second,
                "mean_queue": result["mean_queue"],
                "late_p99_us": result["late_p99_us"],
                "kernel": platform.release().split("-")[0],
            }
        )
        write_rows(out, rows)


if __name__ == "__main__":
    main()
