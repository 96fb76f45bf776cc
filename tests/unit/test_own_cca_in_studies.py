"""A user-defined CCA as one more beside those of a study: run, shown, and no claim moved by it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from headgate.base.errors import HeadgateError
from headgate.claims.verdicts import Estimate
from headgate.cli.main import app
from headgate.experiment import runner
from headgate.experiment.findings import RANK_COLUMNS, RANK_TITLE, compare_own
from headgate.experiment.packages import find_studies
from headgate.experiment.runs import Runs
from headgate.experiment.study.study import Study, load
from headgate.lab.workers import WorkerPool

from . import small_study

GENTLE = f"{Path(__file__).parents[2] / 'examples' / 'ccas' / 'gentle.py'}:Gentle"
TAKES = [name for name in find_studies() if not load(name).spec.no_own_cca]


def setup_of(study: Study, *own: str) -> runner.Setup:
    return study.setup(study.scale("quick"), own)


@pytest.mark.parametrize("name", TAKES)
def test_every_study_that_takes_one_runs_it_beside_the_others(name: str) -> None:
    study = load(name)
    with_own, without = study.jobs(setup_of(study, GENTLE)), study.jobs(setup_of(study))
    assert without.items() <= with_own.items()
    new = [job for key, job in with_own.items() if key not in without]
    assert new
    for job in new[:: max(len(new) // 8, 1)]:
        plan, _ = job.scenario.plan()
        assert any("own" in cca for cca in plan["laws"])


@pytest.mark.parametrize("name", sorted(set(find_studies()) - set(TAKES)))
def test_the_others_say_why_not(name: str) -> None:
    with pytest.raises(HeadgateError, match=f"{name}: takes no user-defined algorithm, as "):
        setup_of(load(name), GENTLE)


def test_the_list_says_which_take_one() -> None:
    said = CliRunner().invoke(app, ["study", "list"]).stdout
    assert said.count("takes --cca") == len(TAKES)
    assert said.count("no --cca: ") == len(find_studies()) - len(TAKES)


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> runner.StudyOutcome:
    study = small_study.shrunk(seeds=1)
    folder = tmp_path_factory.mktemp("own")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "headgate.figures.report.make.draw",
            lambda found, *_: dict.fromkeys((o.name for o in found.made if not o.reason), ()),
        )
        asked = runner.StudyRun(study, setup_of(study, GENTLE), folder, "quick")
        return runner.run_study(asked, WorkerPool(2))


def test_claims_are_those_of_the_studys_user_defined_algorithms(
    outcome: runner.StudyOutcome, tmp_path: Path
) -> None:
    study = small_study.shrunk(seeds=1)
    runs = Runs(
        setup_of(study),
        {key: job.scenario.run() for key, job in study.jobs(setup_of(study)).items()},
    )
    plain = study.analyse(runs).findings
    found = {claim.id: claim.ours for claim in outcome.claims if claim.ours is not None}
    assert found == {name: plain[name].ours for name in found}


def test_the_report_ranks_the_user_defined_algorithm(outcome: runner.StudyOutcome) -> None:
    assert any(
        f"{GENTLE}: the best mean of all algorithms in" in text for text in outcome.sentences
    )
    table = outcome.analysis.tables[0]
    assert (table.title, table.columns) == (RANK_TITLE, RANK_COLUMNS)
    assert {row[1] for row in table.rows} == {GENTLE}
    assert RANK_TITLE in outcome.report.read_text()
    assert GENTLE in set(outcome.analysis.data[0]["cca"])


def test_places_are_those_of_the_means(outcome: runner.StudyOutcome) -> None:
    table, roles = outcome.analysis.data[0], outcome.analysis.roles
    assert roles is not None
    _, (listing,) = compare_own(outcome.analysis, [GENTLE])
    for title, _, mean, place, best, of_best, worst, of_worst in listing.rows:
        response = next(name for name in roles.responses if roles.title(name) == title)
        means = {cca: np.nanmean(table[response][table["cca"] == cca]) for cca in set(table["cca"])}
        sign = 1 if roles.worse[response] == "more" else -1
        order = sorted(means, key=lambda cca: sign * means[cca])
        assert (mean, of_best, of_worst) == pytest.approx(
            (means[GENTLE], means[best], means[worst])
        )
        assert sign * means[order[0]] == pytest.approx(sign * means[best])
        assert str(place).endswith(f" of {len(means)}")


def test_without_user_defined_algorithms_runs_are_as_they_were() -> None:
    study = small_study.shrunk(seeds=1)
    setup = setup_of(study, GENTLE)
    results = dict.fromkeys(study.jobs(setup))
    left = Runs(setup, results).without_own()  # type: ignore[arg-type]
    assert (left.setup.ccas, left.setup.own) == (setup_of(study).ccas, ())
    assert list(left.results) == list(study.jobs(setup_of(study)))


def test_a_study_without_roles_says_that_it_is_there() -> None:
    study = load("fast")
    analysis = runner.Analysis({"x": Estimate(ours=1.0)}, (), ())
    said, tables = compare_own(analysis, [GENTLE])
    assert said == [
        f"{GENTLE}: shown in tables and pictures beside the study's algorithms; no claim is about"
        " it."
    ]
    assert not tables
    assert replace(setup_of(study, GENTLE), own=()).ccas[-1] == GENTLE
