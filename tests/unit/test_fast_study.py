"""The study of FAST: its models against figures worked out apart, and its cheap parts run whole."""

from pathlib import Path

import numpy as np
import pytest

from headgate.experiment.runnable import Analysis
from headgate.experiment.runs import Runs
from headgate.plots.style import save
from headgate.studies.fast import theory
from headgate.studies.study import load
from headgate.verdicts import Judged, judge

from .made_runs import assert_stored_suffices, results_of

CHEAP = (
    "packet level", "together", "convergence", "weights", "latecomers", "overfull", "dsl",
    "burstiness", "components", "short buffers", "short weights", "short latecomers", "sc2004",
)  # fmt: skip


@pytest.fixture(scope="module")
def runs() -> Runs:
    study = load("fast")
    setup = study.setup(study.scale("quick").model_copy(update={"seeds": 1}))
    jobs = {key: job for key, job in study.jobs(setup).items() if key[0] in CHEAP}
    return Runs(setup, results_of(jobs))


@pytest.fixture(scope="module")
def analysis(runs: Runs) -> Analysis:
    return load("fast").analyse(runs)


@pytest.fixture(scope="module")
def verdicts(analysis: Analysis) -> dict[str, Judged]:
    return {c.id: judge(c, analysis.findings, "quick") for c in load("fast").claims}


@pytest.mark.parametrize(
    "claim",
    [
        "packet-level", "queue-is-sum-of-alpha", "weighted-fairness", "latecomers-2",
        "latecomers-2-queue", "latecomers-3", "latecomers-5", "latecomers-10", "latecomers-queue",
        "latecomers-jain", "true-base-equal", "overfull-loses", "roomy-loses-nothing",
        "overfull-oscillates", "dsl-fast-10", "dsl-fast-18", "dsl-reno-10", "dsl-reno-18",
        "dsl-fast-below-reno", "burstiness-throughput", "sc2004-product", "sc2004-run",
        "short-full-utilisation", "short-queue-is-alpha", "short-weighted-fairness",
        "short-latecomers-3", "short-agent",
    ],
)  # fmt: skip
def test_what_follows_from_the_equation_holds(claim: str, verdicts: dict[str, Judged]) -> None:
    assert verdicts[claim].verdict == "holds", verdicts[claim]


def test_what_claims_read_is_enough_for_them(runs: Runs, tmp_path: Path) -> None:
    assert_stored_suffices(load("fast"), runs, tmp_path)


def test_every_claim_has_a_finding_or_says_why_not(analysis: Analysis) -> None:
    checkable = {claim.id for claim in load("fast").claims if claim.missing is None}
    assert set(analysis.findings) == checkable
    assert all(found.note for found in analysis.findings.values() if np.isnan(found.ours))


def test_what_was_not_run_says_so(verdicts: dict[str, Judged]) -> None:
    assert verdicts["long-fat-95"].verdict == "not run"
    assert "long fat fast 0.0 1 is not part" in verdicts["long-fat-95"].note
    assert verdicts["sc2004-rate-binary"].verdict == "holds"


def test_the_report_has_pictures_sentences_and_data(analysis: Analysis, tmp_path: Path) -> None:
    assert len(analysis.sentences) >= 3
    for picture in analysis.pictures:
        assert all(p.stat().st_size > 5000 for p in save(picture.figure, tmp_path, picture.name))
    assert {picture.name for picture in analysis.pictures} == {
        "short-buffers",
        "components",
        "oscillation",
        "dsl",
    }
    assert {table.name for table in analysis.data} == {part.replace(" ", "_") for part in CHEAP}


# Models ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flows", "queue", "shares"),
    [
        (2, 1.309, [0.382, 0.618]),
        (3, 1.533, [0.217, 0.278, 0.505]),
        (5, 1.858, [0.108, 0.121, 0.150, 0.213, 0.409]),
    ],
)
def test_late_comers(flows: int, queue: float, shares: list[float]) -> None:
    assert theory.latecomer_queue(flows) == pytest.approx(queue, abs=5e-4)
    assert theory.latecomer_shares(flows) == pytest.approx(shares, abs=1e-3)


@pytest.mark.parametrize(
    ("buffer", "alpha", "share", "queue"),
    [(0.25, 0.02, 0.23, 0.12), (0.5, 0.2, 0.52, 0.40), (1, 0.4, 0.50, 0.81), (2, 0.1, 0.08, 1.39)],
)
def test_beside_one_reno(buffer: float, alpha: float, share: float, queue: float) -> None:
    assert theory.against_reno(buffer, alpha) == pytest.approx((share, queue), abs=6e-3)
