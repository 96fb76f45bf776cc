"""Random experiments of every kind with a special analysis, whose true means are polynomials.

Surfaces are quadratic as their model. Screening and sensitivity designs have few terms. No run is
simulated: each contains the numbers that a measured run stores.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate import Experiment
from headgate.experiment.responses import Response
from headgate.experiment.runs import Runs
from headgate.stats.terms import Term, TermModel

from .experiments import BASE, RESPONSES, make_runs

Numbers = NDArray[np.float64]
KINDS = (
    "central-composite", "box-behnken", "d-optimal", "definitive-screening", "morris", "saltelli",
)  # fmt: skip
SURFACES = KINDS[:3]
FACTORS: dict[str, dict[str, Any]] = {
    "network.rtt": {"low": "10 ms", "high": "100 ms"},
    "network.buffer": {"low": "0.5 BDP", "high": "2 BDP"},
    "network.loss": {"low": 0.0, "high": 0.01},
    "network.rate": {"low": "5 Mbit/s", "high": "50 Mbit/s"},
    "duration": {"low": "2 s", "high": "4 s"},
}
COUNTS = {"box-behnken": (3, 5), "definitive-screening": (4, 6), "d-optimal": (2, 4)}


@dataclass
class PlantedDesign:
    """An experiment, and of each response the coefficients of its terms and the noise of a run."""

    kind: str
    experiment: Experiment
    truth: dict[str, dict[Term, float]] = field(default_factory=dict)
    values: dict[str, Numbers] = field(default_factory=dict)
    drifts: set[int] = field(default_factory=set)
    same: bool = False

    @property
    def responses(self) -> tuple[Response, ...]:
        return self.experiment.definition.responses

    @property
    def names(self) -> list[str]:
        return [factor.name for factor in self.experiment.definition.made.design.factors]

    def mean(self, response: str, coded: Numbers) -> Numbers:
        """Return the true means at coded points."""
        terms = self.truth[response]
        columns = TermModel(tuple(terms)).expand(coded)
        return np.asarray(columns @ np.array([*terms.values()]))

    def is_flat(self, response: str) -> bool:
        return not any(size for term, size in self.truth[response].items() if term)

    def total_indices(self, response: str) -> Numbers:
        """Return first and total Sobol indices, of shape (2, factor), over uniform levels.

        The variances of x, x^2 and of a product are 1/3, 4/45 and 1/9, without correlations.
        """
        shares = {
            term: size**2 * (1 / 3 if len(term) == 1 else 4 / 45 if term[0] == term[1] else 1 / 9)
            for term, size in self.truth[response].items()
            if term
        }
        whole = sum(shares.values())
        found = np.zeros((2, len(self.names)))
        for term, share in shares.items():
            for place in set(term):
                found[1, place] += share / whole
                found[0, place] += share / whole * (len(set(term)) == 1)
        return found


def plant_design(seed: int) -> tuple[PlantedDesign, Runs]:
    """Return the experiment of a seed, and its runs."""
    rng = np.random.default_rng([36, seed])
    kind = KINDS[seed % len(KINDS)]
    least, most = COUNTS.get(kind, (2, 4))
    names = rng.permutation(list(FACTORS))[: int(rng.integers(least, min(most, 5) + 1))].tolist()
    keys: dict[str, Any] = {"kind": kind}
    if kind == "central-composite":
        keys["shape"] = str(rng.choice(["inscribed", "faced"]))
    elif kind == "d-optimal":
        count = len(names)
        least_runs = 1 + 2 * count + count * (count - 1) // 2
        keys["runs"] = min(least_runs + int(rng.integers(3, 8)), 3**count)
    elif kind == "morris":
        keys["trajectories"] = int(rng.integers(6, 16))
    elif kind == "saltelli":
        keys["samples"] = int(rng.choice([32, 64]))
    chosen = rng.permutation(len(RESPONSES))[: int(rng.integers(1, 3))]
    responses = [list(RESPONSES.values())[place][0] for place in sorted(chosen.tolist())]
    experiment = Experiment(
        BASE, {name: FACTORS[name] for name in names},
        replicates=int(rng.choice([1, 2, 3, 5])), responses=responses, **keys,
    )  # fmt: skip
    made = PlantedDesign(kind, experiment)
    for one in made.responses:
        _plant_response(rng, made, one.name)
    return made, make_runs(rng, made)


def _add_peak(rng: np.random.Generator, terms: dict[Term, float], size: float, count: int) -> None:
    """Add a peak inside the region: minus a (x - p)^2 for each factor, larger than the rest."""
    for place in range(count):
        height = size * rng.uniform(0.3, 0.8)
        peak = rng.uniform(-0.5, 0.5) / np.sqrt(count)
        terms[place,] = terms.get((place,), 0.0) / 5 + 2 * height * peak
        terms[place, place] = terms.get((place, place), 0.0) / 5 - height
        terms[()] -= height * peak**2


def _plant_response(rng: np.random.Generator, made: PlantedDesign, name: str) -> None:
    size, count = RESPONSES[name][1], len(made.names)
    terms: dict[Term, float] = {(): size}
    flat = rng.random() < 0.2 and made.kind != "saltelli"
    dense = made.kind in SURFACES
    for term in [(i,) for i in range(count)]:
        if not flat and (dense or rng.random() < 0.7):
            terms[term] = size * rng.normal() * rng.choice([0.02, 0.1])
    second = [*combinations(range(count), 2), *((i, i) for i in range(count))]
    for term in second:
        if not flat and (dense or rng.random() < 0.15):
            terms[term] = size * rng.normal() * rng.choice([0.02, 0.08])
    if dense and not flat and rng.random() < 0.5:
        better = next(one.better for one in made.responses if one.name == name)
        _add_peak(rng, terms, size * (-1 if better == "lower" else 1), count)
    if not flat and len(terms) == 1:
        terms[0,] = 0.1 * size
    made.truth[name] = terms
    coded = np.array([one.coded for one in made.experiment.definition.conditions], float)
    replicates = len(made.experiment.definition.setup.seeds)
    noise = size * rng.choice([0.003, 0.01, 0.03])
    traffic = size * rng.choice([0.0, 0.05]) * rng.normal(size=replicates)
    errors = noise * rng.normal(size=(len(coded), replicates))
    made.values[name] = made.mean(name, coded)[:, None] + traffic + errors
