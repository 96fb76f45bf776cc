"""The settings that findings depend on: scenarios, and the sentences about them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from headgate.claims.verdicts import judge
from headgate.experiment.runs import Runs
from headgate.experiment.study.study import load
from headgate_studies.nist.summary import Experiment
from headgate_studies.nist_unknowns.analysis import analyse, parameters, prepare, scenario
from headgate_studies.nist_unknowns.findings import Combinations, _format, hold

from .made_runs import assert_stored_suffices

STUDY = load("nist-unknowns")
CCAS = ("reno", "ctcp", "fast", "fast-at")


@pytest.fixture(scope="module")
def runs() -> Runs:
    scale = STUDY.spec.scales["quick"].model_copy(
        update={
            "factors": ("alpha", "recovery"), "generators": {}, "levels": {}, "size": 0.004,
            "fixed": {"duration": "10 s"},
        }
    )  # fmt: skip
    setup = replace(STUDY.setup(scale), ccas=CCAS)
    return Runs(setup, {k: job.scenario.run() for k, job in STUDY.jobs(setup).items()})


@pytest.fixture(scope="module")
def of(runs: Runs) -> Combinations:
    return prepare(runs)


def test_parameters_of_each_algorithm_are_those_of_the_combination() -> None:
    settings = {"fast_form": "paper", "fast_alpha": 20, "fast_at_thresholds": 3.0}
    assert parameters(settings, "fast") == {"variant": "paper", "alpha": 20}
    assert parameters(settings, "fast-at")["variant"] == "paper"
    assert parameters(settings, "fast-at")["up_mid"] == "4500.0 packets/s"
    assert parameters(settings, "reno") == {}


def test_a_combination_reaches_the_scenario() -> None:
    setup = STUDY.setup(STUDY.scale("standard"))
    last = len(setup.design) - 1
    made = scenario({**setup.settings, **setup.design.settings(last)}, "fast").to_dict()
    assert made["transport"]["recovery"] == "sack"
    assert made["transport"]["rtt_sampling"] == "timestamps"
    assert made["traffic"][0]["cca"] == {"name": "fast", "variant": "simple", "alpha": 200}
    first = scenario({**setup.settings, **setup.design.settings(0)}, "fast").to_dict()
    assert first["traffic"][0]["cca"]["variant"] == "paper"
    assert made["network"]["source_shares"]["F"] == 0.85
    assert (len(setup.design), len(setup.design.factors), setup.design.resolution) == (32, 9, 4)


def test_stored_columns_suffice_for_the_claims(runs: Runs, tmp_path: Path) -> None:
    assert_stored_suffices(STUDY, runs, tmp_path)


def test_the_settings_of_a_finding_are_named(of: Combinations) -> None:
    recovery = of.columns["recovery"]
    assert of.describe(np.ones(4, dtype=bool)) == "holds whatever the unknowns"
    assert of.describe(np.zeros(4, dtype=bool)) == "does not hold"
    assert of.describe(recovery > 0) == "holds in 2 of 4, in all with loss recovery = sack"
    assert of.describe(recovery * of.columns["alpha"] > 0) == "holds in 2 of 4"


@pytest.mark.parametrize(
    ("exceptions", "sentence"),
    [
        ([0], "holds in 15 of 16"),  # each factor takes a level without an exception
        ([0, 2, 4, 8, 10], "holds in 11 of 16, in all with loss recovery = sack"),
    ],
)
def test_few_exceptions_name_no_level(
    of: Combinations, exceptions: list[int], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = {"alpha": np.repeat([-1.0, 1.0], 8), "recovery": np.tile([-1.0, 1.0], 8)}
    monkeypatch.setattr(Combinations, "columns", property(lambda _: columns))
    held = np.ones(16, dtype=bool)
    held[exceptions] = False
    assert of.describe(held) == sentence


def test_a_level_is_written_without_brackets() -> None:
    assert _format({"D": 0.1, "F": 0.9}) == "D 0.1, F 0.9"
    assert _format("1 BDP") == "1 BDP"


def test_a_finding_counts_combinations_beyond_its_bound(of: Combinations) -> None:
    ratios = of.ratios("y6", "fast")
    bound = float(np.sort(ratios)[1:3].mean())
    assert hold(of, response="y6", bound=bound).ours == 0.5
    assert hold(of, response="y6", bound=bound, sign=-1).ours == 0.5
    assert hold(of, response="y6", bound=0.0).ours == 1.0


def test_a_ratio_within_one_percent_of_the_bound_may_be_chance(
    of: Combinations, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One run a combination: 0.995 does not say that FAST loses less."""
    monkeypatch.setattr(Combinations, "ratios", lambda *_: np.array([1.2, 1.3, 0.995, 1.4]))
    found = hold(of, response="y5")
    assert (found.ours, found.ci) == (0.75, (0.75, 1.0))
    assert "1 within 1% of the bound" in found.note
    (claim,) = (one for one in STUDY.claims if one.id == "fast-increases-losses-whatever")
    assert judge(claim, {claim.id: found}, "standard").verdict == "undecided"
    monkeypatch.setattr(Combinations, "ratios", lambda *_: np.array([1.2, 1.3, 0.98, 1.4]))
    assert judge(claim, {claim.id: hold(of, response="y5")}, "standard").verdict == "differs"


def test_an_algorithm_is_set_against_the_median_of_the_others(
    of: Combinations, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of reno, BIC and CTCP one alone would move a mean: FAST-AT's 1.5 would be 0.5 of it."""
    planted = {"reno": 1.0, "bic": 7.0, "ctcp": 1.0, "fast-at": 1.5}
    monkeypatch.setattr(Experiment, "loss_ccas", property(lambda _: ("reno", "bic", "ctcp")))
    monkeypatch.setattr(Experiment, "mean", lambda *asked: planted[asked[2]])
    assert of.ratios("y10", "fast-at").tolist() == [1.5] * 4


def test_an_effect_is_the_ratio_of_geometric_means(of: Combinations) -> None:
    ratios, column = of.ratios("y6", "fast"), of.columns["alpha"]
    high, low = (np.exp(np.log(ratios[column == sign]).mean()) for sign in (1, -1))
    assert of.effects("y6", "fast")["alpha"] == pytest.approx(high / low)


def test_the_study_has_sentences_and_pictures(of: Combinations) -> None:
    found = analyse(of)
    assert len(found.sentences) == 2 * 4 + 1
    assert [picture.name for picture in found.pictures] == ["unknowns"]
