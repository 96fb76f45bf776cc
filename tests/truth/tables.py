"""Tables of factors with a known truth: random designs, levels, labels, effects and gaps.

Noise is normal with a deviation of one. An effect is planted as deviations of the levels, whose sum
is zero; an interaction has zero sums over each of its two factors.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from headgate.figures.analysis.roles import Roles

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]
MOST_ROWS = 240
#: The mean of the response if nothing is planted.
CENTRE = 20.0
SHAPES = ("balanced", "unbalanced", "fraction", "one run each", "with holes")
CCAS = ("cubic", "bbr3", "reno", "vegas")
#: Labels of nominal factors, the awkward ones among them.
WORDS = (
    ("6.1", "6.10", "6.6", "6.12", "6.18", "5.15"),
    ("NA", "EU", "AS", "SA", "AF", "OC"),
    ("cubic", "reno", "bbr3", "htcp", "vegas", "westwood"),
    tuple(f"s{11400714819323198485 + k}" for k in range(6)),
    ("Low", "low", "mid", "MID", "high", "High"),
)


@dataclass
class Planted:
    """One table, and what is planted in it.

    `mains` holds the deviation at each level, `pairs` those of each combination of two factors.
    `copies` are columns that repeat another factor, `aliases` products of two others, `empty` cells
    without a level. `spreads` are the standard deviations of runs at the levels of a factor, if
    they differ. `cca` is the factor that is the column of algorithms, `before` the one that the
    others take the place of.
    """

    shape: str
    places: dict[str, Places]
    labels: dict[str, tuple[str, ...]]
    ordered: dict[str, bool]
    replicates: int
    mains: dict[str, Numbers] = field(default_factory=dict)
    pairs: dict[tuple[str, str], Numbers] = field(default_factory=dict)
    copies: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, tuple[str, str]] = field(default_factory=dict)
    at_three: set[str] = field(default_factory=set)
    spreads: dict[str, Numbers] = field(default_factory=dict)
    seeds: list[str] = field(default_factory=list)
    y: list[str] = field(default_factory=list)
    cca: str = ""
    before: str = ""
    empty: set[tuple[str, int]] = field(default_factory=set)

    @property
    def factors(self) -> list[str]:
        return list(self.places)

    @property
    def roles(self) -> Roles:
        """Return the roles of the columns, as passed to the command."""
        return Roles(
            responses=("y",),
            factors=tuple(name for name in self.factors if name != self.cca),
            cca=self.cca or None,
            before=self.before or None,
            replicate="seed" if self.seeds else None,
        )

    @property
    def rows(self) -> int:
        return len(next(iter(self.places.values())))

    def main(self, name: str) -> Numbers:
        """Return the planted deviations of a factor, zero if it has none."""
        return self.mains.get(name, np.zeros(len(self.labels[name])))

    def at(self, name: str, level: str, other: str = "", other_level: str = "") -> float:
        """Return the deviation at a level of a factor, with another at one of its levels."""
        place = self.labels[name].index(level)
        found = float(self.main(name)[place])
        if other:
            beside = self.labels[other].index(other_level)
            found += float(self.main(other)[beside])
            if (name, other) in self.pairs:
                found += float(self.pairs[name, other][place, beside])
            elif (other, name) in self.pairs:
                found += float(self.pairs[other, name][beside, place])
        return found

    def columns(self) -> dict[str, list[str]]:
        found = {
            name: [
                "" if (name, row) in self.empty else self.labels[name][place]
                for row, place in enumerate(places)
            ]
            for name, places in self.places.items()
        }
        seeds = {"seed": self.seeds} if self.seeds else {}
        return {**found, **seeds, "y": self.y}

    def write(self, path: Path) -> Path:
        columns = self.columns()
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(zip(*columns.values(), strict=True))
        return path


def plant(seed: int) -> Planted:
    """Return the table of a seed."""
    rng = np.random.default_rng([34, seed])
    shape = SHAPES[seed % len(SHAPES)]
    made = _design(rng, shape)
    _add_copies(rng, made)
    _name_ccas(rng, made)
    _plant_effects(rng, made)
    _spread(np.random.default_rng([35, seed]), made)
    _measure(rng, made)
    return made


def _name_ccas(rng: np.random.Generator, made: Planted) -> None:
    """Make one of the factors the column of algorithms, as `--cca` names it."""
    own = [n for n in made.factors if len(made.labels[n]) <= len(CCAS) and n not in made.copies]
    if rng.random() < 0.3 and own:
        made.cca = str(rng.choice(own))
        made.labels[made.cca] = CCAS[: len(made.labels[made.cca])]
        made.ordered[made.cca] = False
        made.before = str(rng.choice(made.labels[made.cca]))


def _design(rng: np.random.Generator, shape: str) -> Planted:
    if shape == "fraction":
        matrix, aliases, replicates = _fraction(rng)
        counts = [2] * matrix.shape[1]
    else:
        aliases = {}
        counts = _counts(rng, shape)
        matrix, replicates = _grid(rng, shape, counts)
    names = [f"x{i + 1}" for i in range(len(counts))]
    places = {name: matrix[:, i] for i, name in enumerate(names)}
    ordered, labels = {}, {}
    for i, (name, count) in enumerate(zip(names, counts, strict=True)):
        ordered[name] = bool(rng.random() < 0.5)
        words = WORDS[(i + int(rng.integers(len(WORDS)))) % len(WORDS)]
        sizes = tuple(str(10 * (k + 1)) for k in range(count))
        labels[name] = sizes if ordered[name] else words[:count]
    named = {names[a]: (names[b], names[c]) for a, (b, c) in aliases.items()}
    return Planted(shape, places, labels, ordered, replicates, aliases=named)


def _counts(rng: np.random.Generator, shape: str) -> list[int]:
    """Draw the numbers of levels: as many factors as fit into the rows."""
    wanted = int(rng.integers(2, 9))
    counts: list[int] = []
    while len(counts) < wanted:
        count = int(rng.choice([2, 3, 4, 5, 6], p=[0.5, 0.25, 0.1, 0.1, 0.05]))
        full = int(np.prod([*counts, count]))
        if shape != "unbalanced" and full > MOST_ROWS / 2:
            break
        counts.append(count)
    return counts if len(counts) > 1 else [2, 3]


def _grid(rng: np.random.Generator, shape: str, counts: list[int]) -> tuple[Places, int]:
    if shape == "unbalanced":
        rows = int(rng.integers(60, MOST_ROWS))
        columns = [_uneven(rng, count, rows) for count in counts]
        return np.column_stack(columns), 0
    full = np.array(list(product(*map(range, counts))), dtype=np.int64)
    most = max(2, min(5, MOST_ROWS // len(full)))
    if shape == "with holes":
        full = _without_some(rng, full)
    replicates = 1 if shape == "one run each" else int(rng.integers(2, most + 1))
    return np.repeat(full, replicates, axis=0), replicates


def _without_some(rng: np.random.Generator, full: Places) -> Places:
    """Leave out up to a quarter of the combinations; each level stays in several."""
    for _ in range(int(rng.integers(1, max(2, len(full) // 4)))):
        fewer = np.delete(full, rng.integers(len(full)), axis=0)
        if all(np.bincount(column).min() > 1 for column in fewer.T):
            full = fewer
    return full


def _uneven(rng: np.random.Generator, count: int, rows: int) -> Places:
    """Draw levels of unequal frequency, each of them in several rows."""
    share = rng.dirichlet(np.full(count, 4.0))
    drawn = rng.choice(count, size=rows, p=share)
    drawn[: 3 * count] = np.tile(np.arange(count), 3)
    return np.asarray(rng.permutation(drawn), dtype=np.int64)


def _fraction(
    rng: np.random.Generator,
) -> tuple[Places, dict[int, tuple[int, int]], int]:
    """Return a half or a quarter; in some a factor is the product of two others."""
    base = int(rng.integers(3, 6))
    signs = np.array(list(product((-1, 1), repeat=base)), dtype=np.int64)
    aliases: dict[int, tuple[int, int]] = {}
    if rng.random() < 0.4:
        added = [signs[:, 0] * signs[:, 1]]
        aliases = {base: (0, 1)}
    else:
        added = [signs.prod(axis=1)]
    if base > 3 and rng.random() < 0.4:
        added.append(signs[:, 1:4].prod(axis=1))
    replicates = int(rng.integers(1, 5))
    matrix = np.column_stack([signs, *added])
    return np.repeat((matrix + 1) // 2, replicates, axis=0), aliases, replicates


def _add_copies(rng: np.random.Generator, made: Planted) -> None:
    if rng.random() > 0.1 or len(made.places) > 7:
        return
    of = str(rng.choice(made.factors))
    name = f"x{len(made.places) + 1}"
    made.places[name] = made.places[of]
    made.labels[name] = tuple(f"like {level}" for level in made.labels[of])
    made.ordered[name] = False
    made.copies[name] = of


def _plant_effects(rng: np.random.Generator, made: Planted) -> None:
    own = [name for name in made.factors if name not in made.copies]
    for name in own:
        if rng.random() < 0.5:
            continue
        count = len(made.labels[name])
        step = 3 * np.sqrt(2 * count / made.rows)
        if rng.random() < 0.5:
            made.at_three.add(name)
        else:
            step *= rng.uniform(0.3, 4)
        steps = np.arange(count) * step * rng.choice([-1, 1])
        if not made.ordered[name] or rng.random() < 0.3:
            steps = rng.permutation(steps)
        made.mains[name] = steps - steps.mean()
    if len(own) > 1 and rng.random() < 0.5:
        one, other = sorted(rng.choice(own, 2, replace=False).tolist())
        shape = len(made.labels[one]), len(made.labels[other])
        size = rng.uniform(1, 6) * np.sqrt(2 * max(shape) / made.rows)
        cells = rng.normal(size=shape) * size
        cells -= cells.mean(axis=0)
        made.pairs[one, other] = cells - cells.mean(axis=1, keepdims=True)


def _spread(rng: np.random.Generator, made: Planted) -> None:
    """Let runs at some levels of a factor vary up to six times as much as at others."""
    if rng.random() < 0.6:
        return
    name = str(rng.choice(made.factors))
    sizes = np.geomspace(1, rng.uniform(1.5, 6), len(made.labels[name]))
    sizes = sizes if rng.random() < 0.5 else rng.permutation(sizes)
    made.spreads[name] = sizes / np.sqrt(np.mean(sizes[made.places[name]] ** 2))


def _measure(rng: np.random.Generator, made: Planted) -> None:
    noise = rng.normal(size=made.rows)
    for name, sizes in made.spreads.items():
        noise *= sizes[made.places[name]]
    y = CENTRE + noise
    for name, steps in made.mains.items():
        y += steps[made.places[name]]
    for (one, other), cells in made.pairs.items():
        y += cells[made.places[one], made.places[other]]
    if made.shape == "balanced" and rng.random() < 0.3:
        # The runs of one seed met the same traffic: its effect on y is no error.
        numbers = np.tile(np.arange(made.replicates), made.rows // made.replicates)
        made.seeds = [str(11400714819323198485 + int(k)) for k in numbers]
        y += rng.normal(size=made.replicates)[numbers] * 3
    made.y = [f"{value:.9f}" for value in y]
    if rng.random() < 0.2:
        for row in rng.choice(made.rows, max(1, made.rows // 40), replace=False):
            made.y[row] = "NA"
    if rng.random() < 0.3 and made.shape == "unbalanced":
        name = str(rng.choice(made.factors))
        made.empty = {(name, int(row)) for row in rng.choice(made.rows, 3, replace=False)}
