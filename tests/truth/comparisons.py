"""Random experiments that compare algorithms, with known means in each of three periods.

A fraction or a screening design of two-level factors is crossed with algorithms, in some with
shares of users who switch. Effects differ between periods, so that a value of another period in a
sentence is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from headgate import Experiment
from headgate.engine.api import Result
from headgate.experiment.responses import BATCHES as BATCHES_KEY
from headgate.experiment.responses import FIGURES, MEASURED
from headgate.experiment.runs import Key, Runs

from . import experiments
from .experiments import CCA, CCAS, Numbers, Truth

DESIGNS: tuple[Mapping[str, Any], ...] = (
    {"design": "2^(4-1)"}, {"design": "2^(5-2)"}, {"design": "2^(5-1)"},
    {"kind": "plackett-burman"}, {"design": "2^3"},
)  # fmt: skip
#: Factors with two levels, of which a design takes the first ones.
FACTORS: dict[str, tuple[Any, Any]] = {
    "network.rtt": ("10 ms", "100 ms"),
    "network.rate": ("5 Mbit/s", "50 Mbit/s"),
    "network.buffer": ("0.5 BDP", "2 BDP"),
    "traffic.0.users": (4, 16),
    "network.loss": (0.0, 0.01),
}
COUNTS = (4, 5, 5, 5, 3)
PERIODS = ("quiet", "crowded", "quiet again")
BASE = {
    "duration": "4 s",
    "network": {"kind": "dumbbell", "rate": "4 Mbit/s", "rtt": "20 ms", "buffer": "1 BDP"},
    "traffic": [{"kind": "web", "cca": "reno", "users": 4, "think": "1 s", "size": "9 packets"}],
    "measure": {"warmup": "1 s", "periods": 3, "flows": "none", "series": "none"},
}
#: Responses: name, direction, about how large it is; `crowding` orders the conditions.
RESPONSES: dict[str, tuple[str, float]] = {
    "crowding": ("lower", 0.02), "speed": ("higher", 300.0), "wait": ("lower", 0.04),
    "done": ("higher", 25.0), "window": ("", 12.0),
}  # fmt: skip


@dataclass
class Compared(Truth):
    """The planted values of the period in the middle; `others` are those of the other periods."""

    others: dict[int, Truth] = field(default_factory=dict)

    def true_ratios(self, response: str, before: str, cca: str) -> dict[str, float]:
        """Return the true ratio of two algorithms, by the label of the condition."""
        names = [name for name in self.factors if name != CCA]
        labels = [
            " ".join(row[name] for name in names) for row in self.labels if row[CCA] == before
        ]
        return dict(zip(labels, self.ratios(response, before, cca).tolist(), strict=True))


def plant(seed: int) -> tuple[Compared, Runs]:
    """Return the experiment of a seed, and its runs."""
    rng = np.random.default_rng([36, seed])
    made = Compared("crossed", _design(rng, seed))
    made.others = {number: Truth("crossed", made.experiment) for number in (1, 3)}
    for one in (made, *made.others.values()):
        for name, (_, size) in RESPONSES.items():
            experiments.plant_response(rng, one, name, size)
            if rng.random() < 0.35:
                _reverse(rng, one, name, size)
    return made, _runs(made)


def _design(rng: np.random.Generator, seed: int) -> Experiment:
    place = seed % len(DESIGNS)
    names = rng.permutation(list(FACTORS))[: COUNTS[place]].tolist()
    ccas = rng.permutation(CCAS)[: int(rng.integers(2, 5))].tolist()
    keys: dict[str, Any] = dict(DESIGNS[place])
    if rng.random() < 0.3:
        keys["switched"] = [0.5] if rng.random() < 0.5 else [0.25, 1.0]
    if rng.random() < 0.6:
        keys["congestion"] = "crowding"
    responses = [
        {"name": name, "sql": f"SELECT count(*) + {n} FROM classes", "unit": "1", "better": better}
        for n, (name, (better, _)) in enumerate(RESPONSES.items())
    ]
    return Experiment(
        BASE, {name: list(FACTORS[name]) for name in names}, responses=responses,
        replicates=int(rng.choice([2, 3, 5])), crossed={CCA: ccas}, before=str(rng.choice(ccas)),
        periods=PERIODS, questions={"recovery": ["crowding", "wait"], "safety": ["wait", "done"]},
        **keys,
    )  # fmt: skip


def _reverse(rng: np.random.Generator, made: Truth, name: str, size: float) -> None:
    """Add an effect of one algorithm that changes its sign with a factor of the design."""
    factor = str(rng.choice([one for one in made.factors if one != CCA]))
    changed = int(rng.integers(len(made.levels[CCA])))
    cells = np.zeros((len(made.levels[CCA]), 2))
    cells[changed] = rng.choice([-1, 1]) * np.array([1.0, -1.0])
    step = 0.4 * size * (cells - cells.mean(axis=0))
    a, b, planted = made.pairs.get(name, (CCA, factor, np.zeros(cells.shape)))
    if (a, b) != (CCA, factor):
        return
    made.pairs[name] = (CCA, factor, planted + step)
    ccas = [made.levels[CCA].index(row[CCA]) for row in made.labels]
    levels = [made.levels[factor].index(row[factor]) for row in made.labels]
    change = step[ccas, levels]
    made.means[name] = made.means[name] + change
    made.values[name] = made.values[name] + change[:, None]


def _runs(made: Compared) -> Runs:
    definition = made.experiment.definition
    setup = definition.setup
    by_period: dict[int, dict[str, Numbers]] = {2: made.values}
    by_period |= {number: one.values for number, one in made.others.items()}
    results: dict[Key, Result] = {}
    rows = [one.labels for one in definition.conditions]
    for (c, row), (k, seed) in product(enumerate(rows), enumerate(setup.seeds)):
        known = {one.key: by_period[one.period][one.name][c, k] for one in definition.asked}
        values = {key: None if np.isnan(x) else float(x) for key, x in known.items()}
        meta = {
            "digest": f"{c} {k}", "cpu_s": 1.0, "packet_hops": 1000,
            "labels": {**row, "seed": seed}, "warnings": [], MEASURED: values, FIGURES: {},
            BATCHES_KEY: {},
        }  # fmt: skip
        results[*row.values(), seed] = made.experiment.trim(Result({}, meta))
    return Runs(setup, results)
