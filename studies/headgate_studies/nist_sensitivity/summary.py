"""The campaign as a whole: effects by period and by CCA, Psi, which six factors, which groups."""

from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from headgate import Table, Words
from headgate.design import Factor
from headgate.figures import analysis
from headgate.lab import NotRunError
from headgate_studies.designed import Designed
from headgate_studies.nist.responses import NUMBERED
from headgate_studies.nist_sensitivity.published import AVERAGE
from headgate_studies.nist_sensitivity.runs import CCA_FACTOR, NAMES, responses

Numbers = NDArray[np.float64]
#: How many factors the experiments take over.
MOST_SIGNIFICANT = 6
RESAMPLES, SEED = 2000, 1
#: The period of the source's table of stars, with spatiotemporal congestion.
CONGESTED = ("2",)
_WEIGHT = {"**": 1.0, "*": 0.5, "": 0.0}


class Sensitivity(Designed):
    """Finished runs of the design, with what follows from them."""

    @cached_property
    def factors(self) -> dict[str, Factor]:
        """The factors in their order, including the CCA even if the design runs for each CCA."""
        own = {factor.name: factor for factor in self.design.factors}
        low, high = self.ccas
        cca = Factor(CCA_FACTOR, "congestion control procedures", "cca", low, high)
        every = {CCA_FACTOR: cca, **own}
        return {name: every[name] for name in sorted(every, key=lambda name: int(name[1:]))}

    @cached_property
    def table(self) -> Table:
        """One row a run and period."""
        made = self.tidy(responses)
        cca = np.where(made["cca"] == self.ccas[0], -1, 1)
        columns = {name: _words(made[name]) for name in made}
        return Table("responses", {**columns, CCA_FACTOR: cca})

    @cached_property
    def by_period(self) -> analysis.MainEffects:
        """Effects in each period."""
        return analysis.compute_main_effects(
            self.table, tuple(self.factors), NAMES, ("period",), method="one-way"
        )

    @cached_property
    def by_cca(self) -> analysis.MainEffects:
        """Effects under each algorithm, of the means over the periods: a run is one row."""
        return analysis.compute_main_effects(
            self._whole_runs, tuple(self.factors), NAMES, ("cca",), method="one-way"
        )

    @cached_property
    def influence(self) -> analysis.Influence:
        """Psi by period and by algorithm, and the weighted average."""
        return analysis.compute_influence(self.by_period, self.by_cca)

    @cached_property
    def psi(self) -> Mapping[str, Numbers]:
        """Psi by factor: a row a period, a row per algorithm, and the weighted average."""
        return self._psi_of(np.arange(len(NAMES)))

    @property
    def average(self) -> dict[str, float]:
        """The weighted average of Psi."""
        return self.influence.average

    @property
    def selected(self) -> list[Factor]:
        """The six most significant factors, in the order of their numbers."""
        if len(self.factors) < MOST_SIGNIFICANT:
            raise NotRunError(f"there are fewer than {MOST_SIGNIFICANT} factors to choose from")
        chosen = self.influence.ranked[:MOST_SIGNIFICANT]
        return [factor for name, factor in self.factors.items() if name in chosen]

    @cached_property
    def groups(self) -> analysis.Correlations:
        """Correlations of those of the 22 responses that vary in the congested period."""
        rows = np.asarray(self.table["period"]) == int(CONGESTED[0])
        values = {name: np.asarray(self.table[name], dtype=float)[rows] for name in NUMBERED}
        varying = {name: column for name, column in values.items() if np.nanstd(column) > 0}
        return analysis.compute_correlations(varying, tuple(varying))

    def all_factors_p(self, response: str) -> dict[str, float]:
        """Return each factor's p in the congested period by a model with all of them.

        The design is orthogonal, so that each effect takes its own part of the variance and the
        rest is the error.
        """
        rows = np.asarray(self.table["period"]) == int(CONGESTED[0])
        values = np.asarray(self.table[response], dtype=float)[rows]
        levels = [np.asarray(self.table[name], dtype=float)[rows] for name in self.factors]
        coded = np.column_stack([np.ones(len(values)), *levels])
        effects, *_ = np.linalg.lstsq(coded, values, rcond=None)
        freedom = len(values) - coded.shape[1]
        error = float(((values - coded @ effects) ** 2).sum()) / freedom
        f_ratios = effects[1 : 1 + len(levels)] ** 2 * len(values) / error
        return dict(zip(self.factors, stats.f.sf(f_ratios, 1, freedom).tolist(), strict=True))

    def require(self, *factors: str) -> None:
        """Raise NotRunError unless all of these are varied."""
        missing = next((name for name in factors if name not in self.factors), None)
        if missing is not None:
            raise NotRunError(f"the factor {missing} is not varied at this scale")

    def resample(self, measure: Callable[[Mapping[str, Numbers]], float]) -> tuple[float, float]:
        """Return the 95 % interval of a measure of Psi, its responses drawn again and again.

        `measure` is of rows like those of `psi`.
        """
        rng = np.random.default_rng(SEED)
        draws = rng.integers(0, len(NAMES), size=(RESAMPLES, len(NAMES)))
        found = [measure(self._psi_of(drawn)) for drawn in draws]
        low, high = np.percentile(found, (2.5, 97.5))
        return float(low), float(high)

    def _psi_of(self, drawn: NDArray[np.intp]) -> dict[str, Numbers]:
        rows = {name: weights[:, drawn].mean(axis=1) for name, weights in self._weights.items()}
        kinds = [np.mean([rows[name] for name in kind], axis=0) for kind in self.influence.kinds]
        return {**rows, AVERAGE: np.mean(kinds, axis=0)}

    @cached_property
    def _weights(self) -> dict[str, Numbers]:
        """The weight of each effect in Psi, by factor and response, for each row of Psi."""
        groups = [
            (effects, group)
            for effects in (self.by_period, self.by_cca)
            for group in effects.table.groups
        ]
        return {
            name: np.array(
                [[_WEIGHT[effects.one(f, r, group).stars] for r in NAMES] for f in self.factors]
            )
            for name, (effects, group) in zip(self.influence.psi, groups, strict=True)
        }

    @property
    def _whole_runs(self) -> dict[str, NDArray[np.generic]]:
        shape = (-1, self.periods)
        labels = {name: np.asarray(self.table[name])[:: self.periods] for name in self._labels}
        values = {name: np.asarray(self.table[name], float).reshape(shape) for name in NAMES}
        return labels | {name: _mean(rows) for name, rows in values.items()}

    @property
    def _labels(self) -> tuple[str, ...]:
        return ("cca", *self.factors)


def _words(column: NDArray[np.generic]) -> NDArray[np.generic] | Words:
    return Words.of(column) if column.dtype.kind == "U" else column


def _mean(rows: Numbers) -> Numbers:
    """Return the mean of the known values of each row; NaN if none is known."""
    known = np.isfinite(rows)
    count = known.sum(axis=1)
    total = np.where(known, rows, 0.0).sum(axis=1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)
