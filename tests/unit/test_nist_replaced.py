"""Experiments 1a and 1b at a size that takes seconds: their runs, responses, analyses, claims."""

from dataclasses import replace

import numpy as np
import pytest

from headgate.scenario import MesoNet
from headgate.stats.intervals import share_interval
from headgate.studies.designed import Designed
from headgate.studies.nist.alike import findings, little_change, uncongested_identical
from headgate.studies.nist.campaign import scenario
from headgate.studies.nist.replaced import analyse
from headgate.studies.nist.responses import TITLES, responses
from headgate.studies.nist.roles import WORSE, roles
from headgate.studies.nist.summary import Experiment
from headgate.studies.runs import Runs
from headgate.studies.study import Study, load

LAWS = ("reno", "ctcp", "fast", "scalable")


def tiny(study: Study) -> Runs:
    """Run four conditions and four laws, ten simulated seconds each."""
    scale = study.plan.scales["quick"].model_copy(
        update={
            "factors": ("X1", "X12"),
            "generators": {},
            "seeds": 1,
            "size": 0.004,
            "fixed": {"duration": "10 s"},
        }
    )
    setup = replace(study.setup(scale), laws=LAWS)
    made = study.jobs(setup)
    return Runs(setup, {key: job.scenario.run() for key, job in made.items()})


@pytest.fixture(scope="module")
def experiment() -> Experiment:
    runs = tiny(load("nist-1b"))
    return Experiment(Designed(runs.setup, runs.results), roles(runs.setup.design), responses)


def test_settings_are_mesonets_own(experiment: Experiment) -> None:
    settings = {**experiment.runs.settings, **experiment.runs.design.settings(3)}
    made = scenario(settings, "fast").to_dict()
    assert made == MesoNet.from_dict({**settings, "law": "fast"}).scenario().to_dict()
    assert "100 packets" in str(made["transport"])


def test_every_law_meets_the_same_first_requests(experiment: Experiment) -> None:
    started = {
        law: experiment.runs.result(0, law, 1).tables["laws"]["samples"].tolist() for law in LAWS
    }
    assert len({tuple(each) for each in started.values()}) == 1


def test_responses_are_what_their_names_say(experiment: Experiment) -> None:
    result = experiment.runs.result(0, "ctcp", 1)
    found = responses(result, "ctcp")
    assert set(found) == set(TITLES)
    assert {len(values) for values in found.values()} == {3}
    table = result.tables["classes"]
    rows = [
        i
        for i in range(len(table))
        if (table["period"][i], table["file"][i]) == (2, "web object")
        and (table["class"][i], table["interface"][i]) == ("FN", "normal")
    ]
    packets = sum(float(table["timed_packets"][i]) for i in rows)
    time_s = sum(float(table["fct_sum_s"][i]) for i in rows)
    assert found["web_FN_normal"][1] == pytest.approx(packets / time_s)
    own = [i for i in range(len(table)) if table["period"][i] == 2]
    assert found["falls"][1] == sum(float(table["decreases"][i]) for i in own)


def test_conditions_are_ordered_without_fast(experiment: Experiment) -> None:
    shares = [experiment.others("y10", name) for name in experiment.order]
    assert shares == sorted(shares)
    assert len(experiment.light) == len(experiment.heavy) == 1


def test_shares_are_of_all_cells(experiment: Experiment) -> None:
    cells = experiment.outliers(experiment.order)
    quiet = sum(test is None or test.law.startswith("fast") for _, test in cells)
    assert little_change(experiment).ours == share_interval(quiet, len(cells))[0]
    light = experiment.outliers(experiment.light)
    assert uncongested_identical(experiment).note.endswith(f"of {len(light)}")


@pytest.mark.parametrize("name", ["nist-1a", "nist-1b"])
def test_claims_are_judged_by_functions_of_their_name(name: str, experiment: Experiment) -> None:
    study = load(name)
    judged = {claim.id for claim in study.claims if claim.missing is None}
    own = replace(experiment.runs, setup=replace(experiment.runs.setup, laws=study.laws))
    laws = {*study.laws} - {"fast-at"} if name == "nist-1a" else {*study.laws}
    assert set(own.laws) == laws
    made = set(findings(experiment))
    assert judged - made <= {"fast-at-apart"}
    assert made <= judged


def test_the_study_ends_with_a_table_and_its_roles(experiment: Experiment) -> None:
    found = analyse(Runs(experiment.runs.setup, experiment.runs.results))
    table = found.data[0]
    assert len(table) == 4 * len(LAWS) * 3
    assert found.roles is not None
    assert set(found.roles.responses) | {"condition", "law", "seed", "period", "X1", "X12"} == set(
        table
    )
    assert set(WORSE) <= set(TITLES)
    assert np.isfinite(np.asarray(table["y1"], dtype=float)).all()
    assert len(found.sentences) == 2
    assert "add up exactly in all 16 runs" in found.sentences[1]
