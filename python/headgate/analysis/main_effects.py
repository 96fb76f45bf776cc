"""Main effects: how far each factor moves each response, and which of it is no chance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from headgate.analysis.frame import Frame, Levels
from headgate.errors import AnalysisError
from headgate.notebook import InNotebook
from headgate.stats.effects import Effect, main_effect, psi
from headgate.stats.full_model import FullModel, full_model

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Labels = tuple[str, ...]


@dataclass(frozen=True)
class Coded:
    """A table as numbers: levels of factors, responses, and the rows of each group."""

    levels: Mapping[str, Levels]
    responses: Mapping[str, NDArray[np.float64]]
    groups: Mapping[Labels, NDArray[np.intp]]

    def factors(self, rows: NDArray[np.intp]) -> dict[str, NDArray[np.float64]]:
        """Return the coded levels of those rows."""
        return {name: levels.coded[rows] for name, levels in self.levels.items()}


@dataclass(frozen=True)
class MainEffects(InNotebook):
    """Effects of `factors` on `responses`, for each group of rows.

    `groups` are the values of the labels `by` (a period, a law), one group without labels.
    """

    factors: tuple[str, ...]
    responses: tuple[str, ...]
    by: Labels
    effects: Mapping[tuple[Labels, str, str], Effect]
    table: Coded

    def one(self, factor: str, response: str, group: Labels = ()) -> Effect:
        """Return one effect."""
        return self.effects[group, factor, response]

    def of_response(self, response: str, group: Labels = ()) -> list[Effect]:
        """Return the effects of every factor on one response."""
        return [self.effects[group, factor, response] for factor in self.factors]

    @cached_property
    def full(self) -> Mapping[tuple[Labels, str], FullModel]:
        """The model with interactions, of each group and response."""
        return {
            (group, response): full_model(self.table.factors(rows), values[rows])
            for group, rows in self.table.groups.items()
            for response, values in self.table.responses.items()
        }

    @cached_property
    def q(self) -> Mapping[tuple[Labels, str, str], float]:
        """Every p corrected for the number of tests (Benjamini, Hochberg 1995)."""
        from scipy import stats

        p = np.array([effect.p for effect in self.effects.values()])
        known = np.isfinite(p)
        q = np.full(len(p), np.nan)
        if known.any():
            q[known] = stats.false_discovery_control(p[known])
        return dict(zip(self.effects, q.tolist(), strict=True))

    def levels(self) -> list[str]:
        """Say of each factor which level is low and which is high, and what tells so."""
        return [levels.describe() for levels in self.table.levels.values()]

    def psi(self, group: Labels = ()) -> dict[str, float]:
        """Return Psi of each factor over all responses of a group."""
        return {
            factor: psi([self.effects[group, factor, name] for name in self.responses])
            for factor in self.factors
        }

    def figures(
        self,
        titles: Mapping[str, str] | None = None,
        factor_titles: Mapping[str, str] | None = None,
        shown: Sequence[str] | None = None,
    ) -> dict[str, Figure]:
        """Draw, for each group, means at both levels of every factor, and the table of stars.

        Means are those of the responses `shown`, all unless given.
        """
        from headgate.plots.effects import main_effects, significance

        drawn = {}
        for group in self.table.groups:
            effects = {name: self.of_response(name, group) for name in self.responses}
            suffix = "".join(f"-{label}" for label in group)
            means = {name: effects[name] for name in shown or self.responses}
            drawn[f"main-effects{suffix}"] = main_effects(means, titles, factor_titles)
            drawn[f"significance{suffix}"] = significance(effects, titles, factor_titles)
        return drawn

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one flat record for each group, factor and response."""
        for (group, factor, response), effect in self.effects.items():
            term = self.full[group, response].terms.get((factor,))
            yield dict(zip(self.by, group, strict=True)) | {
                "factor": factor,
                "response": response,
                "low": self.table.levels[factor].names[0],
                "high": self.table.levels[factor].names[-1],
                "mean_low": effect.mean_low,
                "mean_high": effect.mean_high,
                "effect": effect.effect,
                "relative_effect": effect.relative_percent,
                "f": effect.f_ratio,
                "p": effect.p,
                "stars": effect.stars,
                "eta_squared": effect.eta_squared,
                "q": self.q[group, factor, response],
                "f_full": term.f_ratio if term else float("nan"),
                "p_full": term.p if term else float("nan"),
            }


def main_effects(
    table: object, factors: Sequence[str], responses: Sequence[str], by: Sequence[str] = ()
) -> MainEffects:
    """Return the main effects of every factor on every response, one analysis a group of `by`.

    `table` is a file (CSV, Parquet), a data frame, a table or a mapping, with one row a run. The
    analyses of variance are one-way, as NIST's Dataplot makes them, which leaves the other factors
    in the error; the model with interactions is beside them. Raises AnalysisError.
    """
    frame = Frame.of(table)
    coded = _code_factors(frame, factors, responses, by)
    effects = {
        (group, factor, response): main_effect(factor, signs, values[rows])
        for group, rows in coded.groups.items()
        for factor, signs in coded.factors(rows).items()
        for response, values in coded.responses.items()
    }
    return MainEffects(tuple(factors), tuple(responses), tuple(by), effects, coded)


def _code_factors(
    frame: Frame, factors: Sequence[str], responses: Sequence[str], by: Sequence[str]
) -> Coded:
    _check(frame, factors, responses, by)
    numbers = {name: frame.numbers(name) for name in responses}
    for name, values in numbers.items():
        if np.isnan(values).all():
            raise AnalysisError(f"{frame.name}: {name} has no number in any row")
    levels = {name: frame.levels(name) for name in factors}
    return Coded(levels, numbers, frame.groups(by))


def _check(
    frame: Frame, factors: Sequence[str], responses: Sequence[str], by: Sequence[str]
) -> None:
    for what, names in (("factor", factors), ("response", responses)):
        if not names:
            raise AnalysisError(f"{frame.name}: name one {what} at least")
    frame.require(*factors, *responses, *by)
