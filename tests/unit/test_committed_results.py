"""The results in the repository: the runs behind every claim are there, and give its value."""

from pathlib import Path

import pytest

from headgate.base.version import RESULTS as NUMBER
from headgate.experiment.runner import basis_of
from headgate.experiment.stored import StoredResults
from headgate.experiment.study import stored
from headgate.experiment.study.study import plan_study
from headgate.lab.packed import PackedRuns

RESULTS = Path(__file__).parents[2] / "studies" / "results"
FOLDERS = [path.parent for path in sorted(RESULTS.glob("*/*/findings.parquet"))]
#: Findings of a time when the tables of these studies were too large for a repository.
WITHOUT_RUNS: set[str] = set()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_the_runs_behind_stored_findings_are_stored(folder: Path) -> None:
    found = StoredResults(folder).read()
    assert found is not None
    count = len(PackedRuns(folder))
    assert count == found.basis.runs or (count == 0 and folder.parent.name in WITHOUT_RUNS)


def test_results_of_todays_number_are_of_todays_runs() -> None:
    """A new key of the plan makes no stored run foreign: the number of results says if they are."""
    found = {folder: StoredResults(folder).read() for folder in FOLDERS}
    of_today = {at: one.basis for at, one in found.items() if one and one.basis.results == NUMBER}
    assert of_today
    for folder, basis in of_today.items():
        asked = plan_study(folder.parent.name, folder.name.replace("-", "/"), results=RESULTS)
        assert basis.runs_hash == basis_of(asked, runs=basis.runs).runs_hash, folder


@pytest.mark.slow
def test_every_value_is_computed_from_its_runs_and_is_the_stored_one() -> None:
    for one in stored.compute_stored(RESULTS):
        assert one.computed or one.study in WITHOUT_RUNS, one.describe_values()
        assert one.stale or not one.moved, one.describe_values()
