"""A note on successive rows that are alike, as samples of one run over time are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from headgate.figures.analysis.frame import Frame
from headgate.figures.analysis.unnamed_columns import CHANCE, number_groups
from headgate.stats.serial_correlation import correlate_successive

#: Rounds in which the means of conditions and replicates are removed in turn.
ROUNDS = 20


def report_series(
    frame: Frame, named: Sequence[str], responses: Sequence[str], replicate: str | None = None
) -> Iterator[str]:
    """Yield a note if successive rows of the same condition are alike.

    `named` are the columns whose combinations are the conditions. The mean of each replicate, which
    analyses remove, is no likeness.
    """
    cells = number_groups(frame, named)
    blocks = number_groups(frame, [replicate]) if replicate else None
    found = {}
    for name in responses:
        values = frame.numbers(name)
        if blocks is not None:
            values = _remove_means(values, cells, blocks)
        found[name] = correlate_successive(values, cells)
    alike = [
        f"{name} (rank correlation {one.correlation:.2f})"
        for name, one in found.items()
        if one and one.p * len(found) < CHANCE
    ]
    if alike:
        yield (
            f"Successive rows of a condition are alike in {', '.join(alike)}, so they are no"
            " replicates. If they are samples of one run, average those of each run first. If they"
            " are runs, the measurement drifted: make them in random order."
        )


def _remove_means(values: NDArray[np.float64], *labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Subtract the mean of all values with the same label, for each kind of label in turn."""
    for _ in range(ROUNDS):
        for of in labels:
            known = ~np.isnan(values)
            sums, counts = np.zeros(of.max() + 1), np.zeros(of.max() + 1)
            np.add.at(sums, of[known], values[known])
            np.add.at(counts, of[known], 1)
            values = values - (sums / np.maximum(counts, 1))[of]
    return values
