"""Stored results: another machine continues from them, and all claims are judged from them."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from headgate.base.errors import HeadgateError, InterruptedRunError, StoreError
from headgate.claims.verdicts import Estimate, Verdict, judge
from headgate.cli.main import app
from headgate.data.parquet import read_columns
from headgate.engine.api import Result
from headgate.experiment import runner
from headgate.experiment import stored as results_store
from headgate.experiment.estimates import estimate_mean, estimate_mean_ratio
from headgate.experiment.stored import Basis, StoredResults
from headgate.experiment.study import stored, study
from headgate.experiment.study.documents import (
    Statement,
    count_statements,
    judge_statement,
    read_documents,
)
from headgate.lab.jobs import Job
from headgate.lab.workers import WorkerPool

NAME = "tcp-red"
ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "studies" / "results"


def run(folder: Path, results: Path) -> runner.StudyOutcome:
    return runner.run_study(study.plan_study(NAME, "quick", folder, results=results), WorkerPool(1))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, runner.StudyOutcome]:
    folder = tmp_path_factory.mktemp("stored")
    return folder / "results", run(folder / "out", folder / "results")


def test_a_machine_that_has_them_runs_nothing_and_finds_the_same(
    made: tuple[Path, runner.StudyOutcome], tmp_path: Path
) -> None:
    results, first = made
    again = run(tmp_path / "out", results)
    assert not list((tmp_path / "out" / "runs").iterdir())
    assert again.as_json() == first.as_json()


def test_without_them_it_runs(made: tuple[Path, runner.StudyOutcome], tmp_path: Path) -> None:
    outcome = run(tmp_path / "out", tmp_path / "none")
    assert len(list((tmp_path / "out" / "runs").iterdir())) == 4
    assert [c.ours for c in outcome.claims] == [c.ours for c in made[1].claims]


def test_more_than_is_packed_at_once_is_packed_in_parts(
    made: tuple[Path, runner.StudyOutcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results_store, "AT_ONCE_BYTES", 1)
    outcome = run(tmp_path / "out", tmp_path / "results")
    assert len(list((tmp_path / "results").glob(f"{NAME}/quick/*/runs.parquet"))) == 4
    assert outcome.as_json()["claims"] == made[1].as_json()["claims"]
    run(tmp_path / "again", tmp_path / "results")
    assert not list((tmp_path / "again" / "runs").iterdir())


def columns_of(results: Path) -> dict[str, set[str]]:
    """Return the columns of the tables that are stored of runs."""
    files = results.glob(f"{NAME}/quick/*/*.parquet")
    return {file.stem: set(read_columns(file)) for file in files if file.stem != "runs"}


def test_only_columns_that_the_report_reads_are_stored(
    made: tuple[Path, runner.StudyOutcome],
) -> None:
    columns = columns_of(made[0])
    assert set(columns) == {"flows", "ports", "series"}
    assert columns["ports"] == {"link"}
    assert {"cwnd_packets", "drops"} <= columns["series"]
    assert "throughput_bps" not in columns["series"]


def test_of_a_large_study_what_the_claims_read_is_stored_and_a_report_makes_the_runs_again(
    made: tuple[Path, runner.StudyOutcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results_store, "REPORT_BYTES", 1)
    first = run(tmp_path / "out", tmp_path / "results")
    assert first.as_json()["claims"] == made[1].as_json()["claims"]
    claims, report = columns_of(tmp_path / "results"), columns_of(made[0])
    assert all(columns <= report[name] for name, columns in claims.items())
    asked = study.plan_study(NAME, "quick", results=tmp_path / "results")
    kept = runner.read_finished(asked)
    assert kept is not None
    assert not any(results_store.serves_reports(one) for one in kept.results.values())
    (computed,) = stored.compute_stored(tmp_path / "results")
    assert (computed.computed, computed.moved) == (True, ())
    assert computed.claims == first.claims
    again = run(tmp_path / "again", tmp_path / "results")
    assert len(list((tmp_path / "again" / "runs").iterdir())) == 4
    assert again.as_json()["claims"] == first.as_json()["claims"]
    assert columns_of(tmp_path / "results") == claims


def test_what_a_changed_study_asks_beyond_what_is_stored_is_said_and_made_again(
    made: tuple[Path, runner.StudyOutcome],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    asked = study.plan_study(NAME, "quick", tmp_path / "out", results=tmp_path / "results")
    shutil.copytree(made[0], tmp_path / "results")
    packed = StoredResults(tmp_path / "results" / NAME / "quick").runs
    less = {
        job.identity: Result({"ports": one.ports}, one.meta)
        for job in asked.jobs.values()
        if (one := packed.read(job.identity))
    }
    packed.replace([less])
    (computed,) = stored.compute_stored(tmp_path / "results")
    assert (computed.computed, computed.claims) == (False, made[1].claims)
    assert "a claim reads data that is not stored (" in computed.describe_values()
    assert "stores no table 'flows' of this run" in computed.describe_values()
    outcome = run(tmp_path / "out", tmp_path / "results")
    assert "the report reads it, so the runs are made again" in caplog.text
    assert outcome.as_json()["claims"] == made[1].as_json()["claims"]
    assert columns_of(tmp_path / "results") == columns_of(made[0])


def test_all_claims_are_judged_from_stored_findings(made: tuple[Path, runner.StudyOutcome]) -> None:
    results, outcome = made
    (read,) = stored.read_stored(results)
    assert (read.study, read.scale, read.stale) == (NAME, "quick", "")
    assert read.claims == outcome.claims
    assert read.basis.runs == 4
    said = CliRunner().invoke(app, ["reproduce", "--results", str(results), "--json"])
    assert json.loads(said.stdout)[0]["claims"] == outcome.as_json()["claims"]
    shown = CliRunner().invoke(app, ["reproduce", "--results", str(results)]).stdout
    assert "tcp-red: scale quick, 4 runs" in shown
    assert "STALE" not in shown


def test_differences_are_explained_below_the_table(
    made: tuple[Path, runner.StudyOutcome],
) -> None:
    shown = CliRunner().invoke(app, ["reproduce", "--results", str(made[0])]).stdout
    below = shown[shown.index("\nDiffers:\n") :]
    [remedy] = [claim for claim in made[1].claims if claim.id == "remedy"]
    assert f"  {NAME} remedy [in the source]: {remedy.reason}\n" in below
    assert "\nNot checkable:\n" in below
    assert " differences: " in below.splitlines()[-1]


def test_no_committed_difference_is_unexplained() -> None:
    for folder in sorted(RESULTS.glob("*/*")):
        found = StoredResults(folder).read()
        for claim in study.load(folder.parent.name).claims if found else ():
            judged = judge(claim, found.estimates, folder.name)
            assert judged.verdict != "differs" or (judged.reason and judged.whose), claim.id


def test_verdicts_follow_the_claims_of_today(
    made: tuple[Path, runner.StudyOutcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = [claim.model_copy(update={"tolerance": ">= 1e9"}) for claim in study.load(NAME).claims]
    monkeypatch.setattr(study.Study, "claims", claims)
    (read,) = stored.read_stored(made[0])
    assert not any(claim.verdict == "holds" for claim in read.claims)
    assert not read.stale  # the numbers are as good as they were


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"results": 0}, "results have changed since (their number was 0, is "),
        ({"runs_hash": "other"}, "its runs are others now"),
    ],
)
def test_stale_results_are_reported(
    made: tuple[Path, runner.StudyOutcome], tmp_path: Path, change: dict[str, object], said: str
) -> None:
    shutil.copytree(made[0], tmp_path / "results")
    place = StoredResults(tmp_path / "results" / NAME / "quick")
    found = place.read()
    assert found is not None
    place.write(found.estimates, replace(found.basis, **change))  # type: ignore[arg-type]
    shown = CliRunner().invoke(app, ["reproduce", "--results", str(tmp_path / "results")]).stdout
    assert f"STALE: {said}" in shown


def test_every_value_is_computed_from_the_stored_runs(
    made: tuple[Path, runner.StudyOutcome], tmp_path: Path
) -> None:
    shutil.copytree(made[0], tmp_path / "results")
    place = StoredResults(tmp_path / "results" / NAME / "quick")
    found = place.read()
    assert found is not None
    wrong = found.estimates["A.R"].model_copy(update={"ours": 99.0})
    place.write({**found.estimates, "A.R": wrong}, replace(found.basis, code_hash="other"))
    (read,) = stored.read_stored(tmp_path / "results")
    assert {c.id: c.ours for c in read.claims}["A.R"] == 99.0
    assert read.stale == "its analysis has changed"
    (computed,) = stored.compute_stored(tmp_path / "results", update=True)
    assert computed.claims == made[1].claims
    assert (computed.computed, computed.moved, computed.stale) == (True, ("A.R",), "")
    (again,) = stored.compute_stored(tmp_path / "results")
    assert again.moved == ()
    assert "values computed from its stored runs" in again.describe_values()
    # without the runs the stored values are used
    for piece in place.folder.glob("*/runs.parquet"):
        shutil.rmtree(piece.parent)
    (kept,) = stored.compute_stored(tmp_path / "results")
    assert (kept.computed, kept.claims) == (False, made[1].claims)


def test_runs_of_an_engine_with_other_rules_are_found_by_their_labels(
    made: tuple[Path, runner.StudyOutcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Job, "identity", property(lambda job: f"another {job.labels}"))
    (computed,) = stored.compute_stored(made[0])
    assert computed.computed
    assert computed.claims == made[1].claims


def claims_of(name: str, scale: str, **verdicts: str) -> stored.StoredStudy:
    """Make a stored study whose claims have these verdicts."""
    model = study.load(NAME).claims[0]
    judged = judge(model, {}, "quick")
    made = tuple(
        judged.model_copy(update={"id": claim, "verdict": Verdict(verdict)})
        for claim, verdict in verdicts.items()
    )
    return stored.StoredStudy(name, scale, made, Basis("", "", 1, 1.0), "")


@pytest.mark.parametrize(
    ("of_small", "of_large", "outcome"),
    [
        ({"a": "differs"}, {"a": "holds"}, "holds"),  # the largest scale counts
        ({"a": "differs"}, {"a": "not run"}, "differs"),
        ({}, {"a": "holds", "b": "differs"}, "holds in part"),
        ({}, {"a": "corrected", "b": "undecided"}, "differs"),
        ({}, {"a": "holds", "b": "undecided"}, "undecided"),
        ({"a": "not run"}, {"b": "not checkable"}, "not judged"),
    ],
)
def test_a_sentence_is_judged_once_by_all_its_claims_at_the_largest_scale(
    of_small: dict[str, str], of_large: dict[str, str], outcome: str
) -> None:
    sentence = Statement(at="p", says="s", claims={"small": ("a", "b"), "large": ("a", "b")})
    known = {
        "small": claims_of("small", "quick", **of_small),
        "large": claims_of("large", "standard", **of_large),
    }
    assert judge_statement(sentence, known) == outcome


def test_sentences_count_once_and_claims_of_none_apart() -> None:
    read = stored.read_stored(RESULTS)
    counted = count_statements(read)
    with_claims = [
        (name, place, sentence.at)
        for name, document in read_documents().items()
        for place, sentence in enumerate(document.statements)
        if sentence.claims and name != "mills-2011-findings"
    ]
    assert sum(counted.outcomes.values()) == len(with_claims)
    assert counted.claims + counted.apart == sum(len(one.claims) for one in read)
    assert counted.describe().startswith(f"{len(with_claims)} sentences, figures and tables")


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    estimates = {
        "a": Estimate(ours=1.5, ci=(1.0, 2.0), note="a note, with a comma"),
        "b": Estimate(ours=float("nan")),
    }
    place = StoredResults(tmp_path)
    assert place.read() is None
    place.write(estimates, Basis("r", "c", 3, 1.5))
    found = place.read()
    assert found is not None
    assert found.estimates["a"] == estimates["a"]
    assert found.estimates["b"].ci is None
    assert replace(found.basis, date="") == Basis("r", "c", 3, 1.5)


def test_the_same_findings_keep_their_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page states the day on which the stored values were found."""
    place, basis = StoredResults(tmp_path), Basis("r", "c", 3, 1.5)

    def date_after(day: str, ours: float, basis: Basis) -> str:
        monkeypatch.setattr("time.strftime", lambda _: day)
        unknown = Estimate(ours=float("nan"))
        place.write({"a": Estimate(ours=ours, ci=(1.0, 2.0)), "b": unknown}, basis)
        found = place.read()
        assert found is not None
        return found.basis.date

    assert date_after("2026-01-01", 1.5, basis) == "2026-01-01"
    assert date_after("2026-01-02", 1.5, basis) == "2026-01-01"
    other_code = replace(basis, code_hash="d")
    assert date_after("2026-01-02", 1.5, other_code) == "2026-01-01"
    found = place.read()
    assert found is not None
    assert found.basis.code_hash == "d"
    assert date_after("2026-01-03", 1.6, basis) == "2026-01-03"
    assert date_after("2026-01-04", 1.6, replace(basis, runs_hash="s")) == "2026-01-04"


def test_a_run_of_two_conditions_counts_once(
    made: tuple[Path, runner.StudyOutcome], tmp_path: Path
) -> None:
    """Two small buffers can be the same number of packets."""
    asked = study.plan_study(NAME, "quick", tmp_path / "out", results=made[0])
    kept = runner.read_finished(asked)
    assert kept is not None
    one = next(iter(kept.results.values()))
    twice = replace(kept, results={("a",): one, ("b",): one})
    read = results_store.ReadRuns(twice, {("a",): "identity", ("b",): "identity"})
    assert read.count == len(dict(read.trim())) == 1


def test_damaged_findings_are_replaced(tmp_path: Path) -> None:
    place = StoredResults(tmp_path)
    (tmp_path / "findings.parquet").write_bytes(b"damaged")
    place.write({"a": Estimate(ours=1.5)}, Basis("r", "c", 1, 1.0))
    found = place.read()
    assert found is not None
    assert found.estimates["a"].ours == 1.5


def test_a_claim_from_one_condition_stays_undecided(tmp_path: Path) -> None:
    one = estimate_mean_ratio([1.5], "conditions", "seen")
    assert not one.decided
    assert one.note == "seen; one of the conditions: no interval"
    assert estimate_mean([1.5]).decided  # one replicate is taken as exact
    place = StoredResults(tmp_path)
    place.write({"c": one, "d": estimate_mean([1.5])}, Basis("r", "c", 1, 1.0))
    read = place.read()
    assert read is not None
    assert {claim: found.decided for claim, found in read.estimates.items()} == {
        "c": False,
        "d": True,
    }


def test_a_stopped_study_keeps_its_finished_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The runs that a machine made in its two hours are available to the next one."""
    asked = study.plan_study(NAME, "quick", tmp_path / "out", results=tmp_path / "results")
    jobs = list(asked.jobs.values())
    whole = runner.Scheduler.run

    def stop(scheduler: runner.Scheduler, all_of: object, *arguments: object) -> None:
        whole(scheduler, jobs[:1], *arguments)  # type: ignore[arg-type]
        raise InterruptedRunError("stopped")

    monkeypatch.setattr(runner.Scheduler, "run", stop)
    with pytest.raises(InterruptedRunError):
        runner.run_study(asked, WorkerPool(1))
    kept = StoredResults(tmp_path / "results" / NAME / "quick").runs
    assert len(kept) == 1
    monkeypatch.undo()
    elsewhere = study.plan_study(
        NAME, "quick", tmp_path / "elsewhere", results=tmp_path / "results"
    )
    runner.run_study(elsewhere, WorkerPool(1))
    assert len(list((tmp_path / "elsewhere" / "runs").iterdir())) == 3
    assert columns_of(tmp_path / "results").keys() == {"flows", "ports", "series"}
    assert len(StoredResults(tmp_path / "results" / NAME / "quick").runs) == 4


def test_an_analysis_of_nist_rests_on_what_its_studies_share() -> None:
    one = study.load("nist-1b")
    files = {path.relative_to(one.folder.parent).as_posix() for path in one.code}
    assert {"nist_1b/analysis.py", "nist/replaced.py", "nist/replaced.toml"} <= files
    assert not any("claims" in file or file.startswith("senders") for file in files)


def test_wrong_folders_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(HeadgateError, match="contains no stored findings; `headgate reproduce --r"):
        stored.read_stored(tmp_path)
    place = tmp_path / NAME / "quick"
    place.mkdir(parents=True)
    (place / "findings.parquet").write_text("nothing")
    with pytest.raises(StoreError, match=r"findings\.parquet: cannot be read"):
        stored.read_stored(tmp_path)
    own = study.Overrides(settings=("x=1",))
    with pytest.raises(HeadgateError, match="leave it out with --cca, --set and --design"):
        study.plan_study(NAME, "quick", None, own, tmp_path)


def test_stop_after_takes_a_time() -> None:
    done = CliRunner().invoke(app, ["study", NAME, "--stop-after", "2 hours"])
    assert isinstance(done.exception, HeadgateError)
    assert "--stop-after: '2 hours' has the unit 'hours'" in str(done.exception)
