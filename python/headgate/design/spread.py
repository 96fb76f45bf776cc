"""The power of a design: how well its main effects are known, and the replicates that suffice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from headgate.base.errors import HeadgateError
from headgate.design.generate import MadeDesign
from headgate.stats.power import compute_power, find_detectable, find_replicates
from headgate.stats.terms import TermModel

#: The largest number of replicates whose chances are listed.
LISTED = 8


@dataclass(frozen=True)
class DesignPower:
    """The chance that a design shows a main effect, by the number of its replicates."""

    runs: int
    coefficients: int
    error: float
    """The largest standard error of a main effect, in deviations of a run, of one replicate."""
    effect: float
    deviation: float
    chance: float

    def spread(self, replicates: int) -> tuple[float, float]:
        """Return the standard error of an effect and its degrees of freedom."""
        error = self.error * self.deviation / replicates**0.5
        return error, self.runs * replicates - self.coefficients

    @property
    def replicates(self) -> int | None:
        """The least number of replicates that shows the effect with the chance."""
        return find_replicates(self.effect, self.spread, self.chance)

    def facts(self) -> dict[str, Any]:
        """Return what `headgate design power --json` prints."""
        counts = range(1, max(LISTED, self.replicates or 0) + 1)
        return {
            "runs": self.runs, "effect": self.effect, "deviation": self.deviation,
            "chance": self.chance, "replicates": self.replicates,
            "by_replicates": [
                {
                    "replicates": count, "runs": count * self.runs,
                    "chance": _plain(compute_power(self.effect, *self.spread(count))),
                    "smallest_effect": _plain(find_detectable(*self.spread(count), self.chance)),
                }
                for count in counts
            ],
        }  # fmt: skip

    def describe(self) -> list[str]:
        """Return the answer, and a line for each number of replicates."""
        count = self.replicates
        shown = f"a chance of {100 * self.chance:.3g} %"
        answer = (
            f"No number of replicates shows an effect of {self.effect:g} with {shown}."
            if count is None
            else f"{count} replicate{'s' * (count > 1)}, {count * self.runs} runs, show a main"
            f" effect of {self.effect:g} with {shown}, if runs deviate by {self.deviation:g}."
        )
        lines = ["replicates  runs  chance  smallest effect"]
        for row in self.facts()["by_replicates"][: max(LISTED, count or 0)]:
            chance, least = row["chance"], row["smallest_effect"]
            lines.append(
                f"{row['replicates']:>10}  {row['runs']:>4}"
                f"  {'-' if chance is None else f'{chance:.3f}':>6}"
                f"  {'-' if least is None else f'{least:.4g}':>15}"
            )
        return [answer, *lines[: LISTED + 1]]


def _plain(value: float) -> float | None:
    return value if np.isfinite(value) else None


def find_power(made: MadeDesign, effect: float, deviation: float, chance: float) -> DesignPower:
    """Return the power of a design for a main effect between two levels. Raises HeadgateError."""
    for name, value in (("effect", effect), ("deviation", deviation)):
        if not 0 < value < float("inf"):
            raise HeadgateError(f"--{name} {value:g}: this must be a number above zero")
    if not 0 < chance < 1:
        raise HeadgateError(f"--chance {chance:g}: this must lie between 0 and 1, such as 0.8")
    factors = made.design.factors
    rows = np.array([row.coded for row in made.sheet.rows if row.replicate == 1], float)
    nominal = {
        place: tuple(np.unique(rows[:, place]).tolist())
        for place, factor in enumerate(factors)
        if not factor.numeric
    }
    model = TermModel.of_order(len(factors), "linear", nominal)
    columns = model.expand(rows)
    if np.linalg.matrix_rank(columns) < columns.shape[1]:
        raise HeadgateError("the runs of this design do not determine all main effects")
    inverse = np.linalg.inv(columns.T @ columns)
    low, high = rows.min(axis=0), rows.max(axis=0)
    errors = []
    for place in range(len(factors)):
        ends = np.zeros((2, len(factors)))
        ends[:, place] = low[place], high[place]
        contrast = np.subtract(*model.expand(ends)[::-1])
        errors.append(float(np.sqrt(contrast @ inverse @ contrast)))
    return DesignPower(len(rows), columns.shape[1], max(errors), effect, deviation, chance)
