"""Influence: Psi of every factor, by period and by law, and its weighted average.

Psi is the share of responses on which an effect of a factor is shown, those at p < 0.01 counted
whole, those at 0.01 <= p < 0.05 half (Mills, Filliben, Cho, Schwartz 2011). The weighted average
gives every kind of grouping (periods, laws) the same weight, whatever the number of its groups; so
computed it repeats the published row in all twenty columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from headgate.figures.analysis.main_effects import MainEffects
from headgate.figures.notebook import DrawnOnce

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
        """Yield one flat record a group, Psi by factor; the weighted average comes last."""
        for name, row in self.psi.items():
            yield {"of": name, **dict(zip(self.factors, row.tolist(), strict=True))}
        yield {"of": AVERAGE, **self.average}

    def figure(self, titles: Mapping[str, str] | None = None) -> Figure:
        """Draw Psi x 100, a row a group; `titles` says what factors are called."""
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
    """Return the influence that rows of Psi say, such as published ones."""
    arrays = {name: np.asarray(row, dtype=float) for name, row in rows.items()}
    return Influence(tuple(factors), arrays, tuple(tuple(kind) for kind in kinds))


def _name_group(by: Sequence[str], group: Sequence[str]) -> str:
    """Name a group by its labels; a number says what of."""
    labels = zip(by, group, strict=True)
    named = [f"{name} {label}" if label.isdigit() else label for name, label in labels]
    return " ".join(named) or "all"
