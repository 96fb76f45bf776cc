"""The power of a design: the chance by which the analyses themselves show an effect."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

from headgate.base.errors import HeadgateError
from headgate.cli.main import app
from headgate.design.file import ANALYSED, DesignFile
from headgate.design.generate import MadeDesign, load_design, make_design
from headgate.experiment.design_power import DesignPower, find_powers
from headgate.experiment.designed import DesignAnalysis
from headgate.experiment.responses import Response
from headgate.experiment.tables import MeasuredRuns
from headgate.figures.analysis.frame import Frame
from headgate.figures.analysis.part import PeriodAnalysis
from headgate.figures.analysis.roles import Roles

TRIALS = 400
#: The standard errors of a share by which a simulation may differ: 1 in 16,000 exceeds this.
ERRORS = 4


def make(kind: str, **keys: object) -> MadeDesign:
    factors = {name: {"low": 0, "high": 10} for name in keys.pop("factors", "ABC")}
    return make_design(DesignFile.from_dict({"kind": kind, "factors": factors, **keys}))


def chance(power: DesignPower, replicates: int) -> float:
    return float(power.facts()["by_replicates"][replicates - 1]["chance"])


def simulate_experiment(made: MadeDesign, replicates: int, effect: float) -> float:
    """Return how often the effect of the first factor is shown by an experiment's analysis."""
    rng, kind = np.random.default_rng(7), made.file.kind
    special = DesignAnalysis(made) if kind in ANALYSED else None
    coded = np.unique([row.coded for row in made.sheet.rows], axis=0).astype(float)
    shape = (len(coded), replicates)
    digests = np.arange(len(coded) * replicates).reshape(shape).astype(str)
    shown = 0
    for _ in range(TRIALS):
        values = effect / 2 * coded[:, :1] + rng.normal(size=shape)
        found = MeasuredRuns(
            made.design.factors, coded, tuple(range(replicates)), (Response("y"),), {"y": values},
            digests, paired=kind == "grid", design=special,
        )  # fmt: skip
        shown += next(e for e in found.effects_by_response["y"] if e.factors == ("A",)).decided
    return shown / TRIALS


def agree(share: float, expected: float) -> bool:
    return abs(share - expected) <= ERRORS * np.sqrt(expected * (1 - expected) / TRIALS) + 1e-9


@pytest.mark.parametrize(
    ("made", "replicates", "effect"),
    [
        (make("grid"), 2, 2.0),
        (make("grid"), 3, 2.0),
        (make("two-level"), 2, 2.0),
        (make("two-level"), 3, 2.0),
        (make("two-level", design="2^(3-1)"), 2, 2.0),
        (make("two-level", design="2^(3-1)"), 3, 2.0),
        (make("two-level", factors="ABCDE", design="2^(5-1)"), 3, 1.0),
        (make("plackett-burman", factors="ABCDE"), 3, 1.5),
        (make("definitive-screening", factors="ABCD"), 2, 2.0),
        (make("definitive-screening", factors="ABCD", fake_factors=0), 3, 1.5),
        (make("central-composite"), 2, 2.0),
        (make("box-behnken"), 1, 2.0),
        (make("latin-hypercube", runs=12), 2, 2.0),
    ],
    ids=lambda one: one.file.kind if isinstance(one, MadeDesign) else None,
)
def test_an_experiment_shows_an_effect_as_often_as_said(
    made: MadeDesign, replicates: int, effect: float
) -> None:
    power = find_powers(made, effect, 1.0, 0.8)[0]
    assert power.test.analysis.startswith(f'headgate experiment, kind = "{made.file.kind}"')
    simulated = simulate_experiment(made, replicates, effect)
    if made.file.kind not in {"latin-hypercube", "plackett-burman"}:
        assert agree(simulated, chance(power, replicates))
    else:  # factors differ in their errors, and the stated chance is that of the largest
        assert simulated >= chance(power, replicates) - 0.1


@pytest.mark.parametrize(
    ("source", "replicates", "effect"), [("2^3", 1, 2.0), ("2^3", 2, 1.5), ("2^(4-1)", 2, 1.5)]
)
def test_analyse_shows_an_effect_as_often_as_said(
    source: str, replicates: int, effect: float
) -> None:
    made, rng, shown = load_design(source), np.random.default_rng(8), 0
    power = find_powers(made, effect, 1.0, 0.8)[-1]
    assert power.test.analysis == "headgate analyse"
    names = tuple(factor.name for factor in made.design.factors)
    coded = np.tile(np.asarray(made.design.matrix, float), (replicates, 1))
    for _ in range(TRIALS):
        y = effect / 2 * coded[:, 0] + rng.normal(size=len(coded))
        frame = Frame.of(dict(zip(names, coded.T, strict=True)) | {"y": y})
        found = PeriodAnalysis(frame, Roles(responses=("y",), factors=names)).effects(())
        shown += found.of_response("y", ())[0].judged_p < 0.05
    assert agree(shown / TRIALS, chance(power, replicates))


def test_the_chances_are_those_of_the_non_central_t() -> None:
    """A grid has replicates - 1 degrees of freedom, a pooled error those of all runs."""

    def expect(effect: float, error: float, freedom: int) -> float:
        reach, shift = stats.t.ppf(0.975, freedom), effect / error
        return float(stats.nct.sf(reach, freedom, shift) + stats.nct.cdf(-reach, freedom, shift))

    of_means, of_pairs, of_runs = find_powers(load_design("2^3"), 2, 1, 0.8)
    assert [one.replicates for one in (of_means, of_pairs, of_runs)] == [34, 4, 2]
    for count in range(2, 6):
        error = 2 / np.sqrt(8 * count)
        assert chance(of_pairs, count) == pytest.approx(expect(2, error, count - 1), abs=1e-3)
        assert chance(of_means, count) == pytest.approx(expect(2, error, 1), abs=1e-3)
        assert chance(of_runs, count) == pytest.approx(expect(2, error, 8 * count - 7), abs=1e-3)


def test_a_factor_of_three_levels_has_fewer_pairs() -> None:
    """3 x 2 conditions: 2 pairs for a step of A, 3 for that of B; error of A is 1 deviation."""
    file = {"kind": "grid", "factors": {"A": [1, 2, 3], "B": [1, 2]}}
    (power,) = find_powers(make_design(DesignFile.from_dict(file)), 2, 1, 0.8)
    assert power.spread(4) == (pytest.approx(0.5), 3)


def test_repeated_centre_points_are_runs_of_a_table_and_one_condition_of_an_experiment() -> None:
    experiment, table = find_powers(make("central-composite", centre_points=5), 2, 1, 0.8)
    assert (experiment.test.runs, table.test.runs) == (15, 19)
    assert experiment.spread(3)[1] == 15 - 10
    assert table.spread(1)[1] == 19 - 10


def test_nothing_is_promised_if_nothing_is_tested() -> None:
    words = ["design", "power", "2^(3-1)", "--effect", "2", "--deviation", "1"]
    said = CliRunner().invoke(app, words).stdout.splitlines()
    assert said[0] == (
        'headgate experiment, kind = "two-level": the model with two-factor interactions leaves no'
        " residual: t test over the replicates, with replicates - 1 degrees of freedom"
    )
    assert said[1].startswith("5 replicates, 20 runs, show a main effect of 2")
    assert said[3].split() == ["1", "4", "-", "-"]
    assert len(said) == 11  # a resolution of III confounds main effects: no test by analyse
    (test,) = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)["tests"]
    assert test["by_replicates"][0]["chance"] is None
    assert test["by_replicates"][0]["freedom"] == 0


def test_designs_without_a_test_of_effects_are_refused() -> None:
    with pytest.raises(HeadgateError, match="a morris design gives sensitivity indices"):
        find_powers(make("morris", trajectories=4), 2, 1, 0.8)
    made = make("two-level")
    short = replace(
        made, design=replace(made.design, matrix=made.design.matrix[[0, -1]], fraction=None)
    )
    with pytest.raises(HeadgateError, match="do not determine the effect of B"):
        find_powers(short, 2, 1, 0.8)
