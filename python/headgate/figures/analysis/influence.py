"""Influence of factors: Psi over all responses, and the ten-step analysis of one response.

Psi is the share of responses on which an effect of a factor is shown: p < 0.01 counts whole, p <
0.05 half (Mills, Filliben, Cho, Schwartz 2011). The weighted average gives every kind of grouping
(periods, algorithms) the same weight for any number of groups. It reproduces the
published row in all twenty columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import AnalysisError
from headgate.figures.analysis.frame import Frame
from headgate.figures.analysis.main_effects import MainEffects
from headgate.figures.notebook import DrawnOnce, InNotebook
from headgate.stats.ten_steps import StepAnalysis

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AVERAGE = "weighted average"


@dataclass(frozen=True)
class Influence(DrawnOnce):
    """Psi of `factors`: one row of `psi` a group, one tuple of names a kind of grouping."""

    factors: tuple[str, ...]
    psi: Mapping[str, NDArray[np.float64]]
    kinds: tuple[tuple[str, ...], ...]

    @property
    def average(self) -> dict[str, float]:
        """The mean over kinds of the mean over each kind's rows, by factor."""
        kinds = [np.mean([self.psi[name] for name in kind], axis=0) for kind in self.kinds]
        return dict(zip(self.factors, np.mean(kinds, axis=0).tolist(), strict=True))

    @property
    def ranked(self) -> list[str]:
        """Factors from the most influential on; among equals the first named comes first."""
        return sorted(self.factors, key=lambda factor: -self.average[factor])

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one flat record per group, Psi by factor; the weighted average comes last."""
        for name, row in self.psi.items():
            yield {"of": name, **dict(zip(self.factors, row.tolist(), strict=True))}
        yield {"of": AVERAGE, **self.average}

    def figure(self, titles: Mapping[str, str] | None = None) -> Figure:
        """Draw Psi x 100, a row per group; `titles` are the titles of factors."""
        from headgate.figures.plots.heat import Heat, draw_heat

        values = np.array([*self.psi.values(), list(self.average.values())])
        names = [(titles or {}).get(factor, factor) for factor in self.factors]
        panel = Heat("", values, names, 0.0, 1.0, scale=100, label="Psi x 100")
        return draw_heat([*self.psi, AVERAGE], [panel])


def compute_influence(*kinds: MainEffects) -> Influence:
    """Return Psi from the main effects of each kind of grouping, of the factors that all have."""
    factors = [name for name in kinds[0].factors if all(name in one.factors for one in kinds)]
    named = [
        {_name_group(effects.by, group): effects.psi(group) for group in effects.table.groups}
        for effects in kinds
    ]
    return of_rows(
        {name: [psi[f] for f in factors] for kind in named for name, psi in kind.items()},
        factors,
        [tuple(kind) for kind in named],
    )


def of_rows(
    rows: Mapping[str, Sequence[float]], factors: Sequence[str], kinds: Sequence[Sequence[str]]
) -> Influence:
    """Return the influence given by rows of Psi, such as published ones."""
    arrays = {name: np.asarray(row, dtype=float) for name, row in rows.items()}
    return Influence(tuple(factors), arrays, tuple(tuple(kind) for kind in kinds))


def _name_group(by: Sequence[str], group: Sequence[str]) -> str:
    labels = zip(by, group, strict=True)
    named = [f"{name} {label}" if label.isdigit() else label for name, label in labels]
    return " ".join(named) or "all"


class TenSteps(StepAnalysis, InNotebook):
    """The steps with their rows and pictures."""

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one flat record per term, the largest effect first."""
        beyond = set(self.beyond_margin)
        for term, effect in self.effects.items():
            yield {"term": " x ".join(term), "effect": effect, "beyond_margin": term in beyond}

    def figures(
        self, title: str = "", titles: Mapping[str, str] | None = None
    ) -> dict[str, Figure]:
        """Draw the ten steps; `title` is that of the response, `titles` those of the factors."""
        from headgate.figures.plots.designs import ten_steps

        return ten_steps(self, title, titles or {})


def compute_ten_steps(table: object, factors: Sequence[str], response: str) -> TenSteps:
    """Prepare the ten steps for one response; runs with something missing are left out.

    Raises AnalysisError: there are two factors at least, each with two levels.
    """
    frame = Frame.of(table)
    if len(factors) < 2:
        raise AnalysisError(f"{frame.name}: name two factors at least")
    frame.require(*factors, response)
    levels = {name: frame.levels(name) for name in factors}
    for name, found in levels.items():
        if len(found.names) != 2:
            raise AnalysisError(
                f"{frame.name}: {name} has {len(found.names)} levels; the ten steps take two"
            )
    values = frame.numbers(response)
    kept = np.isfinite(values)
    for found in levels.values():
        kept &= found.places >= 0
    coded = {name: found.coded[kept] for name, found in levels.items()}
    for name, column in coded.items():
        if len(set(column.tolist())) < 2:
            raise AnalysisError(f"{frame.name}: {name} does not vary where {response} is known")
    steps = TenSteps(response, tuple(factors), coded, values[kept])
    for name in factors:
        if (name,) not in steps.model.terms:
            raise AnalysisError(f"{frame.name}: {name} is confounded with the other factors")
    return steps
