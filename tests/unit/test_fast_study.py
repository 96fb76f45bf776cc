"""The study of FAST: its models against figures worked out apart, and its cheap parts run whole."""

from pathlib import Path

import numpy as np
import pytest

from headgate.claims.verdicts import JudgedClaim, judge
from headgate.data.tables import Table, Words
from headgate.engine.api import Result
from headgate.experiment.runs import Analysis, Runs
from headgate.experiment.study.study import load
from headgate.figures.plots.style import save_figure
from headgate_studies.fast import findings_equation, jobs, theory
from headgate_studies.fast.findings_experiments import oc192_order, oc192_order_of
from headgate_studies.fast.measures import swing_period_over_reno, window_swing

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
def verdicts(analysis: Analysis) -> dict[str, JudgedClaim]:
    return {c.id: judge(c, analysis.findings, "quick") for c in load("fast").claims}


@pytest.mark.parametrize(
    "claim",
    [
        "packet-level", "queue-is-sum-of-alpha", "weighted-fairness", "latecomers-2",
        "latecomers-2-queue", "latecomers-3", "latecomers-5", "latecomers-10", "latecomers-queue",
        "latecomers-jain", "true-base-equal", "overfull-loses", "roomy-loses-nothing",
        "overfull-large-amplitude", "overfull-rapid",
        "dsl-fast-10", "dsl-fast-18", "dsl-reno-10", "dsl-reno-18",
        "dsl-fast-below-reno", "burstiness-throughput", "sc2004-product", "sc2004-run",
        "short-full-utilisation", "short-queue-is-alpha", "short-weighted-fairness",
        "short-latecomers-3", "short-agent",
    ],
)  # fmt: skip
def test_what_follows_from_the_equation_holds(claim: str, verdicts: dict[str, JudgedClaim]) -> None:
    assert verdicts[claim].verdict == "holds", verdicts[claim]


def test_stored_columns_suffice_for_the_claims(runs: Runs, tmp_path: Path) -> None:
    assert_stored_suffices(load("fast"), runs, tmp_path)


def test_every_claim_has_a_finding_or_says_why_not(analysis: Analysis) -> None:
    claims = load("fast").claims
    assert set(analysis.findings) == {claim.id for claim in claims if claim.call or claim.value}
    assert set(analysis.findings) >= {claim.id for claim in claims if claim.missing is None}
    assert all(found.note for found in analysis.findings.values() if np.isnan(found.ours))


def test_parts_that_were_not_run_say_so(verdicts: dict[str, JudgedClaim]) -> None:
    assert verdicts["kaist-fast-queue"].verdict == "not run"
    assert "kaist fast is not part" in verdicts["kaist-fast-queue"].note
    assert verdicts["sc2004-rate-binary"].verdict == "holds"


def test_a_statement_that_is_only_recalled_is_not_judged(verdicts: dict[str, JudgedClaim]) -> None:
    recalled = [claim for claim in load("fast").claims if "recalled" in claim.source]
    assert {claim.id for claim in recalled} == {
        "long-fat-95", "long-fat-reno", "two-gbit-92", "jain-fast-first", "jain-scalable-last"
    }  # fmt: skip
    assert {verdicts[claim.id].verdict for claim in recalled} == {"not checkable"}


def test_the_report_has_pictures_sentences_and_data(analysis: Analysis, tmp_path: Path) -> None:
    assert len(analysis.sentences) >= 3
    for picture in analysis.pictures:
        assert all(
            p.stat().st_size > 5000 for p in save_figure(picture.figure, tmp_path, picture.name)
        )
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


# Measures ----------------------------------------------------------------------------------------


def saw_tooth(low: int, high: int, step: int, round_trips: int = 2000) -> Result:
    """Make a run of one flow whose window grows by `step` a round trip of 50 ms, then falls."""
    window = low + np.arange(round_trips) * step % (high - low)
    columns = {
        "of": Words.of(["flow"] * round_trips),
        "name": Words.of(["fast"] * round_trips),
        "t_s": 10 + 0.05 * np.arange(1, round_trips + 1),
        "cwnd_packets": np.asarray(window, float),
    }
    flows = Table("flows", {"mean_rtt_s": np.array([0.05])})
    scenario = {"duration": f"{10 + 0.05 * round_trips} s", "measure": {"warmup": "10 s"}}
    tables = {"series": Table("series", columns), "flows": flows}
    return Result(tables, {"scenario": scenario})


def test_a_saw_tooth_of_reno_is_the_measure_of_swings() -> None:
    """From 40 to 80 packets by one a round trip: 0.192 of its mean, and two thirds of that long."""
    reno = saw_tooth(40, 80, 1)
    assert window_swing(reno) == pytest.approx(1 / (3 * 3**0.5), rel=0.01)
    assert swing_period_over_reno(reno) == pytest.approx(1, rel=0.03)
    assert swing_period_over_reno(saw_tooth(40, 80, 4)) == pytest.approx(1 / 4, rel=0.05)


def test_a_share_above_a_half_makes_up_for_none_below(monkeypatch: pytest.MonkeyPatch) -> None:
    shares = {0.25: 0.3, 0.5: 0.7, 1.0: 0.5, 2.0: 0.5}
    monkeypatch.setattr(findings_equation, "beside_reno", lambda _, b, a: (shares[b], a))
    study = load("fast")
    found = findings_equation.farthest_from_even(Runs(study.setup(study.scale("quick")), {}))
    assert found.ours == pytest.approx(0.4)


def test_an_order_on_oc192_is_of_means_over_losses() -> None:
    """One replicate has Westwood+ above BIC; their means are the other way round."""
    study = load("fast")
    setup = study.setup(study.scale("quick").model_copy(update={"seeds": 2}))
    used = {
        "reno": (0.1, 0.1), "westwood": (0.7, 0.5), "bic": (0.6, 0.8), "fast": (0.9, 0.9)
    }  # fmt: skip

    def run(share: float) -> Result:
        return Result({"ports": Table("ports", {"utilisation": np.array([share])})}, {})

    results = {
        ("oc192", cca, jobs.OC192_CLAIMED_LOSS, 1.0, seed): run(share)
        for cca, shares in used.items()
        for seed, share in zip(setup.seeds, shares, strict=True)
    }
    results |= {("oc192 forms", "simple", 200, seed): run(0.98) for seed in setup.seeds}
    runs = Runs(setup, results)
    assert oc192_order(runs, buffer=1.0).ours == pytest.approx(0.7 / 0.6)
    assert oc192_order(runs.only(1), buffer=1.0).ours == pytest.approx(0.6 / 0.7)
    assert oc192_order_of(runs, form="simple", alpha=200).note.endswith("fast 0.98")
