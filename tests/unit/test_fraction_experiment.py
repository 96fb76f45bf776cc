"""An experiment with half of the combinations of six factors and three CCAs says what is true."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from headgate import Experiment
from headgate.base.errors import HeadgateError
from headgate.experiment import findings, measures, runner
from headgate.experiment.effects import are_paired, model_effects
from headgate.experiment.measures import BETTER
from headgate.experiment.tables import MeasuredRuns
from headgate.lab.workers import WorkerPool
from headgate_studies.nist.responses import WORSE

from .small_experiment import lists  # noqa: F401 - a fixture

BASE = {
    "duration": "2 s",
    "network": {"kind": "dumbbell", "rate": "4 Mbit/s", "rtt": "20 ms", "buffer": "1 BDP"},
    "traffic": [
        {"kind": "flows", "cca": "reno", "count": 2},
        {"kind": "poisson", "cca": "reno", "load": 0.2, "size": "10 packets"},
    ],
    "measure": {"warmup": "0.5 s", "series": "none", "periods": [["0.5 s", "2 s"]]},
}
FACTORS = {
    "network.rate": ["4 Mbit/s", "16 Mbit/s"],
    "network.rtt": ["20 ms", "80 ms"],
    "network.buffer": ["0.5 BDP", "2 BDP"],
    "network.loss": [0.0, 0.005],
    "traffic.0.count": [1, 4],
    "traffic.1.load": [0.1, 0.4],
    "cca": ["reno", "cubic", "bbr"],
}
#: An even number of factors at their high level: I = A B C D E F, 32 of 64, each under three
#: algorithms.
PARITY = (
    "((rate_bps > 8e6)::int + (rtt_s > 0.04)::int + (buffer = '2 BDP')::int + (loss > 0)::int"
    " + (count > 1)::int + (load > 0.2)::int) % 2 = 0"
)
RESPONSES = ("goodput_bps", "loss_rate", "mean_queue_packets", "avg(flows.mean_rtt_s)", "y10")
NAMES = ("goodput_bps", "loss_rate", "mean_queue_packets", "avg_mean_rtt_s")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> MeasuredRuns:
    experiment = Experiment(BASE, FACTORS, responses=RESPONSES, where=PARITY)
    assert len(experiment.definition.conditions) == 32 * 3
    asked = experiment.plan_runs(tmp_path_factory.mktemp("fraction"))
    runs, _ = runner.make_runs(asked, WorkerPool(2, None, None))
    return experiment.measure(runs)


def means(found: MeasuredRuns, response: str, factor: str) -> dict[object, float]:
    """Return the mean at each level: in a balanced design their differences are the effects."""
    values, labels = found.distinct[response].mean(axis=1), np.array(found.labels[factor], object)
    return {level: float(values[labels == level].mean()) for level in found.levels[factor]}


def test_the_fraction_has_pairs_for_the_algorithm_only(found: MeasuredRuns) -> None:
    assert not are_paired(found.coded)
    assert not found.has_pairs


@pytest.mark.parametrize("response", NAMES)
def test_every_main_effect_is_the_difference_of_the_means_of_its_levels(
    found: MeasuredRuns, response: str
) -> None:
    effects = [e for e in found.effects_by_response[response] if len(e.factors) == 1]
    assert [e.factors[0] for e in effects] == [
        "rate", "rtt", "buffer", "loss", "count", "load", "cca", "cca",
    ]  # fmt: skip
    for effect in effects:
        by_level = means(found, response, effect.factors[0])
        first, last = (found.levels[effect.factors[0]][0], found.ends(effect)[1])
        expected = next(v for k, v in by_level.items() if str(k) == last) - by_level[first]
        assert effect.effect == pytest.approx(expected)


@pytest.mark.parametrize("response", NAMES)
def test_the_factor_that_moves_a_response_most_is_named(found: MeasuredRuns, response: str) -> None:
    """The factor with the largest difference of means, which was never the algorithm but once."""
    spans = {name: max(m) - min(m) for name, m in _list_means(found, response).items()}
    title = next(one for one in found.responses if one.name == response).title
    said = next(s for s in findings.sentences(found) if s.startswith(f"{title} is moved most by"))
    assert re.split(r"[ :,]", said.removeprefix(f"{title} is moved most by "))[0] == max(
        spans, key=spans.__getitem__
    )


def _list_means(found: MeasuredRuns, response: str) -> dict[str, list[float]]:
    from_first = {}
    for name in found.levels:
        first, *others = means(found, response, name).values()
        from_first[name] = [0.0, *(other - first for other in others)]
    return {name: [abs(one) for one in of] for name, of in from_first.items()}


def test_sentences_have_the_direction_of_the_runs(found: MeasuredRuns) -> None:
    """Loss, queues and round trips grow with what makes them grow in these very runs."""
    said = " ".join(findings.sentences(found))
    assert 0 < said.count("is moved most by cca") < len(NAMES)
    for response in NAMES:
        largest = max(
            (e for e in found.effects_by_response[response] if len(e.factors) == 1),
            key=lambda e: abs(e.effect),
        )
        by_level = means(found, response, largest.factors[0])
        last = next(v for k, v in by_level.items() if str(k) == found.ends(largest)[1])
        first = by_level[found.levels[largest.factors[0]][0]]
        assert np.sign(largest.effect) == np.sign(last - first)


def test_a_nominal_factor_of_a_fraction_has_an_effect_for_each_level() -> None:
    """Levels A 1.0, B 5.0, C 1.2 in half of the combinations: no straight line has these."""
    plant = {-1.0: 1.0, 0.0: 5.0, 1.0: 1.2}
    rows = [
        (cca, a, b, c)
        for cca, a, b, c in product((-1.0, 0.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0))
        if a * b * c > 0
    ]
    coded = np.array(rows)
    values = np.array([[plant[cca] + 0.5 * a + 2.0 * (cca == 0) * b] for cca, a, b, _ in rows])
    model = model_effects(("cca", *"abc"), coded, values, [False] * 4)
    found = {(e.factors, e.steps): e.effect for e in model}
    assert found[("cca",), ((-1.0, 0.0),)] == pytest.approx(4.0)
    assert found[("cca",), ((-1.0, 1.0),)] == pytest.approx(0.2)
    assert found[("a",), ((-1.0, 1.0),)] == pytest.approx(1.0)
    # the effect of b is 4 with B and 0 with the others: 4/3 on average
    assert found[("b",), ((-1.0, 1.0),)] == pytest.approx(4 / 3)
    # half of the difference of b's effect between A (0) and B (4)
    assert found[("cca", "b"), ((-1.0, 0.0), (-1.0, 1.0))] == pytest.approx(2.0)


def test_effects_that_a_fraction_confounds_are_named() -> None:
    coded = np.array([(a, b, a * b) for a, b in product((-1.0, 1.0), repeat=2)])
    values = np.array([[1.0], [2.0], [3.0], [4.0]])
    (a, b, c) = model_effects("abc", coded, values, [False] * 3)
    assert [e.aliases for e in (a, b, c)] == [(("b", "c"),), (("a", "c"),), (("a", "b"),)]


def test_effects_at_the_levels_of_another_factor_are_those_of_the_model() -> None:
    """y = 3 a - 5 a b: the effect of a is 16 if b is low and -4 if it is high."""
    coded = np.array(list(product((-1.0, 1.0), repeat=4)))
    rng = np.random.default_rng(2)
    values = (3 * coded[:, 0] - 5 * coded[:, 0] * coded[:, 1])[:, None] + rng.normal(
        0, 0.01, (16, 2)
    )
    model = model_effects("abcd", coded, values, [False] * 4)
    a = next(e for e in model if e.factors == ("a",))
    at = {(s.other, s.level): s for s in a.simple}
    assert at["b", -1.0].effect == pytest.approx(16, abs=0.1)
    assert at["b", 1.0].effect == pytest.approx(-4, abs=0.1)
    assert at["b", 1.0].low < -4 + 0.05 < at["b", 1.0].high + 0.1


def test_every_response_of_a_period_with_a_direction_has_it() -> None:
    """The same ways as in the roles of NIST's studies; sources and windows have none."""
    way = {"more": "lower", "less": "higher"}
    numbered = {name: way[of] for name, of in WORSE.items() if re.fullmatch(r"y\d+", name)}
    rates = {f"y{number}": "higher" for number in range(17, 23)}
    assert numbered | rates == BETTER
    assert measures.find("y10").better == "lower"
    assert measures.find("y17").better == "higher"
    assert measures.find("y1").better == ""
    assert [r.better for r in Experiment(BASE, FACTORS, responses=["y5"]).definition.responses] == [
        "lower"
    ]


@pytest.mark.parametrize(
    ("keys", "factors", "said"),
    [
        ({"design": "2^(7-1)"}, FACTORS, r"factors.cca.levels: .* move the factor .* \[crossed\]"),
        ({"runs": 8}, FACTORS, "needs two levels per factor, not 3"),
    ],
)
def test_a_fraction_crossed_with_algorithms_is_refused(
    keys: dict[str, object], factors: dict[str, object], said: str
) -> None:
    with pytest.raises(HeadgateError, match=said):
        _ = Experiment(BASE, factors, **keys).definition.made  # type: ignore[arg-type]


@pytest.mark.parametrize("place", ["kind", "network"])
def test_a_mesonet_base_is_refused(place: str, tmp_path: Path) -> None:
    base = {"kind": "mesonet"} if place == "kind" else {**BASE, "network": {"kind": "mesonet"}}
    with pytest.raises(HeadgateError, match="'mesonet' is a base; write "):
        Experiment(base, FACTORS)
