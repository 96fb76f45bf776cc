"""The order of factor levels in all figures, tables and sentences of an experiment."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from headgate.base.units import sizes


@dataclass(frozen=True)
class LevelOrder:
    """The levels of each factor in the order of the experiment's file; algorithms are a factor."""

    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def sort(self, factor: str, found: Iterable[str]) -> list[str]:
        """Sort levels as the experiment lists them; those of others by size, else as text."""
        names = list(dict.fromkeys(found))
        if factor not in self.levels:
            known = sizes(names)
            return (
                sorted(names)
                if known is None
                else [name for _, name in sorted(zip(known, names, strict=True))]
            )
        place = {name: at for at, name in enumerate(self.levels[factor])}
        return sorted(names, key=lambda name: place.get(name, math.inf))

    def places(self, conditions: Sequence[Mapping[str, Any]]) -> list[tuple[int, ...]]:
        """Return sort keys of conditions in the order of a design: first factor fastest."""
        factors = list(dict.fromkeys(name for one in conditions for name in one))
        texts = {f: [level_text(one[f]) if f in one else "" for one in conditions] for f in factors}
        order = {f: self.sort(f, texts[f]) for f in factors}
        columns = [[order[f].index(text) for text in texts[f]] for f in reversed(factors)]
        return list(zip(*columns, strict=True)) if columns else [()] * len(conditions)


def level_text(level: Any) -> str:
    """Return a level as text, numbers without trailing zeros."""
    if isinstance(level, float | np.floating):
        return np.format_float_positional(level, trim="-")
    return str(level)
