"""The run that lies farthest from a model, if chance does not explain its distance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headgate.stats.factorial import Factorial
from headgate.stats.intervals import compute_student_p

#: A run is outlying below this p, corrected for the number of runs (Bonferroni).
LEAST_P = 0.001


@dataclass(frozen=True)
class OutlyingRun:
    """A run by its place, with the value that the other runs predict.

    `distance` is the externally studentised residual (Cook and Weisberg 1982).
    """

    place: int
    value: float
    predicted: float
    distance: float


def find_outlying_run(fit: Factorial) -> OutlyingRun | None:
    """Return the run that is farthest from what the others predict, if it is outlying."""
    free = fit.error_freedom - 1
    if free < 1 or not fit.deviation > 0:
        return None
    spare = np.maximum(1 - fit.leverages, 0.0)
    squares = float(fit.residuals @ fit.residuals)
    known = spare > 1e-9
    left = fit.residuals[known] ** 2 / spare[known]
    # The others leave no error if they differ by rounding alone.
    known[known] = squares - left > 1e-12 * squares
    if not known.any():
        return None
    others = (squares - fit.residuals[known] ** 2 / spare[known]) / free
    distance = np.zeros(len(fit.values))
    distance[known] = fit.residuals[known] / np.sqrt(others * spare[known])
    place = int(np.argmax(np.abs(distance)))
    if len(fit.values) * compute_student_p(float(distance[place]), 1.0, free) >= LEAST_P:
        return None
    value = float(fit.values[place])
    missed = float(fit.residuals[place] / spare[place])
    return OutlyingRun(place, value, value - missed, abs(float(distance[place])))
