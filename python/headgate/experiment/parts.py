"""Changes by part of the network: which links and which pairs of routers a factor changes.

Each run records the measures of every link, and of every pair of routers with flows. The main
effects of the factors on them are computed as those on responses are (`effects.py`), and their p is
corrected for all parts, measures and factors together.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from headgate.base.units import format_figure, readable
from headgate.data.tables import Table, Words
from headgate.experiment.definition import Definition
from headgate.experiment.effects import Effect, model_effects, paired_effects
from headgate.experiment.part_measures import MEASURES, Kind, Measured, PartMeasure
from headgate.experiment.responses import read_parts
from headgate.experiment.runs import Listing, Picture, Runs
from headgate.experiment.tables import MeasuredRuns
from headgate.stats.effects import ROUNDING, WEAK_P
from headgate.stats.intervals import correct_by_false_discovery

#: Rows of a table on the page, and bars of a picture.
MOST_ROWS, MOST_BARS = 40, 24
LEGEND = ("shown after the correction", "not shown")
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Change:
    """A main effect on a measure of a part: mean before, effect, and whether it is shown."""

    kind: Kind
    part: str
    measure: PartMeasure
    before: float
    effect: Effect
    is_shown: bool

    @property
    def share(self) -> float:
        """The effect relative to the mean before; infinite if that is 0."""
        if not self.before:
            return math.copysign(math.inf, self.effect.effect) if self.effect.effect else 0.0
        return self.effect.effect / abs(self.before)


@dataclass(frozen=True)
class PartChanges:
    """The changes of all parts, from the measures of each run by condition and replicate."""

    found: MeasuredRuns
    measured: Mapping[tuple[int, int], Measured]
    kinds: tuple[Kind, ...]

    @cached_property
    def changes(self) -> list[Change]:
        """The main effects on every measure of every part.

        Within each measure, those that are shown come first, and the largest of these.
        """
        effects = {
            (kind, part, one): self._effects(values)
            for kind in self.kinds
            for one in MEASURES[kind]
            for part, values in self._values(kind, one.column).items()
        }
        p = {(key, n): e.p for key, (_, of) in effects.items() for n, e in enumerate(of)}
        corrected = correct_by_false_discovery(p)
        changes = [
            Change(*key[:2], key[2], self._before(values, effect), effect, self._is_shown(
                corrected[key, n], effect, values))
            for key, (values, of) in effects.items()
            for n, effect in enumerate(of)
        ]  # fmt: skip
        order = [one for kind in self.kinds for one in MEASURES[kind]]
        return sorted(
            changes,
            key=lambda c: (order.index(c.measure), not c.is_shown, -abs(c.effect.effect)),
        )

    def _values(self, kind: Kind, column: str) -> dict[str, Numbers]:
        """Return the values of each part, as an array with shape (condition, replicate)."""
        shape = (len(self.found.coded), self.found.repeats)
        values: dict[str, Numbers] = {}
        for place, measured in self.measured.items():
            for part, value in measured.get(kind, {}).get(column, {}).items():
                of = values.setdefault(part, np.full(shape, np.nan))
                of[place] = math.nan if value is None else value
        return values

    def _effects(self, values: Numbers) -> tuple[Numbers, list[Effect]]:
        names = [factor.name for factor in self.found.factors]
        distinct = values[:, :1] if self.found.same else values
        compute = partial(model_effects, sampled=self.found.sampled)
        effects = (paired_effects if self.found.has_pairs else compute)(
            names, self.found.coded, distinct
        )
        main = [e for e in effects if len(e.factors) == 1 and np.isfinite(e.effect)]
        return distinct, main

    def _before(self, values: Numbers, effect: Effect) -> float:
        """Return the mean over the conditions with the level from which an effect is the change."""
        place = [factor.name for factor in self.found.factors].index(effect.factors[0])
        rows = self.found.coded[:, place] == effect.steps[0][0]
        return float(np.nanmean(values[rows])) if np.isfinite(values[rows]).any() else math.nan

    def _is_shown(self, p: float, effect: Effect, values: Numbers) -> bool:
        if self.found.same:
            return abs(effect.effect) > ROUNDING * float(np.nanmax(np.abs(values), initial=0.0))
        return p < WEAK_P

    def of(self, kind: Kind) -> list[Change]:
        """Return the changes of links, or of pairs."""
        return [change for change in self.changes if change.kind == kind]

    def sentences(self) -> Iterator[str]:
        """Say, for each step of a factor, how many parts change, in which measures, and most."""
        for step in dict.fromkeys(map(self._step, self.changes)):
            of_step = [change for change in self.changes if self._step(change) == step]
            yield self._count(step, of_step)
            unchanged: dict[Kind, list[str]] = {}
            for kind, one in self._by_shown(of_step):
                changes = [change for change in of_step if change.measure == one]
                shown = [change for change in changes if change.is_shown]
                if not shown:
                    unchanged.setdefault(kind, []).append(one.title)
                    continue
                most = "most on " * (len(shown) > 1) + shown[0].part
                everyone = len({change.part for change in of_step if change.kind == kind})
                busy = " with traffic" * (len(changes) < everyone)
                yield (
                    f"From {step}, the {one.title} changes on {len(shown)} of the"
                    f" {len(changes)} {kind}{busy}, {most}: {_write_change(shown[0])}."
                )
            for kind, titles in unchanged.items():
                listed = " and ".join(filter(None, [", ".join(titles[:-1]), titles[-1]]))
                yield f"From {step}, no change of {listed} is shown on any of the {kind}."

    def _by_shown(self, changes: Sequence[Change]) -> list[tuple[Kind, PartMeasure]]:
        """Order the measures by the number of parts on which a change is shown."""
        shown = Counter(change.measure for change in changes if change.is_shown)
        known = dict.fromkeys((change.kind, change.measure) for change in changes)
        return sorted(known, key=lambda item: -shown[item[1]])

    def _count(self, step: str, of_step: Sequence[Change]) -> str:
        """Count the parts of each kind that change in one measure or more."""
        counts = []
        for kind in self.kinds:
            changes = [change for change in of_step if change.kind == kind]
            parts = {change.part for change in changes}
            shown = {change.part for change in changes if change.is_shown}
            counts.append(f"{len(shown)} of the {len(parts)} {kind}")
        return f"From {step}, {' and '.join(counts)} are shown to change."

    def _step(self, change: Change) -> str:
        first, last = self.found.ends(change.effect)
        return f"{change.effect.factors[0]} {first} to {last}"

    def table(self) -> Table:
        """Return a row for each main effect on a measure of a part."""
        of, ends = self.changes, [self.found.ends(change.effect) for change in self.changes]
        return Table("parts", {
            "kind": Words.of([one.kind for one in of]),
            "part": Words.of([one.part for one in of]),
            "measure": Words.of([one.measure.column for one in of]),
            "unit": Words.of([one.measure.unit for one in of]),
            "factor": Words.of([one.effect.factors[0] for one in of]),
            "from": Words.of([end[0] for end in ends]),
            "to": Words.of([end[1] for end in ends]),
            "before": np.array([one.before for one in of], float),
            "effect": np.array([one.effect.effect for one in of], float),
            "low": np.array([one.effect.interval[0] for one in of], float),
            "high": np.array([one.effect.interval[1] for one in of], float),
            "replicates": np.array([one.effect.replicates for one in of], int),
            "p": np.array([one.effect.p for one in of], float),
            "shown": np.array([one.is_shown for one in of], int),
        })  # fmt: skip

    def listings(self) -> Iterator[Listing]:
        """Return a table of the changes that are shown, for each kind of part."""
        columns = ("part", "measure", "change", "before", "after", "change in %")
        for kind in self.kinds:
            shown = [change for change in self.of(kind) if change.is_shown]
            rows = [
                (one.part, one.measure.title, self._step(one), *_write_ends(one), _percent(one))
                for one in shown[:MOST_ROWS]
            ]
            more = f" The first {MOST_ROWS} of {len(shown)}." if len(shown) > MOST_ROWS else ""
            caption = (
                f"Main effects on single {kind} that are shown after a correction for all parts,"
                f" measures and factors; within a measure, the largest come first.{more}"
                " parts.parquet contains all, with intervals."
            )
            yield Listing(f"{kind.capitalize()} that change", caption, columns, rows)

    def pictures(self) -> Iterator[Picture]:
        """Draw the changes of each measure of links and pairs with intervals, the largest first."""
        from headgate.figures.plots.effects import EffectInterval, effect_intervals

        for kind, one in self._by_shown(self.changes):
            changes = [c for c in self.of(kind) if c.measure == one and c.effect.effect]
            changes = sorted(changes, key=lambda c: -abs(c.effect.effect))[:MOST_BARS]
            if not changes:
                continue
            factor, unit = _readable(one, max(abs(c.effect.effect) for c in changes))
            unit = "percentage points" if unit == "%" else unit
            several = len({self._step(change) for change in changes}) > 1
            bars = [
                EffectInterval(
                    f"{c.part}, {self._step(c)}" if several else c.part,
                    c.effect.effect * factor, low * factor, high * factor, c.is_shown,
                )
                for c in changes
                for low, high in [c.effect.interval]
            ]  # fmt: skip
            ends = "" if several else f" from {self._step(changes[0])}"
            label = f"change of {one.title}{ends}"
            yield Picture(
                f"{kind}-{one.column}", f"{kind.capitalize()}: {one.title}",
                f"The {kind} with the largest changes, with 95 % intervals; filled dots are"
                " shown after a correction for all parts, measures and factors.",
                effect_intervals(bars, f"{label} ({unit})", LEGEND),
            )  # fmt: skip


def find_changes(found: MeasuredRuns, of: Definition, runs: Runs) -> PartChanges | None:
    """Return the changes of links and pairs, if the experiment's file asks for them."""
    if not (kinds := of.file.parts):
        return None
    measured = {
        (c, k): read_parts(result, kinds)
        for c, condition in enumerate(of.conditions)
        for k, seed in enumerate(runs.setup.seeds)
        if (result := runs.results.get((*condition.labels.values(), seed))) is not None
    }
    return PartChanges(found, measured, kinds)


def _write_ends(change: Change) -> tuple[str, str]:
    after = change.before + change.effect.effect
    factor, unit = _readable(change.measure, max(abs(change.before), abs(after)))
    before, now = (
        f"{format_figure(value * factor)} {unit}".strip() for value in (change.before, after)
    )
    return before, now


def _readable(measure: PartMeasure, largest: float) -> tuple[float, str]:
    """Return a readable unit of a measure, and the factor to convert its figures; shares in %."""
    return (100.0, "%") if measure.unit == "1" else readable(measure.unit, largest)


def _write_change(change: Change) -> str:
    before, after = _write_ends(change)
    if change.measure.unit != "1":
        return f"{before} to {after} ({_percent(change)})"
    points = format_figure(100 * change.effect.effect, "+", 3)
    return f"{before} to {after} ({points} percentage points)"


def _percent(change: Change) -> str:
    return f"{100 * change.share:+.3g} %" if math.isfinite(change.share) else "from 0"
