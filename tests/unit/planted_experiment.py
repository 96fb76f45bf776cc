"""An experiment with planted numbers: its tables, sentences and pictures must show them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from headgate.design.factor import Factor
from headgate.design.factorial import make_grid
from headgate.experiment.measures import Better
from headgate.experiment.responses import Response
from headgate.experiment.tables import MeasuredRuns

Levels = Mapping[str, Sequence[object]]
#: Gives the value of a response from the levels of a condition and the place of a replicate.
Plant = Callable[[Mapping[str, object], int], float]


def factors_of(levels: Levels) -> tuple[Factor, ...]:
    return tuple(
        Factor(name, "", name, of[0], of[-1], levels=tuple(of) if len(of) > 2 else ())
        for name, of in levels.items()
    )


def measured(
    levels: Levels,
    plants: Mapping[str, tuple[Plant, Better]],
    replicates: int = 3,
    keep: Callable[[Mapping[str, object]], bool] = lambda _: True,
) -> MeasuredRuns:
    """Return an experiment in a grid as it is measured; `plants`: response -> values, better."""
    factors = factors_of(levels)
    coded = make_grid(factors).matrix
    rows = [
        {f.name: f.level(c) for f, c in zip(factors, row, strict=True)} for row in coded.tolist()
    ]
    kept = [place for place, row in enumerate(rows) if keep(row)]
    values = {
        name: np.array([[plant(rows[c], k) for k in range(replicates)] for c in kept], float)
        for name, (plant, _) in plants.items()
    }
    responses = tuple(Response(name, "SELECT 0", better=way) for name, (_, way) in plants.items())
    digests = np.array([[f"{c} {k}" for k in range(replicates)] for c in kept])
    seeds = tuple(range(1, replicates + 1))
    return MeasuredRuns(factors, coded[kept], seeds, responses, values, digests, paired=True)
