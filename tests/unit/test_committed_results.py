"""The results in the repository: the runs behind every claim are there, and give its value."""

from pathlib import Path

import pytest

from headgate.campaign.packed import PackedRuns
from headgate.experiment.stored import StoredResults
from headgate.studies import stored

RESULTS = Path(__file__).parents[2] / "results"
FOLDERS = [path.parent for path in sorted(RESULTS.glob("*/*/findings.parquet"))]
#: Findings of a time when the tables of these studies were too large for a repository.
WITHOUT_RUNS = {"fct", "vcp", "tcp-replacements"}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_the_runs_behind_stored_findings_are_stored(folder: Path) -> None:
    found = StoredResults(folder).read()
    assert found is not None
    count = len(PackedRuns(folder))
    assert count == found.basis.runs or (count == 0 and folder.parent.name in WITHOUT_RUNS)


@pytest.mark.slow
def test_every_value_is_computed_from_its_runs_and_is_the_stored_one() -> None:
    for one in stored.compute_stored(RESULTS):
        assert one.computed or one.study in WITHOUT_RUNS, one.describe_values()
        assert one.stale or not one.moved, one.describe_values()
