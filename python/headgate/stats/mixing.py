"""How far effects are mixed in a design."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Effect = tuple[int, ...]
"""An effect by the places of its factors: `(0,)` is the first one's, `(0, 2)` an interaction."""


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
