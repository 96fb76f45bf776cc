"""A note on successive rows that are alike, as samples of one run over time are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from headgate.figures.analysis.frame import Frame
from headgate.figures.analysis.unnamed_columns import CHANCE, number_groups
from headgate.stats.added_labels import remove_means
from headgate.stats.serial_correlation import correlate_successive

#: Rounds in which the means of conditions and replicates are removed in turn.
ROUNDS = 20


def report_series(
    frame: Frame, named: Sequence[str], responses: Sequence[str], replicate: str | None = None
) -> Iterator[str]:
    """Yield a note if successive rows of the same condition are alike.

    `named` are the columns whose combinations are the conditions. The means of replicates are
    removed first, as analyses do.
    """
    cells = number_groups(frame, named)
    blocks = number_groups(frame, [replicate]) if replicate else None
    found = {}
    for name in responses:
        values = frame.numbers(name)
        for groups in (cells, blocks) * ROUNDS if blocks is not None else ():
            values = remove_means(values, groups)
        found[name] = correlate_successive(values, cells)
    alike = [
        f"{name} (rank correlation {one.correlation:.2f})"
        for name, one in found.items()
        if one and one.p * len(found) < CHANCE
    ]
    if alike:
        yield (
            f"Successive rows of a condition are alike in {', '.join(alike)}, so they are no"
            " replicates. If they are samples of one run, average the rows of each run first. If"
            " they are runs, the measurement drifted: make them in random order."
        )
