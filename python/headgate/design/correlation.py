"""How far effects are mixed in a design: correlations of their columns."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from headgate.design.factorial import Design
from headgate.design.fraction import Effect


@dataclass(frozen=True)
class Mixing:
    """The |correlation| of every two effects of up to two factors: 0 clear, 1 the same column."""

    names: tuple[str, ...]
    effects: tuple[Effect, ...]
    values: NDArray[np.float64]

    @property
    def main(self) -> int:
        """How many of the effects, the first ones, are main effects."""
        return sum(len(effect) == 1 for effect in self.effects)

    def text(self, effect: Effect) -> str:
        """Write an effect as its factors."""
        between = "" if all(len(name) == 1 for name in self.names) else "\N{MULTIPLICATION SIGN}"
        return between.join(self.names[i] for i in effect)


def mixing(design: Design) -> Mixing:
    """Return the correlations of main effects and two-factor interactions."""
    count = len(design.factors)
    effects = tuple((i,) for i in range(count)) + tuple(combinations(range(count), 2))
    columns = np.array([design.matrix[:, e].prod(axis=1) for e in effects], dtype=float)
    centred = columns - columns.mean(axis=1, keepdims=True)
    sizes = np.sqrt((centred**2).sum(axis=1))
    scaled = centred / np.where(sizes > 0, sizes, 1)[:, None]
    values = np.abs(scaled @ scaled.T).round(12)
    return Mixing(tuple(f.name for f in design.factors), effects, values)
