"""The means of a response at the levels of one factor, and which of them may be the highest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from headgate.stats.factorial import Estimate, Factorial
from headgate.stats.intervals import LEVEL, student_quantile


@dataclass(frozen=True, eq=False)
class LevelMeans:
    """Means at all levels of a factor; `fixed` are levels of one other factor.

    `alone` is the factor itself if its interactions are taken to be zero. The means have no
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
        return all(np.isfinite(one.value) for one in self._found)

    @cached_property
    def _found(self) -> tuple[Estimate, ...]:
        return tuple(
            self.fit.level_mean(self._at(place), alone=self.alone) for place in range(self.count)
        )

    def _at(self, place: int) -> dict[str, int]:
        return {self.name: place, **self.fixed}

    @property
    def runs(self) -> list[int]:
        """The number of runs at each level."""
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
        return self.fit.difference(self._at(first), self._at(last), alone=self.alone)

    def _hide(self, found: Estimate) -> Estimate:
        """Take the interval away from what is not sure."""
        unknown = float("nan")
        return found if self.sure else Estimate(found.value, unknown, unknown, unknown)

    def extreme(self, way: int) -> list[int]:
        """Return the levels that may have the highest (1) or lowest (-1) mean, that one first.

        Each is compared with the first at 5 %, one-sided and corrected for the number of levels
        (Gupta's subset by Bonferroni), so the true extreme is among them in 95 % of cases. Two
        levels are compared as their interval compares them.
        """
        order = np.argsort([-way * one.value for one in self._found], kind="stable").tolist()
        return [place for place in order if self._may_be_extreme(order[0], place)]

    def _may_be_extreme(self, first: int, place: int) -> bool:
        if first == place:
            return True
        found = self._change(first, place)
        if not np.isfinite(found.error):
            return True
        tail = (1 - LEVEL) / (2 if self.count == 2 else self.count - 1)
        critical = student_quantile(1 - tail, self.fit.error_freedom)
        return abs(found.value) <= critical * found.error
