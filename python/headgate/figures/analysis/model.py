"""The model of one response: the effect of each factor, and its uncertainty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.figures.analysis.designs import ChosenDesign, choose_design
from headgate.figures.analysis.frame import Levels
from headgate.stats.effects import (
    UNKNOWN,
    AliasedInteractions,
    Estimate,
    FactorEffect,
    Interaction,
    LevelMean,
)
from headgate.stats.factorial import Factorial
from headgate.stats.intervals import LEVEL, Numbers, compute_student_quantile


@dataclass(frozen=True, eq=False)
class LevelMeans:
    """Means at all levels of a factor; `fixed` are levels of one other factor.

    `alone` is the factor itself if its interactions are taken to be zero. The means get no
    intervals unless they are `sure`: if the model may lack terms that move them.
    """

    fit: Factorial
    name: str
    alone: str = ""
    fixed: Mapping[str, int] = field(default_factory=dict)
    sure: bool = True

    @property
    def count(self) -> int:
        """The number of levels."""
        return self.fit.design.counts[self.name]

    @property
    def known(self) -> bool:
        """Whether the model gives every mean."""
        return len(self.known_places) == self.count

    @property
    def known_places(self) -> list[int]:
        """The levels whose mean the model gives."""
        return [place for place, one in enumerate(self._found) if np.isfinite(one.value)]

    @cached_property
    def _found(self) -> tuple[Estimate, ...]:
        return tuple(
            self.fit.estimate_level_mean(self._at(place), alone=self.alone)
            for place in range(self.count)
        )

    def _at(self, place: int) -> dict[str, int]:
        return {self.name: place, **self.fixed}

    @property
    def runs(self) -> list[int]:
        """The number of runs at each level; of a straight line at both ends."""
        line = self.fit.design.lines.get(self.name)
        if line is not None:
            return [int((line == end).sum()) for end in (line.min(), line.max())]
        places = self.fit.design.places[self.name]
        return [int((places == place).sum()) for place in range(self.count)]

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The mean at each level."""
        return tuple(map(self._hide, self._found))

    def change(self, first: int, last: int) -> Estimate:
        """Return the change of the mean from one level to another."""
        return self._hide(self._change(first, last))

    def _change(self, first: int, last: int) -> Estimate:
        return self.fit.estimate_difference(self._at(first), self._at(last), alone=self.alone)

    def _hide(self, found: Estimate) -> Estimate:
        """Remove the interval of an uncertain estimate."""
        return found if self.sure else replace(UNKNOWN, value=found.value)

    def extreme(self, way: int) -> list[int]:
        """Return the levels that may have the highest (1) or lowest (-1) mean, that one first.

        These are levels whose mean is known, or all if no mean is.

        Each is compared with the first at 5 %, one-sided and corrected for the number of levels
        (Gupta's subset by Bonferroni), so the true extreme is among them in 95 % of cases. Two
        levels are compared as their interval compares them.
        """
        places = self.known_places or list(range(self.count))
        order = sorted(places, key=lambda place: -way * self._found[place].value)
        return [place for place in order if self._may_be_extreme(order[0], place)]

    def _may_be_extreme(self, first: int, place: int) -> bool:
        if first == place:
            return True
        found = self._change(first, place)
        if not np.isfinite(found.error):
            return True
        tail = (1 - LEVEL) / (2 if self.count == 2 else self.count - 1)
        critical = compute_student_quantile(1 - tail, found.freedom)
        return abs(found.value) <= critical * found.error


#: A factor may interact if the least p of its interactions is below this over their number
#: (Bancroft 1964 advises 0.25 for such choices).
MAY_BE = 0.25


@dataclass(frozen=True, eq=False)
class Factorials:
    """Levels of factors in some rows; designs are chosen once for all responses with these rows.

    Unless `straight`, the effect of every factor is a mean at each level.
    """

    levels: Mapping[str, Levels]
    rows: NDArray[np.intp]
    blocks: NDArray[np.int64] | None = None
    additive: bool = False
    straight: bool = True
    _chosen: dict[bytes, ChosenDesign] = field(default_factory=dict)

    def fit(self, values: Numbers) -> ResponseModel:
        """Fit the model to a response, given in all rows of the table."""
        own = values[self.rows]
        known = np.isfinite(own)
        for levels in self.levels.values():
            known &= levels.places[self.rows] >= 0
        key = known.tobytes()
        if key not in self._chosen:
            self._chosen[key] = choose_design(
                self.levels,
                self.rows[known],
                self.blocks,
                additive=self.additive,
                straight=self.straight,
            )
        return ResponseModel(self._chosen[key], own[known], self.levels, len(own))


@dataclass(frozen=True, eq=False)
class ResponseModel:
    """A response fitted to the design that its rows allow; `rows` of the table were given."""

    chosen: ChosenDesign
    values: Numbers
    levels: Mapping[str, Levels]
    rows: int

    @cached_property
    def fitted(self) -> Factorial | None:
        """The fit; None if no factor varies."""
        return None if self.chosen.design is None else Factorial(self.chosen.design, self.values)

    @cached_property
    def _additive(self) -> Factorial | None:
        """The fit of the main effects alone, for means that the whole model cannot give."""
        design = self.chosen.design
        if design is None or not design.interactions:
            return self.fitted
        plain = replace(design, interactions=False)
        return Factorial(plain, self.values)

    @property
    def runs(self) -> int:
        """The number of rows that the fit uses."""
        return len(self.values)

    @property
    def error_freedom(self) -> int:
        """Degrees of freedom of the error."""
        return max(self.fitted.error_freedom, 0) if self.fitted else 0

    @property
    def has_error(self) -> bool:
        """Whether any error can be estimated."""
        return self.error_freedom > 0

    @cached_property
    def interactions(self) -> tuple[Interaction, ...]:
        """The tests of all interactions that the design separates from the other terms."""
        if self.fitted is None:
            return ()
        found = [term for term in self.fitted.terms.values() if len(term.factors) > 1]
        return tuple(
            Interaction((t.factors[0], t.factors[1]), t.freedom, t.f_ratio, t.p, t.error_freedom)
            for t in found
        )

    @cached_property
    def aliased(self) -> tuple[AliasedInteractions, ...]:
        """The joint tests of interactions that the design cannot separate from each other."""
        tests = {} if self.fitted is None else self.fitted.aliased
        return tuple(
            AliasedInteractions(of, t.freedom, t.f_ratio, t.p, t.error_freedom)
            for of, t in tests.items()
        )

    @cached_property
    def untested_pairs(self) -> tuple[tuple[str, str], ...]:
        """The pairs of factors whose interaction no test covers, as levels never occur together."""
        return tuple(pair for pair in self.incomplete_pairs if not self._is_tested(pair))

    @cached_property
    def incomplete_pairs(self) -> tuple[tuple[str, str], ...]:
        """The pairs of factors of which some combinations of levels were not run."""
        design = self.chosen.design
        if design is None or not design.interactions:
            return ()
        return tuple(pair for pair in combinations(design.places, 2) if design.count_empty(*pair))

    def _is_tested(self, pair: tuple[str, str]) -> bool:
        assert self.fitted is not None
        return pair in self.fitted.terms or any(pair in one.terms for one in self.aliased)

    @cached_property
    def effects(self) -> dict[str, FactorEffect]:
        """The effect of each factor."""
        return {name: self._effect(name) for name in self.levels}

    def _effect(self, name: str) -> FactorEffect:
        if name in self.chosen.fixed or self.fitted is None:
            return FactorEffect(name)
        twins = self._twins(name)
        first = self.chosen.same_as.get(name, name)
        confounded = " and ".join(twins) or self.chosen.confounders[name]
        found = self.effect_of(first, confounded)
        return found if name == first else self._rename(found, name)

    def _rename(self, found: FactorEffect, name: str) -> FactorEffect:
        """Return the means of a factor under the level names of its twin."""
        called = dict(
            zip((one.level for one in found.levels), self.chosen.names[name], strict=True)
        )
        order = self.levels[name].names
        levels = [replace(one, level=called[one.level]) for one in found.levels]
        return FactorEffect(
            name,
            tuple(sorted(levels, key=lambda one: order.index(one.level))),
            self.levels[name].ordered,
            confounded=found.confounded,
        )

    @cached_property
    def joint(self) -> dict[tuple[str, ...], FactorEffect]:
        """The effect of factors that always change together, by their names."""
        found = {}
        for first in dict.fromkeys(self.chosen.same_as.values()):
            names = (first, *(name for name, of in self.chosen.same_as.items() if of == first))
            effect = self.effect_of(first, self.chosen.confounders[first])
            found[names] = replace(effect, factor=" or ".join(names))
        return found

    def compute_levels_p(self, name: str) -> float:
        """Return the p of the means at all levels of a factor that is on a straight line.

        NaN if the levels of the others determine its own, or if no run is left for the error.
        """
        design = self.chosen.with_levels.get(name)
        if design is None or not design.width < design.runs or not design.is_feasible:
            return nan
        term = Factorial(design, self.values).terms.get((name,))
        return nan if term is None else term.p

    def _twins(self, name: str) -> list[str]:
        """Return the factors that always change together with this one."""
        same = self.chosen.same_as
        first = same.get(name, name)
        return [n for n in (first, *(n for n in same if same[n] == first)) if n != name]

    def effect_of(self, name: str, confounded: str = "") -> FactorEffect:
        """Return the effect of a factor of the design, and the test unless it is confounded."""
        assert self.fitted is not None
        term = self.fitted.terms.get((name,))
        tested: dict[str, Any] = {"error_freedom": self.error_freedom}
        tested = tested if term is None or confounded else {
            "freedom": term.freedom, "f_ratio": term.f_ratio, "p": term.p,
            "equal_weights_p": self.fitted.compute_equal_weights_p(name),
            "error_freedom": term.error_freedom,
        }  # fmt: skip
        others = [one for one in self.interactions if name in one.factors]
        p_others = [one.p for one in others]
        p_others += [one.p for one in self.aliased if name in one.factors]
        may_interact = any(p < MAY_BE / len(p_others) for p in p_others)
        sure = not confounded and not self.chosen.assumes_additive
        sure &= not any(name in pair for pair in self.untested_pairs)
        means = self.means(name, alone="" if may_interact else name, sure=sure)
        names, ordered = self.chosen.names[name], self.levels[name].ordered
        levels = tuple(
            LevelMean(level, runs, one.value, one.low, one.high)
            for level, runs, one in zip(names, means.runs, means.estimates, strict=True)
        )
        return FactorEffect(
            name, levels, ordered,
            effect=means.change(0, len(names) - 1) if ordered or len(names) == 2 else UNKNOWN,
            highest=tuple(names[place] for place in means.extreme(1)),
            lowest=tuple(names[place] for place in means.extreme(-1)),
            interacts=tuple(o for i in others if i.stars for o in i.factors if o != name),
            may_interact=may_interact,
            is_line=name in self.fitted.design.lines, confounded=confounded, **tested,
        )  # fmt: skip

    def change(self, effect: FactorEffect, first: int, last: int) -> Estimate:
        """Return the change between two levels as the means of an effect have it."""
        name = effect.factor
        sure = effect.has_interval
        return self.means(name, alone="" if effect.may_interact else name, sure=sure).change(
            first, last
        )

    def means_within(self, name: str, other: str, place: int) -> LevelMeans:
        """Return the means at the levels of a factor at one level of another; some are unknown."""
        assert self.fitted is not None
        return LevelMeans(self.fitted, name, fixed={other: place})

    def means(
        self,
        name: str,
        *,
        alone: str = "",
        fixed: Mapping[str, int] | None = None,
        sure: bool = True,
    ) -> LevelMeans:
        """Return the means at the levels of a factor.

        If combinations of levels are missing, they are those of the main effects, without
        intervals.
        """
        assert self.fitted is not None
        found = LevelMeans(self.fitted, name, alone, fixed or {}, sure)
        if found.known or self._additive is None:
            return found
        return LevelMeans(self._additive, name, sure=False)
