"""Finished runs by combination of what is not known, and what a finding depends on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate_studies.nist.summary import Experiment

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]

#: Where a finding holds in this share of the combinations at one level and always at the other, a
#: few exceptions would name every factor.
TELLS_LITTLE = 0.75


@dataclass(frozen=True)
class Combinations:
    """An experiment whose conditions are combinations of unknown settings."""

    experiment: Experiment

    @property
    def columns(self) -> Mapping[str, Numbers]:
        """The level of each factor, -1 or +1, by combination."""
        design = self.experiment.runs.design
        return {factor.name: design.column(factor.name) for factor in design.factors}

    def ratios(self, response: str, law: str) -> Numbers:
        """Return a law's response over the median of the laws other than FAST and FAST-AT."""
        of = self.experiment
        names = of.runs.conditions
        return np.array([of.mean(response, law, n) / of.typical(n, response) for n in names])

    def describe(self, held: Flags) -> str:
        """Say where a finding holds: everywhere, nowhere, or in how many and at which levels."""
        if held.all():
            return "holds whatever the unknowns"
        if not held.any():
            return "does not hold"
        levels = [self._level(name, sign) for name, sign in self._decisive(held)]
        count = f"holds in {held.sum()} of {len(held)}"
        return f"{count}, in all with {' and in all with '.join(levels)}" if levels else count

    def _decisive(self, held: Flags) -> list[tuple[str, int]]:
        """Return the levels at which a finding always holds, where the other one says otherwise."""
        return [
            (name, sign)
            for name, column in self.columns.items()
            for sign in (-1, 1)
            if held[column == sign].all() and held[column != sign].mean() < TELLS_LITTLE
        ]

    def _level(self, name: str, sign: int) -> str:
        factors = {factor.name: factor for factor in self.experiment.runs.design.factors}
        factor = factors[name]
        return f"{factor.title} = {_format(factor.high if sign > 0 else factor.low)}"

    def effects(self, response: str, law: str) -> dict[str, float]:
        """Return by what factor each setting's high level multiplies a ratio."""
        logs = np.log(self.ratios(response, law))
        return {
            name: float(np.exp(logs[column > 0].mean() - logs[column < 0].mean()))
            for name, column in self.columns.items()
        }


def _format(level: object) -> str:
    """Write a level; shares by class of router as one writes them."""
    if isinstance(level, Mapping):
        return ", ".join(f"{name} {share}" for name, share in level.items())
    return str(level)
