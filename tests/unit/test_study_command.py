"""A whole study, small: from the command line to the report, and again from the store."""

import json
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest
from typer.testing import CliRunner

from headgate import Result
from headgate.cli.main import app
from headgate.experiment.study import study

from . import small_study
from .made_reports import no_pictures

RUNS = 4 * 4 * 2


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "load", lambda _: small_study.shrunk())
    # the pictures are drawn once, for `finished`: they cost more than all else here
    monkeypatch.setattr("headgate.figures.report.make.draw", no_pictures)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "load", lambda _: small_study.shrunk())
        small_study.run(folder, workers=2)
    return folder


def command(out: Path) -> dict[str, object]:
    words = ["study", "tcp-replacements", "--scale", "quick", "--out", str(out), "--json"]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 0
    found: dict[str, object] = json.loads(done.stdout)
    return found


def digests(folder: Path) -> dict[str, str]:
    return {run.name: Result.read(run).digest for run in (folder / "runs").glob("[!.]*")}


def test_everything_is_stored_and_shown(finished: Path) -> None:
    assert len(digests(finished)) == RUNS
    page = finished / "report.html"
    assert page.stat().st_size < 5_000_000
    drawn = {path.stem for path in (finished / "figures").glob("*.svg")}
    assert drawn == {path.stem for path in (finished / "figures").glob("*.png")}
    assert drawn >= {
        "answer",
        "changes",
        "utilisation-map",
        "main-effects-period-2",
        "correlations",
    }
    tables = {path.name for path in (finished / "tables").iterdir()}
    assert tables >= {"influence.csv", "influence.parquet", "outliers-period-1.csv"}


def test_the_answer_comes_before_the_claims(finished: Path) -> None:
    page = (finished / "report.html").read_text()
    titles = ["Answer", "Five questions", "What gets worse, and what better", "Claims"]
    titles += ["More findings", "Utilisation of the network", "Design and conditions"]
    places = [page.index(f"<h2>{title}</h2>") for title in titles]
    assert places == sorted(places)
    assert ">18 published claims</a>" in page
    assert "<small>how quickly is the greatest rate reached?</small>" in page
    assert page.count("Not tested: no TCP flows run beside those of an algorithm.") == 1
    assert page.count("A case is a measure under a condition. Words: ") == 1
    assert "slow network, few users" in page
    assert "What changes if everyone leaves reno" not in page  # the heat map shows it already
    assert (
        "What this table does not show" not in page
    )  # a user who runs a study cannot name columns


def test_the_responses_are_one_tidy_table(finished: Path) -> None:
    rows = duckdb.read_parquet(str(finished / "responses.parquet"))
    assert len(rows) == RUNS * 3
    assert {"condition", "X1", "X12", "cca", "seed", "start_s", "y1", "y22"} <= set(rows.columns)
    count = "count(DISTINCT (condition, cca, seed, start_s))"
    assert rows.aggregate(count).limit(1).fetchall() == [(RUNS * 3,)]


def test_finished_runs_are_not_repeated(finished: Path) -> None:
    made = {run: run.stat().st_mtime_ns for run in (finished / "runs").iterdir()}
    found = command(finished)
    assert {run: run.stat().st_mtime_ns for run in (finished / "runs").iterdir()} == made
    assert set(found) == {"study", "claims", "cpu_s", "packet_hops", "findings", "report"}
    stored = json.loads((finished / "claims.json").read_text())
    assert {key: found[key] for key in stored} == stored


def test_a_killed_study_goes_on_and_ends_with_the_same_digests(
    finished: Path, tmp_path: Path
) -> None:
    program = [sys.executable, small_study.__file__, str(tmp_path)]
    with subprocess.Popen(program, stderr=subprocess.DEVNULL) as process:
        while not list((tmp_path / "runs").glob("[!.]*")):
            assert process.poll() is None
            time.sleep(0.01)
        process.kill()
    kept = {run: run.stat().st_mtime_ns for run in (tmp_path / "runs").glob("[!.]*")}
    assert 0 < len(kept) < RUNS
    small_study.run(tmp_path, workers=1)
    assert {run: run.stat().st_mtime_ns for run in kept} == kept
    assert digests(tmp_path) == digests(finished)


def test_a_run_that_is_found_damaged_when_it_is_read_is_made_again(finished: Path) -> None:
    before = digests(finished)
    damaged = next((finished / "runs").iterdir()) / "windows.parquet"
    data = bytearray(damaged.read_bytes())
    data[len(data) // 2] ^= 1
    damaged.write_bytes(data)
    command(finished)
    assert digests(finished) == before


def test_the_list_names_the_studies() -> None:
    done = CliRunner().invoke(app, ["study", "list", "--json"])
    assert "tcp-replacements" in {row["name"] for row in json.loads(done.stdout)}
