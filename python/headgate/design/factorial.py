"""Two-level factorial designs, full and fractional, with their aliases.

A fraction is given by generators, as in Box, Hunter and Hunter (2005, chapter 6): `X6 = X1 X2 X3 X4
X5` makes the 32 runs of the 2^(6-1) design of resolution VI. Runs are in Yates order: the first
factor changes fastest.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import HeadgateError
from headgate.design.factor import Factor
from headgate.design.fraction import Fraction

if TYPE_CHECKING:
    from headgate.engine.api import Scenario

SIGNS = {-1: "\N{MINUS SIGN}", 0: "0", 1: "+"}
#: Runs are held in memory, and nobody makes more of them than this.
MOST_RUNS = 2**20


@dataclass(frozen=True)
class Design:
    """A design: one row a run, one column a factor, coded from -1 (low) to +1 (high)."""

    factors: tuple[Factor, ...]
    matrix: NDArray[Any]
    fraction: Fraction | None = None
    """The algebra of its aliases, where it is a two-level design made by generators."""

    @cached_property
    def words(self) -> tuple[frozenset[str], ...]:
        """The defining words as sets of factors, the shortest first."""
        words = () if self.fraction is None else self.fraction.words
        names = [f.name for f in self.factors]
        return tuple(frozenset(names[i] for i in word.effect) for word in words)

    @property
    def resolution(self) -> int | None:
        """The length of the shortest defining word; a full design has none."""
        return None if self.fraction is None else self.fraction.resolution

    def aliases(self, name: str, order: int = 2) -> list[str]:
        """Return the effects of at most `order` factors that are aliased with `name`."""
        if self.fraction is None:
            return []
        places = {f.name: place for place, f in enumerate(self.factors)}
        effect = tuple(sorted(places[word] for word in name.split()))
        found = self.fraction.aliases(effect, order)
        return [self.fraction.text(other, sign) for other, sign in found]

    def settings(self, run: int) -> dict[str, Any]:
        """Return the settings of one run, by the scenario's own names."""
        levels = zip(self.factors, self.matrix[run].tolist(), strict=True)
        return {factor.setting: factor.level(coded) for factor, coded in levels}

    def scenarios(self, base: "Scenario") -> "list[Scenario]":
        """Return one scenario a run: `base` with the settings of that run. Raises ScenarioError."""
        from headgate.design.scenarios import scenarios

        settings = [self.settings(run) for run in range(len(self))]
        return scenarios(self.factors, settings, base)

    def label(self, run: int) -> str:
        """Return the coded levels of one run as text, `X1- X2+ ...`."""
        levels = zip(self.factors, self.matrix[run].tolist(), strict=True)
        return " ".join(f.name + (SIGNS.get(coded) or f"{coded:+.4g}") for f, coded in levels)

    def column(self, name: str) -> NDArray[Any]:
        """Return the coded column of a factor."""
        return self.matrix[:, [f.name for f in self.factors].index(name)]

    def __len__(self) -> int:
        return len(self.matrix)


def make_factorial(
    factors: Sequence[Factor], generators: Mapping[str, str] | None = None
) -> Design:
    """Make the design of `factors`; those named in `generators` are products of the others.

    `generators` maps a factor to the factors whose product it is, separated by spaces; a leading
    minus sign reverses it. Without generators the design is full: 2^k runs, one without factors.
    """
    names = [f.name for f in factors]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise HeadgateError(f"two factors are called {twice!r}; each has a name of its own")
    rules = {name: _parse(name, text, factors) for name, text in (generators or {}).items()}
    basic = [f.name for f in factors if f.name not in rules]
    places = {name: (1 << place, 1) for place, name in enumerate(basic)}
    for name, (sign, parents) in rules.items():
        places[name] = _product(sign, [_make_generator(places, name, parent) for parent in parents])
    points, signs = zip(*(places[f.name] for f in factors), strict=True) if factors else ((), ())
    return regular(factors, Fraction(tuple(f.name for f in factors), points, signs, len(basic)))


def grid(factors: Sequence[Factor]) -> Design:
    """Make every combination of all levels; the first factor changes fastest."""
    sizes = [len(factor.levels) or 2 for factor in factors]
    if math.prod(sizes) > MOST_RUNS:
        raise HeadgateError(
            f"{' x '.join(map(str, sizes))} levels make {math.prod(sizes):,} runs; "
            f"at most {MOST_RUNS:,} are possible"
        )
    coded = [np.linspace(-1, 1, size) for size in reversed(sizes)]
    return Design(tuple(factors), np.array([row[::-1] for row in product(*coded)]))


def regular(factors: Sequence[Factor], fraction: Fraction) -> Design:
    """Make the design of a fraction, its runs in Yates order of the basic columns."""
    if 1 << fraction.basic > MOST_RUNS:
        raise HeadgateError(
            f"{len(factors)} factors with {len(factors) - fraction.basic} generators make "
            f"2^{fraction.basic} runs; at most {MOST_RUNS} are possible, so give more generators"
        )
    basic = yates(fraction.basic)
    matrix = np.empty((len(basic), len(factors)), dtype=np.int8)
    for place, (point, sign) in enumerate(zip(fraction.points, fraction.signs, strict=True)):
        taken = [i for i in range(fraction.basic) if point >> i & 1]
        matrix[:, place] = sign * basic[:, taken].prod(axis=1)
    return Design(tuple(factors), matrix, fraction)


def yates(count: int) -> NDArray[np.int8]:
    """Return the full design of `count` columns in Yates order."""
    rows = [signs[::-1] for signs in product((-1, 1), repeat=count)]
    return np.array(rows, dtype=np.int8).reshape(2**count, count)


def _product(sign: int, parts: Sequence[tuple[int, int]]) -> tuple[int, int]:
    point = 0
    for other, other_sign in parts:
        point, sign = point ^ other, sign * other_sign
    return point, sign


def _parse(name: str, text: str, factors: Sequence[Factor]) -> tuple[int, tuple[str, ...]]:
    known = [f.name for f in factors]
    parents = tuple(text.strip().removeprefix("-").removeprefix("+").split())
    if len(parents) == 1 and parents[0] not in known and set(parents[0]) <= set(known):
        parents = tuple(parents[0])
    unknown = [word for word in (name, *parents) if word not in known]
    if unknown or not parents:
        raise HeadgateError(
            f"generator {name} = {text!r}: {unknown[0] if unknown else 'nothing'} is not a factor;"
            f" the factors are {', '.join(known)}"
        )
    return (-1 if text.strip().startswith("-") else 1), parents


def _make_generator(
    places: Mapping[str, tuple[int, int]], name: str, parent: str
) -> tuple[int, int]:
    if parent not in places:
        raise HeadgateError(f"generator {name}: {parent} is itself generated later; reorder them")
    return places[parent]
