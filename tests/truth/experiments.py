"""Random experiments with known means: designs, CCAs, directions, replicates that share traffic.

No run is simulated. Each run contains the numbers that a measured run stores beside its tables, so
that everything behind the simulation is the program's own: conditions, analysis, claims, report.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from headgate import Experiment
from headgate.base.level_order import level_text
from headgate.engine.api import Result
from headgate.experiment.conditions import label_levels
from headgate.experiment.responses import BATCHES as BATCHES_KEY
from headgate.experiment.responses import FIGURES, MEASURED, Response
from headgate.experiment.runs import Key, Runs
from headgate.stats.drift import BATCHES

Numbers = NDArray[np.float64]
CCA = "cca"
SHAPES = ("grid", "grid with a hole", "half of a grid", "two-level", "sample")
BASE = {
    "duration": "2 s",
    "network": {"kind": "dumbbell", "rate": "4 Mbit/s", "rtt": "20 ms", "buffer": "1 BDP"},
    "traffic": [{"kind": "flows", "cca": "reno", "count": 2}],
}
CCAS = ("reno", "cubic", "bbr", "vegas")
#: Factors with their levels, of which the first two or three are taken.
FACTORS: dict[str, tuple[Any, ...]] = {
    "network.rtt": ("10 ms", "40 ms", "100 ms"),
    "network.rate": ("5 Mbit/s", "50 Mbit/s", "1 Gbit/s"),
    "network.buffer": ("0.5 BDP", "1 BDP", "2 BDP"),
    "traffic.0.count": (1, 4, 16),
}
#: Responses: the measured quantity, about how large it is, and its unit.
RESPONSES: dict[str, tuple[Any, float]] = {
    "goodput_bps": ("goodput_bps", 4.2e6),
    "mean_queue_packets": ("mean_queue_packets", 51.0),
    "avg_mean_rtt_s": ("avg(flows.mean_rtt_s)", 0.043),
    "swing": ({"name": "swing", "sql": "SELECT count(*) FROM flows", "unit": "1"}, 7.0),
}
#: A condition has fewer replicates than the others, or a response no number, in this share of runs.
MISSING = 0.03
#: Effects lower a mean by this part of it at most.
MOST_DOWN = 0.7


class PlantedRuns(Protocol):
    """The part of a planted experiment from which its runs are made."""

    experiment: Experiment
    values: dict[str, Numbers]
    drifts: set[int]
    same: bool


@dataclass
class Truth:
    """The planted values: of each response the mean of every condition, without noise.

    `mains` are the deviations at the levels of a factor, by response and factor, `pairs` those of
    each combination of two factors, by response. `noise` is the deviation of one run, but for the
    traffic that all runs of a replicate share. `drifts` are conditions whose busiest link drifts.
    """

    shape: str
    experiment: Experiment
    means: dict[str, Numbers] = field(default_factory=dict)
    values: dict[str, Numbers] = field(default_factory=dict)
    mains: dict[tuple[str, str], Numbers] = field(default_factory=dict)
    pairs: dict[str, tuple[str, str, Numbers]] = field(default_factory=dict)
    noise: dict[str, float] = field(default_factory=dict)
    drifts: set[int] = field(default_factory=set)
    same: bool = False

    @property
    def responses(self) -> tuple[Response, ...]:
        return self.experiment.definition.responses

    @cached_property
    def labels(self) -> list[dict[str, str]]:
        """The level of every factor, condition by condition, as tables have it."""
        return [
            {name: level_text(level) for name, level in one.labels.items()}
            for one in self.experiment.definition.conditions
        ]

    @property
    def factors(self) -> list[str]:
        return list(self.labels[0])

    @property
    def replicates(self) -> int:
        return len(self.experiment.definition.setup.seeds)

    @property
    def has_gaps(self) -> bool:
        return any(np.isnan(of).any() for of in self.values.values())

    @cached_property
    def levels(self) -> dict[str, list[str]]:
        """The levels of each factor in the order of the file; of a sampled one its two ends."""
        factors = self.experiment.definition.made.design.factors
        codes = [np.unique(column) for column in self.coded.T]
        if self.shape == "sample":
            codes = [np.array([-1.0, 1.0])] * len(factors)
        return {
            factor.name: [level_text(one) for one in label_levels(factor, of)]
            for factor, of in zip(factors, codes, strict=True)
        }

    @cached_property
    def coded(self) -> Numbers:
        return np.array([one.coded for one in self.experiment.definition.conditions], float)

    def describe(self, condition: int) -> str:
        return ", ".join(f"{name} {level}" for name, level in self.labels[condition].items())

    def describe_row(self, row: Mapping[str, Any]) -> str:
        """Return the condition of a row of a table in words."""
        return ", ".join(f"{name} {level_text(row[name])}" for name in self.factors)

    def find(self, description: str) -> int:
        """Return the condition that is described like this."""
        return [self.describe(c) for c in range(len(self.labels))].index(description)

    def mean_at(self, response: str, row: Mapping[str, Any]) -> float:
        """Return the mean of the condition with the levels of a row."""
        wanted = {name: level_text(row[name]) for name in self.factors}
        return float(self.means[response][self.labels.index(wanted)])

    def changes(self, response: str, factor: str, first: str, last: str) -> list[float]:
        """Return the true changes between two levels under all conditions equal but for these.

        Without such conditions they are those at each level of the factor that it interacts with.
        """
        found = []
        for c, row in enumerate(self.labels):
            partner = {**row, factor: last}
            if row[factor] == first and partner in self.labels:
                other = self.labels.index(partner)
                found.append(self.means[response][other] - self.means[response][c])
        return found or self._planted_changes(response, factor, first, last)

    def _planted_changes(self, response: str, factor: str, first: str, last: str) -> list[float]:
        names = self.levels[factor]
        ends = names.index(first), names.index(last)
        main = self.mains.get((response, factor), np.zeros(len(names)))
        change = main[ends[1]] - main[ends[0]]
        a, b, cells = self.pairs.get(response, ("", "", np.zeros((1, 1))))
        if factor not in {a, b}:
            return [float(change)]
        by_level = cells if factor == a else cells.T
        return (change + by_level[ends[1]] - by_level[ends[0]]).tolist()

    def change(self, response: str, factor: str, first: str, last: str) -> float:
        """Return the true change between two levels, on average."""
        return float(np.mean(self.changes(response, factor, first, last)))

    def error(self, response: str, factor: str, first: str, last: str) -> float:
        """Return the standard error of a main effect of a grid; 0 of other designs."""
        if not self.shape.startswith("grid"):
            return 0.0
        pairs = len(self.changes(response, factor, first, last))
        return float(self.noise[response] * np.sqrt(2 / (pairs * self.replicates)))

    def largest(self, response: str) -> float:
        return float(np.abs(self.means[response]).max())

    def has_effect(self, response: str, factor: str) -> bool:
        """Say whether a response depends on a factor in any way."""
        pair = self.pairs.get(response, ("", ""))
        return (response, factor) in self.mains or factor in pair[:2]

    def size(self, response: str, factor: str) -> float:
        """Return how far a factor moves a response between the levels farthest from the first."""
        first, *others = self.levels[factor]
        changes = [self.changes(response, factor, first, last) for last in others]
        if self.shape.startswith("grid"):
            return max(float(np.mean(np.abs(of))) for of in changes)
        return max(abs(float(np.mean(of))) for of in changes)

    def ratios(self, response: str, before: str, cca: str) -> Numbers:
        """Return the true ratio of two algorithms, condition by condition."""
        means = self.means[response]
        found = []
        for c, row in enumerate(self.labels):
            partner = {**row, CCA: cca}
            if row[CCA] == before and partner in self.labels:
                found.append(means[self.labels.index(partner)] / means[c])
        return np.array(found)


def plant(seed: int) -> tuple[Truth, Runs]:
    """Return the experiment of a seed, and its runs."""
    rng = np.random.default_rng([35, seed])
    shape = SHAPES[seed % len(SHAPES)]
    made = Truth(shape, _design(rng, shape))
    made.same = made.replicates > 1 and rng.random() < 0.06
    for name, (_, size) in RESPONSES.items():
        if name in made.experiment.definition.file.responses:
            plant_response(rng, made, name, size)
    if rng.random() < 0.3:
        count = len(made.labels)
        made.drifts = set(rng.choice(count, int(rng.integers(1, 5)), replace=False).tolist())
    return made, make_runs(rng, made)


def _design(rng: np.random.Generator, shape: str) -> Experiment:
    names = rng.permutation(list(FACTORS)).tolist()
    count = int(rng.integers(1, 4)) if shape == "grid" else 3
    two = shape in ("two-level", "half of a grid", "sample")
    factors: dict[str, Any] = {
        name: list(FACTORS[name][: 2 if two else int(rng.integers(2, 4))]) for name in names[:count]
    }
    ccas = rng.permutation(CCAS)[: 2 if shape == "two-level" else int(rng.integers(2, 5))].tolist()
    if shape != "sample" and rng.random() < 0.85:
        factors = {**factors, CCA: ccas} if rng.random() < 0.5 else {CCA: ccas, **factors}
    keys: dict[str, Any] = {}
    if shape == "grid with a hole":
        last = [name for name in factors if name != CCA][:2]
        keys["where"] = " OR ".join(
            f"{name.rpartition('.')[2]} <> {_sql(factors[name][-1])}" for name in last
        )
    elif shape == "half of a grid":
        high = [name for name in factors if name != CCA]
        signs = [f"({n.rpartition('.')[2]} = {_sql(factors[n][1])})::int" for n in high]
        keys["where"] = f"({' + '.join(signs)}) % 2 = 0"
    elif shape == "two-level":
        keys |= {"kind": "two-level", "design": f"2^({len(factors)}-1)"}
    elif shape == "sample":
        factors = {
            "network.rtt": {"low": "10 ms", "high": "100 ms"},
            "network.buffer": {"low": "0.5 BDP", "high": "2 BDP"},
            "network.loss": {"low": 0.0, "high": 0.01},
        }
        factors = dict(list(factors.items())[: int(rng.integers(2, 4))])
        keys |= {"kind": "latin-hypercube", "runs": int(rng.integers(12, 25))}
    chosen = sorted(rng.choice(len(RESPONSES), int(rng.integers(1, 5)), replace=False).tolist())
    responses = [list(RESPONSES.values())[place][0] for place in chosen]
    replicates = int(rng.choice([1, 2, 3, 5, 8], p=[0.2, 0.1, 0.3, 0.25, 0.15]))
    return Experiment(BASE, factors, replicates=replicates, responses=responses, **keys)


def _sql(level: Any) -> str:
    return f"'{level}'" if isinstance(level, str) else str(level)


def plant_response(rng: np.random.Generator, made: Truth, name: str, size: float) -> None:
    """Plant main effects, at most one interaction, and noise, as parts of the mean."""
    mains = {
        factor: rng.choice([0.03, 0.1, 0.3]) * _deviations(rng, len(levels))
        for factor, levels in made.levels.items()
        if rng.random() < 0.5
    }
    pair: tuple[str, str, Numbers] | None = None
    if len(made.factors) > 1 and rng.random() < 0.4:
        a, b = rng.choice(made.factors, 2, replace=False).tolist()
        cells = rng.normal(size=(len(made.levels[a]), len(made.levels[b])))
        cells -= cells.mean(axis=0)
        cells -= cells.mean(axis=1, keepdims=True)
        pair = a, b, rng.choice([0.05, 0.2, 0.4]) * cells
    parts = np.sum([np.zeros(len(made.coded)), *_parts(made, mains, pair)], axis=0)
    scale = size * min(1.0, MOST_DOWN / max(MOST_DOWN, -float(parts.min())))
    made.means[name] = size + scale * parts
    made.mains |= {(name, factor): scale * of for factor, of in mains.items()}
    if pair is not None:
        made.pairs[name] = (*pair[:2], scale * pair[2])
    made.noise[name] = size * rng.choice([0.005, 0.02, 0.06])
    shape = (len(made.coded), 1 if made.same else made.replicates)
    traffic = size * rng.normal(size=shape[1]) * rng.choice([0.0, 0.02, 0.05])
    values = made.means[name][:, None] + traffic + made.noise[name] * rng.normal(size=shape)
    if made.same:
        made.means[name], made.values[name] = values[:, 0], np.repeat(values, made.replicates, 1)
        return
    made.values[name] = np.maximum(values, 0.01 * size)
    if rng.random() < 0.15:
        made.values[name][rng.random(shape) < MISSING] = np.nan


def _deviations(rng: np.random.Generator, count: int) -> Numbers:
    steps = rng.normal(size=count)
    return np.asarray(steps - steps.mean())


def _parts(
    made: Truth, mains: Mapping[str, Numbers], pair: tuple[str, str, Numbers] | None
) -> Iterator[Numbers]:
    """Yield what each term adds under every condition."""
    weights = {name: _weights(made, place) for place, name in enumerate(made.factors)}
    for name, of in mains.items():
        yield weights[name] @ of
    if pair is not None:
        a, b, cells = pair
        yield np.einsum("ci,ij,cj->c", weights[a], cells, weights[b])


def _weights(made: Truth, place: int) -> Numbers:
    """Return how much each condition has of every level; of a sampled factor, of its two ends."""
    column = made.coded[:, place]
    if made.shape == "sample":
        return np.column_stack([(1 - column) / 2, (1 + column) / 2])
    return np.asarray(column[:, None] == np.unique(column)[None, :], dtype=float)


def make_runs(rng: np.random.Generator, made: PlantedRuns) -> Runs:
    definition = made.experiment.definition
    setup = definition.setup
    results: dict[Key, Result] = {}
    rows = [one.labels for one in definition.conditions]
    for (c, row), (k, seed) in product(enumerate(rows), enumerate(setup.seeds)):
        values = {one.name: made.values[one.name][c, k] for one in definition.responses}
        figures = {name: None if np.isnan(x) else float(x) for name, x in values.items()}
        meta = {
            "digest": f"{c}" if made.same else f"{c} {k}",
            "cpu_s": 1.0, "packet_hops": 1000, "labels": {**row, "seed": seed}, "warnings": [],
            MEASURED: {one.key: figures[one.name] for one in definition.responses},
            FIGURES: figures,
            BATCHES_KEY: _batches(rng, drifts=c in made.drifts),
        }  # fmt: skip
        results[*row.values(), seed] = made.experiment.trim(Result({}, meta))
    return Runs(setup, results)


def _batches(rng: np.random.Generator, *, drifts: bool) -> dict[str, list[float]]:
    noise = rng.normal(size=BATCHES)
    trend = np.linspace(-1, 1, BATCHES) if drifts else np.zeros(BATCHES)
    return {
        "queue_packets": (50 + 20 * trend + noise).tolist(),
        "throughput_bps": (4e6 * (1 + 0.01 * noise)).tolist(),
    }
