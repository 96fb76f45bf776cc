"""What an experiment says in plain sentences beside its analyses."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from headgate import Result, Table
from headgate_studies.nist.size import describe_preserved
from headgate_studies.nist.summary import Experiment

COUNTED = {
    "packets": "data packets: sent = arrived + dropped + under way",
    "flows": "flows: started = over + under way",
}
WAITS = "waiting at all ports: sampled queue x time = sum of waits"
#: Waiting, in packets x seconds, below which samples of the queues are too few to tell it: one a
#: 0.2 s finds 500 packets in all.
TELLING = 100.0


def sentences(of: Experiment) -> tuple[str, ...]:
    """Say how congested the conditions are, and how well what is counted adds up."""
    least, most = of.order[0], of.order[-1]
    return (
        f"Under TCP alone, {of.sent_again(of.light)} of the packets are retransmitted in the least"
        f" congested quarter of the conditions and {of.sent_again(of.heavy)} in the most congested"
        f" one; the least is {least}, the most {most} (second period).",
        balance(of.runs.results.values()),
        *describe_preserved(of.runs.settings),
    )


def balance(results: Iterable[Result]) -> str:
    """Say whether packets and flows add up in every run, and how far both counts of waits agree."""
    checks = [result.tables["checks"] for result in results]
    off = [told for what, check in COUNTED.items() if (told := _off(what, check, checks))]
    waits = [
        abs(_of(table, WAITS, "relative_error")) for table in checks if _has_enough_waits(table)
    ]
    return f"{_count_cut(off, len(checks))}; {_compare_waits(waits, len(checks) - len(waits))}."


def _compare_waits(apart: list[float], quiet: int) -> str:
    if not apart:
        return "next to nothing waits in any, so that Little's law has nothing to tell"
    left_out = f" (runs in which next to nothing waits are left out: {quiet})" if quiet else ""
    return (
        f"waiting by Little's law differs from samples by {100 * max(apart):.1f} % at most over a"
        f" whole network{left_out}"
    )


def _has_enough_waits(table: Table) -> bool:
    """Say whether enough waits in a run for samples of the queues to tell how much."""
    return max(_of(table, WAITS, side) for side in ("left", "right")) >= TELLING


def _count_cut(off: list[str], runs: int) -> str:
    if off:
        return f"Of {runs} runs, {' and '.join(off)}"
    return f"Packets and flows add up exactly in all {runs} runs"


def _off(what: str, check: str, checks: list[Table]) -> str:
    """Say in how many runs both counts differ, and by how much; nothing where they never do."""
    apart = np.abs([_of(t, check, "left") - _of(t, check, "right") for t in checks])
    runs = int((apart != 0).sum())
    return f"{what} do not add up in {runs} (by {apart.max():,.0f} at most)" if runs else ""


def _of(table: Table, check: str, column: str) -> float:
    """Return a cell of the check of that name."""
    (row,) = np.flatnonzero(table["check"] == check)
    return float(table[column][row])
