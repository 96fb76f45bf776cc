"""Two-level factorial designs, full and fractional, with their aliases.

A fraction is given by generators, as in Box, Hunter and Hunter (2005, chapter 6): `X6 = X1 X2 X3 X4
X5` makes the 32 runs of the 2^(6-1) design of resolution VI. Runs are in Yates order: the first
factor changes fastest.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.errors import HeadgateError

Word = frozenset[str]
SIGNS = {-1: "\N{MINUS SIGN}", 1: "+"}


@dataclass(frozen=True)
class Factor:
    """A factor with its two levels, in the words of the scenario that takes them."""

    name: str
    title: str
    setting: str
    low: Any
    high: Any

    def level(self, sign: int) -> Any:
        """Return the level that the coded value -1 or +1 stands for."""
        return self.high if sign > 0 else self.low


@dataclass(frozen=True)
class Design:
    """A two-level design: one row a run, one column a factor, coded -1 and +1."""

    factors: tuple[Factor, ...]
    matrix: NDArray[np.int8]
    words: tuple[Word, ...] = field(default=())

    @property
    def resolution(self) -> int | None:
        """The length of the shortest defining word; a full design has none."""
        return min((len(word) for word in self.words), default=None)

    def aliases(self, name: str, order: int = 2) -> list[str]:
        """Return the effects of at most `order` factors that cannot be told from `name`."""
        own = frozenset(name.split())
        found = (own ^ word for word in self.words)
        return sorted(" ".join(sorted(other)) for other in found if 0 < len(other) <= order)

    def settings(self, run: int) -> dict[str, Any]:
        """Return the settings of one run, by the scenario's own names."""
        signs = self.matrix[run]
        return {f.setting: f.level(int(s)) for f, s in zip(self.factors, signs, strict=True)}

    def label(self, run: int) -> str:
        """Return the coded levels of one run as text, `X1- X2+ ...`."""
        signs = self.matrix[run]
        return " ".join(f.name + SIGNS[int(s)] for f, s in zip(self.factors, signs, strict=True))

    def column(self, name: str) -> NDArray[np.int8]:
        """Return the coded column of a factor."""
        return self.matrix[:, [f.name for f in self.factors].index(name)]

    def __len__(self) -> int:
        return len(self.matrix)


def factorial(factors: Sequence[Factor], generators: Mapping[str, str] | None = None) -> Design:
    """Make the design of `factors`; those named in `generators` are products of the others.

    `generators` maps a factor to the factors whose product it is, separated by spaces; a leading
    minus sign reverses it. Without generators the design is full: 2^k runs, one without factors.
    """
    rules = {name: _parse(name, text, factors) for name, text in (generators or {}).items()}
    basic = [f.name for f in factors if f.name not in rules]
    columns = dict(zip(basic, _yates(len(basic)).T, strict=True))
    for name, (sign, parents) in rules.items():
        columns[name] = sign * np.prod([_basic(columns, name, p) for p in parents], axis=0)
    rows = [columns[f.name] for f in factors]
    matrix = np.array(rows, dtype=np.int8).T if rows else _yates(0)
    words = [frozenset((name, *parents)) for name, (_, parents) in rules.items()]
    return Design(tuple(factors), matrix, tuple(_group(words)))


def _yates(count: int) -> NDArray[np.int8]:
    rows = [signs[::-1] for signs in product((-1, 1), repeat=count)]
    return np.array(rows, dtype=np.int8).reshape(2**count, count)


def _parse(name: str, text: str, factors: Sequence[Factor]) -> tuple[int, tuple[str, ...]]:
    known = {f.name for f in factors}
    parents = tuple(text.removeprefix("-").split())
    unknown = [word for word in (name, *parents) if word not in known]
    if unknown or not parents:
        raise HeadgateError(
            f"generator {name} = {text!r}: {unknown[0] if unknown else 'nothing'} is not a factor;"
            f" the factors are {', '.join(sorted(known))}"
        )
    return (-1 if text.startswith("-") else 1), parents


def _basic(columns: Mapping[str, NDArray[np.int8]], name: str, parent: str) -> NDArray[np.int8]:
    if parent not in columns:
        raise HeadgateError(f"generator {name}: {parent} is itself generated later; reorder them")
    return columns[parent]


def _group(words: Sequence[Word]) -> list[Word]:
    """Return the defining contrast subgroup: every product of the generating words."""
    chosen = (subset for size in range(1, len(words) + 1) for subset in combinations(words, size))
    products = (reduce(lambda a, b: a ^ b, subset) for subset in chosen)
    return sorted(products, key=lambda word: (len(word), sorted(word)))
