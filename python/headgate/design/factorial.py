"""Two-level factorial designs, full and fractional, with their aliases.

Generators define a fraction, as in Box, Hunter and Hunter (2005, chapter 6): `X6 = X1 X2 X3 X4 X5`
makes the 32 runs of the 2^(6-1) design of resolution VI. Runs are in Yates order: the first factor
changes fastest. A foldover repeats the runs with reversed signs. Reversing all signs separates main
effects from two-factor interactions, so resolution III becomes IV; reversing one factor separates
that factor and its interactions.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import HeadgateError
from headgate.design.factor import Factor, make_scenarios, write_settings
from headgate.design.fraction import Fraction
from headgate.stats.two_level import EffectCorrelations

if TYPE_CHECKING:
    from headgate.engine.api import Scenario

SIGNS = {-1: "\N{MINUS SIGN}", 0: "0", 1: "+"}
#: Limits the memory for a design.
MOST_RUNS = 2**20


@dataclass(frozen=True)
class Design:
    """A design: a row for each run and a column for each factor, from -1 (low) to +1 (high)."""

    factors: tuple[Factor, ...]
    matrix: NDArray[Any]
    fraction: Fraction | None = None
    """The algebra of the aliases, if the design is a two-level one made by generators."""
    crossed: int = 0
    """The number of factors, the last ones, whose combinations every run of the design meets."""
    indices: NDArray[np.intp] | None = None
    """The runs of each trajectory (Morris) or sample (Saltelli); None for other designs."""

    @property
    def own_factors(self) -> tuple[Factor, ...]:
        """The factors except the crossed ones."""
        return self.factors[: len(self.factors) - self.crossed]

    @cached_property
    def words(self) -> tuple[frozenset[str], ...]:
        """The defining words as sets of factors, the shortest first."""
        words = () if self.fraction is None else self.fraction.words
        names = [f.name for f in self.factors]
        return tuple(frozenset(names[i] for i in word.effect) for word in words)

    @property
    def resolution(self) -> int | None:
        """The length of the shortest defining word; None for a full design."""
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
        """Return the settings of one run by their paths in the scenario."""
        return write_settings(self.factors, self.matrix[run].tolist())

    def scenarios(self, base: "Scenario") -> "list[Scenario]":
        """Return `base` with the settings of each run. Raises ScenarioError."""
        settings = [self.settings(run) for run in range(len(self))]
        return make_scenarios(self.factors, settings, base)

    def label(self, run: int) -> str:
        """Return the coded levels of one run as text, `X1- X2+ ...`."""
        levels = zip(self.factors, self.matrix[run].tolist(), strict=True)
        return " ".join(f.name + (SIGNS.get(coded) or f"{coded:+.4g}") for f, coded in levels)

    def column(self, name: str) -> NDArray[Any]:
        """Return the coded column of a factor."""
        return self.matrix[:, [f.name for f in self.factors].index(name)]

    def correlate_effects(self) -> EffectCorrelations:
        """Return the |correlations| of main effects and two-factor interactions."""
        count = len(self.factors)
        effects = tuple((i,) for i in range(count)) + tuple(combinations(range(count), 2))
        columns = np.array([self.matrix[:, e].prod(axis=1) for e in effects], dtype=float)
        centred = columns - columns.mean(axis=1, keepdims=True)
        sizes = np.sqrt((centred**2).sum(axis=1))
        scaled = centred / np.where(sizes > 0, sizes, 1)[:, None]
        values = np.abs(scaled @ scaled.T).round(12)
        return EffectCorrelations(tuple(f.name for f in self.factors), effects, values)

    def __len__(self) -> int:
        return len(self.matrix)


def make_factorial(
    factors: Sequence[Factor], generators: Mapping[str, str] | None = None
) -> Design:
    """Make a two-level design of `factors`.

    `generators` maps a factor to the factors whose product it is, separated by spaces; a leading
    minus sign reverses it. Without generators the design is full: 2^k runs for k factors.
    """
    names = [f.name for f in factors]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise HeadgateError(f"two factors are called {twice!r}; each needs a different name")
    rules = {
        name: _parse_generator(name, text, factors) for name, text in (generators or {}).items()
    }
    basic = [f.name for f in factors if f.name not in rules]
    places = {name: (1 << place, 1) for place, name in enumerate(basic)}
    for name, (sign, parents) in rules.items():
        places[name] = _multiply(name, sign, [(parent, places.get(parent)) for parent in parents])
    points, signs = zip(*(places[f.name] for f in factors), strict=True) if factors else ((), ())
    return make_regular(
        factors, Fraction(tuple(f.name for f in factors), points, signs, len(basic))
    )


def make_grid(factors: Sequence[Factor]) -> Design:
    """Make the design of all combinations of levels; the first factor changes fastest."""
    sizes = [len(factor.levels) or 2 for factor in factors]
    if math.prod(sizes) > MOST_RUNS:
        raise HeadgateError(
            f"{' x '.join(map(str, sizes))} levels make {math.prod(sizes):,} runs; "
            f"at most {MOST_RUNS:,} are possible"
        )
    coded = [np.linspace(-1, 1, size) for size in reversed(sizes)]
    return Design(tuple(factors), np.array([row[::-1] for row in product(*coded)]))


def cross(design: Design, factors: Sequence[Factor]) -> Design:
    """Return every run of a design with every combination of the levels of other factors.

    The aliases among the factors of the design stay as they are.
    """
    if not factors:
        return design
    added = make_grid(factors).matrix
    if len(design) * len(added) > MOST_RUNS:
        raise HeadgateError(
            f"{len(design):,} runs of the design and {len(added):,} crossed combinations make"
            f" {len(design) * len(added):,} runs; at most {MOST_RUNS:,} are possible"
        )
    matrix = np.hstack([np.repeat(design.matrix, len(added), 0), np.tile(added, (len(design), 1))])
    return Design((*design.factors, *factors), matrix, design.fraction, len(factors))


def make_regular(factors: Sequence[Factor], fraction: Fraction) -> Design:
    """Make the design of a fraction, with runs in Yates order of the basic columns."""
    if 1 << fraction.basic > MOST_RUNS:
        raise HeadgateError(
            f"{len(factors)} factors with {len(factors) - fraction.basic} generators make "
            f"2^{fraction.basic} runs; at most {MOST_RUNS} are possible, so give more generators"
        )
    rows = [signs[::-1] for signs in product((-1, 1), repeat=fraction.basic)]
    basic = np.array(rows, dtype=np.int8).reshape(1 << fraction.basic, fraction.basic)
    matrix = np.empty((len(basic), len(factors)), dtype=np.int8)
    for place, (point, sign) in enumerate(zip(fraction.points, fraction.signs, strict=True)):
        taken = [i for i in range(fraction.basic) if point >> i & 1]
        matrix[:, place] = sign * basic[:, taken].prod(axis=1)
    return Design(tuple(factors), matrix, fraction)


def fold_over(design: Design, factors: Sequence[str] = ()) -> Design:
    """Return the runs of a fraction, followed by the same runs with `factors` (or all) reversed.

    The half is one more basic column, which multiplies the reversed factors. The algebra of both
    halves together follows from it.
    """
    fraction = design.fraction
    if fraction is None:
        raise HeadgateError("a foldover needs a two-level design that is made by generators")
    unknown = [name for name in factors if name not in fraction.names]
    if unknown:
        raise HeadgateError(
            f"foldover: {unknown[0]!r} is not a factor; the factors are {', '.join(fraction.names)}"
        )
    reversed_ = [not factors or name in factors for name in fraction.names]
    half = 1 << fraction.basic
    # The new column is -1 in the first half, whose signs do not change.
    both = Fraction(
        fraction.names,
        tuple(p | half if r else p for p, r in zip(fraction.points, reversed_, strict=True)),
        tuple(-s if r else s for s, r in zip(fraction.signs, reversed_, strict=True)),
        fraction.basic + 1,
    )
    return make_regular(design.factors, both)


def reject_repeated_runs(design: Design, factors: Sequence[str] = ()) -> None:
    """Raise HeadgateError if a foldover would only repeat the runs of the design.

    This is so if every defining word contains an even number of reversed factors, and for a full
    design, which lacks words.
    """
    fraction = design.fraction
    if fraction is None or not set(factors) <= set(fraction.names):
        return  # `fold_over` raises
    words = fraction.generating_words
    reversed_ = [not factors or name in factors for name in fraction.names]
    if any(sum(reversed_[place] for place in word.effect) % 2 for word in words):
        return
    repeats = (
        f"foldover on {', '.join(factors) or 'all factors'} repeats the same {len(design)} runs"
    )
    if not words:
        raise HeadgateError(f"{repeats}, since the design is full; ask for replicates")
    raise HeadgateError(
        f"{repeats}, since every defining word has an even number of reversed factors; reverse one"
        f' factor, such as foldover = ["{fraction.names[0]}"], to separate it, or ask for'
        " replicates"
    )


def _multiply(
    name: str, sign: int, parents: Sequence[tuple[str, tuple[int, int] | None]]
) -> tuple[int, int]:
    point = 0
    for parent, factor in parents:
        if factor is None:
            raise HeadgateError(
                f"generator {name}: {parent} is itself generated later; reorder them"
            )
        point, sign = point ^ factor[0], sign * factor[1]
    return point, sign


def _parse_generator(
    name: str, text: str, factors: Sequence[Factor]
) -> tuple[int, tuple[str, ...]]:
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
