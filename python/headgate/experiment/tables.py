"""The tables of an experiment: its runs, means with intervals, effects with intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import starmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.level_order import level_text
from headgate.data.tables import Table, Words
from headgate.design.factor import Factor
from headgate.experiment.conditions import (
    Label,
    column_of,
    find_levels,
    label_levels,
    quantities,
)
from headgate.experiment.effects import Effect, are_paired, model_effects, paired_effects
from headgate.experiment.responses import Response
from headgate.stats.effects import ROUNDING, WEAK_P
from headgate.stats.intervals import compute_mean_interval, correct_by_false_discovery

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class MeasuredRuns:
    """What was measured: of each response an array with shape (condition, replicate).

    `coded` has a row a condition. A replicate that a condition does not have is NaN.
    """

    factors: tuple[Factor, ...]
    coded: Numbers
    seeds: tuple[int, ...]
    responses: tuple[Response, ...]
    values: dict[str, Numbers]
    digests: NDArray[np.str_]
    """Of each run, with the same shape; "" where there is none."""
    paired: bool
    """Whether the design is a grid."""
    drifts: tuple[str, ...] = ()
    """What still drifts under each condition when its runs end; "" if nothing is seen to."""

    @property
    def repeats(self) -> int:
        """How many replicates there are."""
        return len(self.seeds)

    @cached_property
    def fixed(self) -> NDArray[np.bool_]:
        """Whether the replicates of each condition are one and the same run."""
        return np.asarray((self.digests == self.digests[:, :1]).all(axis=1) & (self.repeats > 1))

    @property
    def same(self) -> bool:
        """Whether those of all conditions are, as where nothing is random."""
        return bool(self.fixed.all())

    @cached_property
    def told(self) -> dict[str, Numbers]:
        """What counts as seen: of replicates that are the same run, one."""
        return {name: of[:, :1] if self.same else of for name, of in self.values.items()}

    @cached_property
    def labels(self) -> dict[str, list[Label]]:
        """What the level of each factor is called, a word a condition."""
        return {
            factor.name: label_levels(factor, self.coded[:, place])
            for place, factor in enumerate(self.factors)
        }

    @cached_property
    def levels(self) -> dict[str, tuple[Label, ...]]:
        """The levels of each factor that conditions have, in the order of the file."""
        return find_levels(self.factors, self.coded)

    def describe(self, condition: int) -> str:
        """Say what a condition is."""
        return ", ".join(
            f"{name} {level_text(labels[condition])}" for name, labels in self.labels.items()
        )

    @cached_property
    def runs(self) -> Table:
        """One row a run: levels in their own words, replicate, seed, responses."""
        conditions, replicates = np.nonzero(self.digests)
        columns: dict[str, Any] = {
            name: column_of([labels[c] for c in conditions]) for name, labels in self.labels.items()
        }
        columns |= {"replicate": replicates + 1, "seed": np.array(self.seeds)[replicates]}
        columns |= {name: of[conditions, replicates] for name, of in self.values.items()}
        return Table("runs", columns)

    @cached_property
    def asked(self) -> Table:
        """The runs as claims ask for them: quantities are there as numbers, too."""
        runs = self.runs
        numbers = {
            key: column
            for name in self.labels
            for key, column in quantities(name, runs[name].tolist()).items()
        }
        return runs.extended("runs", numbers)

    def mean(self, response: str, condition: int) -> tuple[float, float, float]:
        """Return the mean over replicates with Student's 95 % interval."""
        return compute_mean_interval(self.told[response][condition])

    @cached_property
    def means(self) -> Table:
        """One row a condition and response: mean, 95 % interval, standard deviation, replicates."""
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
        values = self.told[response.name][condition]
        known = values[np.isfinite(values)]
        spread = float(known.std(ddof=1)) if len(known) > 1 else math.nan
        mean, low, high = compute_mean_interval(known)
        ends = (low, high) if len(known) > 1 else (math.nan, math.nan)
        return mean, *ends, spread, len(known)

    @cached_property
    def effects_by_response(self) -> dict[str, list[Effect]]:
        """Main effects and two-factor interactions of each response."""
        return {one.name: self._form_effects(self.told[one.name]) for one in self.responses}

    @cached_property
    def shown(self) -> Mapping[str, tuple[Effect, ...]]:
        """The effects on each response that no chance explains.

        Their p are corrected for all effects on all responses (false discovery rate of 5 %). If
        nothing is random, an effect is shown if it is there.
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
                if corrected[name, place] < WEAK_P or (self.same and self._is_there(name, effect))
            )
            for name, of in self.effects_by_response.items()
        }

    def _is_there(self, response: str, effect: Effect) -> bool:
        """Say whether an effect is more than rounding."""
        largest = float(np.nanmax(np.abs(self.told[response]), initial=0.0))
        return effect.size > ROUNDING * largest

    def _form_effects(self, values: Numbers) -> list[Effect]:
        names = [factor.name for factor in self.factors]
        if self.has_pairs:
            return paired_effects(names, self.coded, values)
        return model_effects(names, self.coded, values, self.sampled)

    @cached_property
    def has_pairs(self) -> bool:
        """Whether effects are formed from conditions that are equal but for a factor.

        A grid of which `where` leaves a fraction has none for most factors.
        """
        return self.paired and are_paired(self.coded)

    @cached_property
    def sampled(self) -> list[bool]:
        """Which factors have more levels than they list: quantities between low and high."""
        return [
            not factor.levels and len(np.unique(column)) > 2
            for factor, column in zip(self.factors, self.coded.T, strict=True)
        ]

    @cached_property
    def effects(self) -> Table:
        """One row a response and effect: from which level to which, how far, 95 % interval."""
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
        """Say from which levels to which an effect leads."""
        names = [factor.name for factor in self.factors]
        pairs = [
            label_levels(self.factors[names.index(name)], step)
            for name, step in zip(effect.factors, effect.steps, strict=True)
        ]
        first, last = zip(*pairs, strict=True)
        return " x ".join(map(level_text, first)), " x ".join(map(level_text, last))


def rows_of(table: Table) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table as plain values; what is missing is None."""
    columns = {name: table[name].tolist() for name in table}
    for cells in zip(*columns.values(), strict=True):
        yield dict(zip(columns, map(_plain, cells), strict=True))


def _plain(cell: Any) -> Any:
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell
