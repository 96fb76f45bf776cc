"""The sentences and tables of a planted design beside the truth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from headgate.design.sensitivity import make_morris
from headgate.experiment.runs import Analysis
from headgate.experiment.tables import MeasuredRuns
from headgate.figures.analysis.roles import Roles
from headgate.figures.analysis.whole import analyse_table
from headgate.stats.effects import WEAK_P
from headgate.stats.sensitivity import MorrisResult, SobolResult, compute_morris
from headgate.stats.surface import Surface

from .designs import SURFACES, PlantedDesign, plant_design
from .rates import Promise, Rates

PROMISED: dict[str, Promise] = {
    "mean at the optimum in a sentence within its interval": (0.95, 1),
    "true place of the optimum within its interval, by factor": (0.93, 1),
    "optimum stated and the surface is flat": (0, 0.05),
    "lack of fit stated and false": (0, 0.02),
    "main effect of a design within its interval": (0.93, 0.97),
    "main effect of a design shown and false": (0, 0.05),
    "direction of a main effect of a design is right": (0.99, 1),
    "second-order terms named and none is there": (0, 0.05),
    "factor with the largest mu* is among those named": (0.95, 1),
    "mu* in a sentence within its interval": (0.93, 1),
    "factor shown above the noise and false": (0, 0.05),
    "factor with the largest total index is among those named": (0.95, 1),
    "total index within its interval": (0.93, 1),
    "first-order index within its interval": (0.93, 1),
    "all comparisons of a table hold together, by Tukey": (0.95, 1),
    "all comparisons of a table hold together, by Dunnett": (0.95, 1),
}
#: Trajectories from which the true mu* is computed.
TRAJECTORIES = 600


@dataclass
class Said:
    """A planted design with its analysis."""

    made: PlantedDesign
    found: MeasuredRuns
    analysis: Analysis

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        return self.analysis.sentences


def look(seed: int) -> Said:
    made, runs = plant_design(seed)
    said = Said(made, made.experiment.measure(runs), made.experiment.analyse(runs))
    # The scenarios of thousands of conditions would take gigabytes.
    del made.experiment.definition.__dict__["conditions"]
    return said


def judge(said: Said, rates: Rates) -> None:
    for response in said.made.responses:
        if said.made.kind in SURFACES:
            _judge_surface(said, response.name, rates)
        elif said.made.kind == "definitive-screening":
            _judge_screening(said, response.name, rates)
        else:
            _judge_sensitivity(said, response.name, rates)


def _judge_surface(said: Said, name: str, rates: Rates) -> None:
    made, fitted = said.made, said.found.surfaces[name]
    _judge_effects(said, name, rates)
    if fitted.surface.freedom < 1:
        return
    is_stated = fitted.p < WEAK_P
    if made.is_flat(name):
        rates.add("optimum stated and the surface is flat", is_stated)
    rates.add("lack of fit stated and false", fitted.lack_of_fit_p < 0.01)
    if not is_stated or made.is_flat(name):
        return
    best = fitted.optimum
    shift = _traffic(said, name)
    true = float(made.mean(name, best.point[None])[0]) + shift
    rates.add(
        "mean at the optimum in a sentence within its interval",
        best.value_low <= true <= best.value_high,
    )
    way = -1 if next(r for r in made.responses if r.name == name).better == "lower" else 1
    surface = fitted.surface
    exact = Surface(surface.model, surface.coded, made.mean(name, surface.coded))
    place = exact.find_optimum(way).point
    room = 0.02  # the points of the region are apart
    for one, low, high in zip(place, best.low, best.high, strict=True):
        rates.add(
            "true place of the optimum within its interval, by factor",
            low - room <= one <= high + room,
        )


def _traffic(said: Said, name: str) -> float:
    """Return what the seeds of the replicates add to all means: it is common to all settings."""
    values = said.made.values[name]
    return float((values - said.made.mean(name, said.found.coded)[:, None]).mean())


def _judge_effects(said: Said, name: str, rates: Rates) -> None:
    terms, names = said.made.truth[name], said.made.names
    for effect in said.found.effects_by_response[name]:
        if len(effect.factors) > 1 or not effect.has_interval:
            continue
        # The levels -1 and 1; an inscribed cube lies within them.
        true = 2 * terms.get((names.index(effect.factors[0]),), 0.0)
        rates.add("main effect of a design within its interval", effect.low <= true <= effect.high)
        if true and effect in said.found.shown[name]:
            right = (effect.effect > 0) == (true > 0)
            rates.add("direction of a main effect of a design is right", right)
        if not true:
            is_shown = effect in said.found.shown[name]
            rates.add("main effect of a design shown and false", is_shown)


def _judge_screening(said: Said, name: str, rates: Rates) -> None:
    _judge_effects(said, name, rates)
    if not any(len(term) == 2 for term in said.made.truth[name]):
        named = bool(said.found.second_order[name].terms)
        rates.add("second-order terms named and none is there", named)


def _judge_sensitivity(said: Said, name: str, rates: Rates) -> None:
    result = said.found.indices[name]
    if isinstance(result, MorrisResult):
        _judge_morris(said, name, result, rates)
    else:
        _judge_sobol(said, name, result, rates)


def _judge_morris(said: Said, name: str, result: MorrisResult, rates: Rates) -> None:
    made = said.made
    factors = made.experiment.definition.made.design.factors
    dense = make_morris(factors, TRAJECTORIES, 4, seed=99)
    assert dense.indices is not None
    means = made.mean(name, dense.matrix)[:, None]
    true = compute_morris(dense.matrix, dense.indices, means, np.full(len(factors), 2.0))
    sizes = np.array([one.mu_star for one in true.effects])
    for effect in result.effects:
        if not sizes[effect.factor]:
            shown = said.found.morris_p[name, effect.factor] < WEAK_P
            rates.add("factor shown above the noise and false", shown)
    if made.is_flat(name) or not result.largest:
        return
    rates.add(
        "factor with the largest mu* is among those named", int(sizes.argmax()) in result.largest
    )
    best = result.effects[result.largest[0]]
    if len(result.largest) == 1 and not best.mu_star < 3 * result.floor:
        rates.add(
            "mu* in a sentence within its interval", best.low <= sizes[best.factor] <= best.high
        )


def _judge_sobol(said: Said, name: str, result: SobolResult, rates: Rates) -> None:
    if result.has_noise or not result.largest:
        return
    first, total = said.made.total_indices(name)
    rates.add(
        "factor with the largest total index is among those named",
        int(total.argmax()) in result.largest,
    )
    for one in result.indices:
        rates.add(
            "total index within its interval",
            one.total_low <= total[one.factor] <= one.total_high,
        )
        rates.add(
            "first-order index within its interval",
            one.first_low <= first[one.factor] <= one.first_high,
        )


def judge_comparisons(seed: int, rates: Rates) -> None:
    """Plant a table of algorithms, and hold all comparisons to the truth together."""
    rng = np.random.default_rng([37, seed])
    ccas = [f"c{i}" for i in range(int(rng.integers(3, 7)))]
    count = int(rng.integers(2, 6))
    true = {cca: float(rng.normal() * rng.choice([0.0, 1.0])) for cca in ccas}
    rows = [(cca, rate, k) for cca in ccas for rate in ("1", "2") for k in range(count)]
    traffic = 5 * rng.normal(size=count)
    columns = {
        "cca": [cca for cca, _, _ in rows],
        "rate": [rate for _, rate, _ in rows],
        "seed": [str(k) for _, _, k in rows],
        "y": [true[cca] + 3 * (rate == "2") + traffic[k] + rng.normal() for cca, rate, k in rows],
    }
    before = ccas[0] if rng.random() < 0.5 else None
    roles = Roles(responses=("y",), factors=("rate",), cca="cca", before=before, replicate="seed")
    (made,) = analyse_table(columns, roles).of("comparisons")
    found = made.rows()
    hits = [one["low"] <= true[one["last"]] - true[one["first"]] <= one["high"] for one in found]
    rates.add(f"all comparisons of a table hold together, by {found[0]['method']}", all(hits))
    (said,) = [one.sentence for one in made.findings()]
    shown = [one for one in found if one["shown"]]
    counted = f"{len(shown)} of {len(found)} comparisons"
    assert counted in said, said
    for one in shown[:1]:
        assert one["first"] in said or len(shown) > 6, said
