"""Findings: the combinations of unknown settings in which a statement of the source holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.claims import Estimate
from headgate_studies.nist.summary import Experiment

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]
#: If a finding holds in this share of the combinations at one level and always at the other, a few
#: exceptions would name every factor.
TELLS_LITTLE = 0.75
#: One run a combination: a ratio this near to a bound, in parts of it, may lie on either side.
CHANCE = 0.01


@dataclass(frozen=True)
class Combinations:
    """An experiment whose conditions are combinations of unknown settings."""

    experiment: Experiment

    @property
    def columns(self) -> Mapping[str, Numbers]:
        """The level of each factor, -1 or +1, by combination."""
        design = self.experiment.runs.design
        return {factor.name: design.column(factor.name) for factor in design.factors}

    def ratios(self, response: str, cca: str) -> Numbers:
        """Return a CCA's response over the median of the CCAs other than FAST and FAST-AT."""
        of = self.experiment
        names = of.runs.conditions
        return np.array([of.mean(response, cca, n) / of.typical(n, response) for n in names])

    def describe(self, held: Flags) -> str:
        """Say in how many combinations a finding holds, and at which levels in all of them."""
        if held.all():
            return "holds whatever the unknowns"
        if not held.any():
            return "does not hold"
        levels = [self._level(name, sign) for name, sign in self._decisive(held)]
        count = f"holds in {held.sum()} of {len(held)}"
        return f"{count}, in all with {' and in all with '.join(levels)}" if levels else count

    def _decisive(self, held: Flags) -> list[tuple[str, int]]:
        """Return the levels at which a finding always holds but not at their opposite."""
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

    def effects(self, response: str, cca: str) -> dict[str, float]:
        """Return by what factor each setting's high level multiplies a ratio."""
        logs = np.log(self.ratios(response, cca))
        return {
            name: float(np.exp(logs[column > 0].mean() - logs[column < 0].mean()))
            for name, column in self.columns.items()
        }


def _format(level: object) -> str:
    if isinstance(level, Mapping):
        return ", ".join(f"{name} {share}" for name, share in level.items())
    return str(level)


def hold(
    of: Combinations, *, response: str, bound: float = 1.0, sign: int = 1, cca: str = "fast"
) -> Estimate:
    """Count the combinations in which a CCA's response over the others' is beyond a bound."""
    ratios = of.ratios(response, cca)
    beyond = sign * (ratios - bound)
    held, near = beyond > 0, np.abs(beyond) <= CHANCE * bound
    note = f"{of.describe(held)}; {ratios.min():.3g} to {ratios.max():.3g}"
    if near.any():
        note += f"; {near.sum()} within {CHANCE:.0%} of the bound"
    ends = float((held & ~near).mean()), float((held | near).mean())
    return Estimate(ours=float(held.mean()), ci=ends, note=note)
