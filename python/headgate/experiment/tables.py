"""The tables of an experiment: runs, means with intervals, and effects with intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import starmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.level_order import level_text
from headgate.data.tables import Table, Words
from headgate.design.factor import Factor
from headgate.experiment.comparison import ComparisonFile
from headgate.experiment.conditions import (
    Label,
    column_of,
    find_levels,
    label_levels,
    quantities,
)
from headgate.experiment.designed import (
    SCREENING,
    SENSITIVITY,
    SURFACES,
    DesignAnalysis,
    FittedSurface,
)
from headgate.experiment.effects import (
    Effect,
    are_paired,
    model_effects,
    paired_effects,
    screening_effects,
)
from headgate.experiment.responses import Response
from headgate.stats.effects import ROUNDING, WEAK_P
from headgate.stats.intervals import compute_mean_interval, correct_by_false_discovery
from headgate.stats.screening import SecondOrder
from headgate.stats.sensitivity import MorrisResult, SobolResult

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class MeasuredRuns:
    """The measured values of each response, as an array with shape (condition, replicate).

    `coded` contains one row per condition. The value of a missing replicate is NaN.
    """

    factors: tuple[Factor, ...]
    coded: Numbers
    seeds: tuple[int, ...]
    responses: tuple[Response, ...]
    values: dict[str, Numbers]
    digests: NDArray[np.str_]
    """The digest of each run, with the same shape; "" for a missing run."""
    paired: bool
    """Whether the design is a grid."""
    drifts: tuple[str, ...] = ()
    """The drift under each condition at the end of its runs; "" if there is none."""
    design: DesignAnalysis | None = None
    """The design, if its kind needs a special analysis."""
    periods: tuple[MeasuredRuns, ...] = ()
    """Every period, in order, if responses are measured by period; this is then the middle one."""
    period: int = 0
    """The number of the period; 0 without periods."""
    roles: ComparisonFile | None = None
    """The keys that state the roles of the responses."""
    busiest: NDArray[np.str_] | None = None
    """The busiest link of each run, with the same shape; "" if it is not known."""
    unfinished: tuple[float, ...] = ()
    """The share of files that were unfinished at the end of the runs, for each condition."""

    @property
    def repeats(self) -> int:
        """The number of replicates."""
        return len(self.seeds)

    @cached_property
    def fixed(self) -> NDArray[np.bool_]:
        """Whether the replicates of each condition are the same run."""
        return np.asarray((self.digests == self.digests[:, :1]).all(axis=1) & (self.repeats > 1))

    @property
    def same(self) -> bool:
        """Whether the replicates of every condition are the same run, as if nothing is random."""
        return bool(self.fixed.all())

    @cached_property
    def distinct(self) -> dict[str, Numbers]:
        """The values without repetitions: one replicate if all are the same run."""
        return {name: of[:, :1] if self.same else of for name, of in self.values.items()}

    @cached_property
    def comparable(self) -> dict[str, Numbers]:
        """The distinct values of the replicates that most conditions have.

        More runs of the centre than of other conditions met other traffic.
        """
        return {
            name: of[:, (np.isfinite(of).mean(axis=0) > 0.5) | (of.shape[1] == 1)]
            for name, of in self.distinct.items()
        }

    @cached_property
    def labels(self) -> dict[str, list[Label]]:
        """The labels of the levels of each factor, one per condition."""
        return {
            factor.name: label_levels(factor, self.coded[:, place])
            for place, factor in enumerate(self.factors)
        }

    @cached_property
    def levels(self) -> dict[str, tuple[Label, ...]]:
        """The levels of each factor that occur, in the order of the file."""
        return find_levels(self.factors, self.coded)

    def describe(self, condition: int) -> str:
        """Name a condition by its levels."""
        return ", ".join(
            f"{name} {level_text(labels[condition])}" for name, labels in self.labels.items()
        )

    @cached_property
    def runs(self) -> Table:
        """One row per run, or per run and period: levels, replicate, seed, period, responses."""
        return self._join("runs", [one._runs_of_period() for one in self._parts])

    @property
    def _parts(self) -> tuple[MeasuredRuns, ...]:
        return self.periods or (self,)

    def _join(self, name: str, tables: Sequence[Table]) -> Table:
        """Return the tables of all periods as one table, with a column of periods."""
        if not self.periods:
            return tables[0]
        pairs = zip(self._parts, tables, strict=True)
        numbers = [np.full(len(of), one.period) for one, of in pairs]
        columns: dict[str, Any] = {"period": np.concatenate(numbers)}
        columns |= {key: _concatenate([of[key] for of in tables]) for key in tables[0].columns}
        return Table(name, columns)

    def _runs_of_period(self) -> Table:
        conditions, replicates = np.nonzero(self.digests)
        columns: dict[str, Any] = {
            name: column_of([labels[c] for c in conditions]) for name, labels in self.labels.items()
        }
        columns |= {"replicate": replicates + 1, "seed": np.array(self.seeds)[replicates]}
        columns |= {name: of[conditions, replicates] for name, of in self.values.items()}
        return Table("runs", columns)

    @cached_property
    def asked(self) -> Table:
        """The runs as claims query them: quantities are also columns of numbers."""
        runs = self.runs
        numbers = {
            key: column
            for name in self.labels
            for key, column in quantities(name, runs[name].tolist()).items()
        }
        return runs.extended("runs", numbers)

    def mean(self, response: str, condition: int) -> tuple[float, float, float]:
        """Return the mean over replicates with Student's 95 % interval."""
        return compute_mean_interval(self.distinct[response][condition])

    @cached_property
    def means(self) -> Table:
        """One row per condition and response: mean, 95 % interval, deviation, replicates."""
        return self._join("means", [one._means_of_period() for one in self._parts])

    def _means_of_period(self) -> Table:
        pairs = [(c, one) for one in self.responses for c in range(len(self.coded))]
        rows = list(starmap(self._mean_row, pairs))
        columns: dict[str, Any] = {
            name: column_of([labels[c] for c, _ in pairs]) for name, labels in self.labels.items()
        }
        columns |= {
            "response": Words.of([one.name for _, one in pairs]),
            "unit": Words.of([one.unit for _, one in pairs]),
        }
        columns["drifts"] = np.array([bool(self.drifts and self.drifts[c]) for c, _ in pairs], int)
        keys = ("mean", "low", "high", "sd", "replicates")
        columns |= {
            key: np.array(column) for key, column in zip(keys, zip(*rows, strict=True), strict=True)
        }
        return Table("means", columns)

    def _mean_row(
        self, condition: int, response: Response
    ) -> tuple[float, float, float, float, int]:
        values = self.distinct[response.name][condition]
        known = values[np.isfinite(values)]
        spread = float(known.std(ddof=1)) if len(known) > 1 else math.nan
        mean, low, high = compute_mean_interval(known)
        has_spread = len(known) > 1 and not self.fixed[condition]
        ends = (low, high) if has_spread else (math.nan, math.nan)
        return mean, *ends, spread, len(known)

    @cached_property
    def effects_by_response(self) -> dict[str, list[Effect]]:
        """Main effects and two-factor interactions of each response."""
        names = [factor.name for factor in self.factors]
        if self.kind == SCREENING:
            compute = partial(screening_effects, names, self.coded)
        elif self.has_pairs:
            compute = partial(paired_effects, names, self.coded)
        else:
            terms = self.design.name_terms() if self.design else None
            compute = partial(model_effects, names, self.coded, sampled=self.sampled, terms=terms)
        values = self.comparable if self.design else self.distinct
        return {one.name: compute(values[one.name]) for one in self.responses}

    @property
    def kind(self) -> str:
        """The kind of a design with a special analysis; else ""."""
        return self.design.kind if self.design else ""

    @cached_property
    def surfaces(self) -> Mapping[str, FittedSurface]:
        """The response surfaces, each with a p corrected for all responses."""
        ways = {one.name: -1 if one.better == "lower" else 1 for one in self.responses}
        if self.design is None or self.kind not in SURFACES:
            return {}
        found = {
            name: fitted
            for name, way in ways.items()
            if (fitted := self.design.fit(self.coded, self.comparable[name], way)) is not None
        }
        corrected = correct_by_false_discovery({name: of.surface.p for name, of in found.items()})
        return {name: replace(of, p=corrected[name]) for name, of in found.items()}

    @cached_property
    def second_order(self) -> Mapping[str, SecondOrder]:
        """The squares and products that a definitive screening design selects."""
        if self.design is None or self.kind != SCREENING:
            return {}
        names = [factor.name for factor in self.factors]
        return {
            one.name: self.design.screen(
                self.coded,
                self.comparable[one.name],
                [names.index(effect.factors[0]) for effect in self.shown[one.name]],
            )
            for one in self.responses
        }

    @cached_property
    def indices(self) -> Mapping[str, MorrisResult | SobolResult]:
        """Morris' effects or Sobol indices of each response."""
        if self.design is None or self.kind not in SENSITIVITY:
            return {}
        return {
            one.name: self.design.compute_indices(self.coded, self.comparable[one.name])
            for one in self.responses
        }

    @cached_property
    def morris_p(self) -> Mapping[tuple[str, int], float]:
        """The p of each factor's effects above the noise, corrected for all tests."""
        return correct_by_false_discovery(
            {
                (name, effect.factor): effect.p
                for name, result in self.indices.items()
                if isinstance(result, MorrisResult)
                for effect in result.effects
            }
        )

    @cached_property
    def shown(self) -> Mapping[str, tuple[Effect, ...]]:
        """The significant effects on each response.

        Their p are corrected for all effects on all responses (false discovery rate of 5 %). If
        nothing is random, every effect above rounding is shown.
        """
        p = {
            (name, place): effect.p
            for name, of in self.effects_by_response.items()
            for place, effect in enumerate(of)
        }
        corrected = correct_by_false_discovery(p)
        return {
            name: tuple(
                effect
                for place, effect in enumerate(of)
                if corrected[name, place] < WEAK_P
                or (self.same and self._exceeds_rounding(name, effect))
            )
            for name, of in self.effects_by_response.items()
        }

    def _exceeds_rounding(self, response: str, effect: Effect) -> bool:
        largest = float(np.nanmax(np.abs(self.distinct[response]), initial=0.0))
        return effect.size > ROUNDING * largest

    @cached_property
    def has_pairs(self) -> bool:
        """Whether effects are computed from pairs of conditions that differ in one factor.

        A grid that `where` reduces to a fraction contains no pairs for most factors.
        """
        return self.paired and are_paired(self.coded)

    @cached_property
    def sampled(self) -> list[bool]:
        """Whether each factor is a quantity that is sampled between its low and high level."""
        return [
            not factor.levels and len(np.unique(column)) > 2
            for factor, column in zip(self.factors, self.coded.T, strict=True)
        ]

    @cached_property
    def effects(self) -> Table:
        """One row per response and effect: the levels, the change, the 95 % interval."""
        return self._join("effects", [one._effects_of_period() for one in self._parts])

    def _effects_of_period(self) -> Table:
        rows = [
            (one, effect) for one in self.responses for effect in self.effects_by_response[one.name]
        ]
        return Table("effects", {
            "response": Words.of([one.name for one, _ in rows]),
            "unit": Words.of([one.unit for one, _ in rows]),
            "factors": Words.of([" x ".join(effect.factors) for _, effect in rows]),
            "from": Words.of([self.ends(effect)[0] for _, effect in rows]),
            "to": Words.of([self.ends(effect)[1] for _, effect in rows]),
            "effect": np.array([effect.effect for _, effect in rows], float),
            "low": np.array([effect.interval[0] for _, effect in rows], float),
            "high": np.array([effect.interval[1] for _, effect in rows], float),
            "replicates": np.array([effect.replicates for _, effect in rows], int),
            "p": np.array([effect.p for _, effect in rows], float),
            "shown": np.array([effect in self.shown[one.name] for one, effect in rows], int),
            "confounded_with": Words.of(
                [" or ".join(" x ".join(term) for term in effect.aliases) for _, effect in rows]
            ),
        })  # fmt: skip

    def ends(self, effect: Effect) -> tuple[str, str]:
        """Name the levels between which an effect is the change."""
        names = [factor.name for factor in self.factors]
        pairs = [
            label_levels(self.factors[names.index(name)], step)
            for name, step in zip(effect.factors, effect.steps, strict=True)
        ]
        first, last = zip(*pairs, strict=True)
        return " x ".join(map(level_text, first)), " x ".join(map(level_text, last))


def _concatenate(columns: Sequence[Any]) -> Any:
    whole = np.concatenate(columns)
    return Words.of(whole) if whole.dtype.kind == "U" else whole


def rows_of(table: Table) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table as plain values; missing numbers are None."""
    columns = {name: table[name].tolist() for name in table}
    for cells in zip(*columns.values(), strict=True):
        plain = (None if isinstance(c, float) and not math.isfinite(c) else c for c in cells)
        yield dict(zip(columns, plain, strict=True))
