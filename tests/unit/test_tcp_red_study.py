"""The study of TCP over RED: whole, as it takes no time; its readings on made-up traces."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headgate.base.errors import HeadgateError
from headgate.claims.claim import read_bounds
from headgate.claims.verdicts import JudgedClaim, judge
from headgate.engine.fluid import solve
from headgate.experiment.runs import Analysis, Runs
from headgate.experiment.study.study import load
from headgate.figures.plots.style import save_figure
from headgate_studies.tcp_red.findings import change_by_tolerance, distance_of_row
from headgate_studies.tcp_red.working_points import FIRST, SECOND, THIRD, Simulations, Trace

from .made_runs import results_of


@pytest.fixture(scope="module")
def simulations() -> Simulations:
    study = load("tcp-red")
    setup = study.setup(study.scale("quick"))
    return Simulations(setup, results_of(study.jobs(setup)))


@pytest.fixture(scope="module")
def analysis(simulations: Simulations) -> Analysis:
    return load("tcp-red").analyse(simulations)


@pytest.fixture(scope="module")
def judged(analysis: Analysis) -> dict[str, JudgedClaim]:
    return {c.id: judge(c, analysis.findings, "quick") for c in load("tcp-red").claims}


def test_every_claim_has_its_verdict(judged: dict[str, JudgedClaim]) -> None:
    verdicts: dict[str, list[str]] = {}
    for name, claim in judged.items():
        verdicts.setdefault(claim.verdict.value, []).append(name)
    assert verdicts["corrected"] == ["sim2.cycle_s", "sim2.share_ab", "tmin"]
    assert verdicts["differs"] == ["s-deviation-grows", "growth-above", "remedy"]
    assert verdicts["not checkable"] == ["sim2.B.R", "sim2.D.R"]
    assert set(verdicts) == {"holds", "corrected", "differs", "not checkable"}


@pytest.mark.parametrize(
    ("claim", "printed"),
    [
        ("A.R", 0.4022561), ("A.S", 30.0457085), ("B.R", 0.4587836), ("B.S", 31.9280144),
        ("C.R", 1.0042246), ("C.S", 29.9731524), ("sim2.A.R", 0.5276), ("sim2.B.S", 31.53),
        ("sim2.C.R", 0.6895),
    ],
)  # fmt: skip
def test_points_are_as_printed_within_half_a_per_cent(
    judged: dict[str, JudgedClaim], claim: str, printed: float
) -> None:
    assert judged[claim].ours == pytest.approx(printed, rel=0.005)


def test_the_clock_is_that_of_the_printed_rows(simulations: Simulations) -> None:
    """Without the ACK at half a round trip every row comes 0.10 s late: W of 17.18 s by 5 %."""
    claims = {claim.id: claim for claim in load("tcp-red").claims}
    call = claims["row-17.18"].call
    assert call
    late = replace(simulations.setup, settings=_without_first_ack(simulations.setup.settings))
    found = [
        distance_of_row(made, **call.arguments).ours
        for made in (simulations, Simulations(late, {}))
    ]
    assert found[0] < 0.002
    assert found[1] > 0.05


def _without_first_ack(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {**settings, "program": {**settings["program"], "first_ack_s": 0.0}}


def test_the_printed_rows_of_b_give_its_queue(judged: dict[str, JudgedClaim]) -> None:
    """R = D + q/C at B: (0.4587836 - 0.2) * 30 = 7.7635, not 13.268."""
    assert judged["tmin"].ours == pytest.approx(7.7635, rel=0.005)


def test_the_row_that_the_source_takes_for_b_has_its_tmin(judged: dict[str, JudgedClaim]) -> None:
    """Row 291 of the cycle, counted from 17.18 s on, is at 22.98 s; there the queue is 13.268."""
    assert "that of 22.98 s, with 13.27 packets" in judged["tmin"].note


def test_the_42_per_cent_follow_from_a_cycle_of_three_periods(
    judged: dict[str, JudgedClaim],
) -> None:
    """The source prints 9.88 s from B to A: the rest of 17.04 s is 42 %."""
    assert pytest.approx(0.42, abs=0.001) == (17.04 - 9.88) / 17.04
    period_s = 5.76
    assert f"{period_s} s" in judged["sim2.cycle_s"].note
    assert (2 * period_s - 9.88) / period_s == pytest.approx(
        judged["sim2.share_ab"].ours, abs=0.002
    )


def test_s_is_spread_more_by_its_box_and_less_by_its_deviation(
    judged: dict[str, JudgedClaim],
) -> None:
    """The source's own summaries: quartiles 0.47 to 2.70 apart, ends 11.61 to 6.02."""
    assert judged["s-spread-grows"].ours == pytest.approx(
        (31.48 - 28.78) / (31.45 - 30.98), rel=0.05
    )
    assert judged["s-deviation-grows"].ours == pytest.approx(0.66, abs=0.01)


@pytest.mark.parametrize("claim", ["A.S", "C.S"])
def test_the_rate_of_the_link_fails_the_printed_rate_at_a_turn(claim: str) -> None:
    (own,) = (one for one in load("tcp-red").claims if one.id == claim)
    low, high = read_bounds(own.tolerance or "", own.published)
    assert not low <= 30.0 <= high


def test_drops_in_a_row_without_printed_drops_count(simulations: Simulations) -> None:
    """1 % of drops mean an average of 20.4 packets: 2 % above Tmin."""
    made = Simulations(simulations.setup, {})
    trace = simulations.program[FIRST]
    made.program = {FIRST: replace(trace, p=np.full(len(trace.p), 0.01))}
    claims = {claim.id: claim for claim in load("tcp-red").claims}
    call = claims["row-48.06"].call
    assert call
    assert distance_of_row(made, **call.arguments).ours == pytest.approx(0.02, rel=0.01)


def test_every_picture_and_table_is_made(analysis: Analysis, tmp_path: Path) -> None:
    names = [picture.name for picture in analysis.pictures]
    assert names == [
        "phase-diagrams", "phases", "changes", "growth", "average", "boxes", "beside",
    ]  # fmt: skip
    for picture in analysis.pictures:
        assert all(
            path.stat().st_size > 5000
            for path in save_figure(picture.figure, tmp_path, picture.name)
        )
    assert len(analysis.tables) == 5
    assert len(analysis.sentences) == 6
    assert set(analysis.data[0]["phase"]) == {"slow start", "transient", "steady cycle"}


def test_tolerances_and_steps_of_the_study_can_be_set() -> None:
    study = load("tcp-red")
    setup = study.setup(study.scale("quick"))
    rough = {**setup.settings, "exact": {"tolerance": 1e-4, "every": "5 ms"}}
    setup = type(setup)(setup.ccas, setup.seeds, rough, setup.design)
    assert change_by_tolerance(Simulations(setup, {})).ours > 1e-8


def test_half_the_tolerance_changes_no_verdict(simulations: Simulations) -> None:
    study = load("tcp-red")
    setup = study.setup(study.scale("quick"))
    found = []
    for tolerance in (1e-6, 5e-7):
        settings = {**setup.settings, "exact": {"tolerance": tolerance, "every": "5 ms"}}
        own = study.analyse(Runs(replace(setup, settings=settings), simulations.results)).findings
        found.append([judge(claim, own, "quick").verdict for claim in study.claims])
    assert found[0] == found[1]


def test_runs_by_packets_go_round_between_their_bounds(simulations: Simulations) -> None:
    """One flow over 30 packets/s: S = W/R is 30 on average; Reno halves, so R goes far."""
    for name in (FIRST, SECOND, THIRD):
        trace = simulations.packets[name]
        assert trace.summary("S")[3] == pytest.approx(30.0, rel=0.05)
        assert trace.points["C"].R > 1.2 * trace.points["A"].R


def circle(rows: int = 400) -> Trace:
    """Go round twice and a half in {R, S} in 10 s each; drops while R is beyond 2.5."""
    t_s = np.arange(2.5 * rows) * 10 / rows
    angle = 2 * np.pi * t_s / 10
    R, S = 2 - np.cos(angle), 30 + np.sin(angle)  # noqa: N806 - the field's letters
    p = np.where(R > 2.5, 0.1, 0.0)
    return Trace(t_s=t_s, W=R * S, R=R, q=30 * R, x=30 * R, p=p, ssthresh=0.0)


def test_the_points_of_a_circle_are_where_it_turns() -> None:
    """From R's least at 0 it goes by S's greatest at 2.5 s, R's greatest, S's least at 7.5 s."""
    trace = circle()
    assert trace.period_s == pytest.approx(10.0)
    assert trace.printed_period_s == pytest.approx(10.0 - 10 / 400)
    # Drops begin when cos = -1/2, a third of the way round: 3.33 s; so does the cycle.
    assert {letter: round(point.t_s % 10, 3) for letter, point in trace.points.items()} == {
        "A": 0.0, "B": 2.5, "C": 5.0, "D": 7.5,
    }  # fmt: skip
    assert trace.time_s("A", "B") == pytest.approx(2.5)
    assert trace.share_beyond == pytest.approx((3.333 - 2.5) / 10, abs=0.003)
    since_a = trace.changes("R")[1]
    assert since_a[0] == 0.0
    assert since_a[-1] == pytest.approx(100.0)  # from 1 to 2


def test_slopes_are_low_and_high_as_in_the_printed_rows() -> None:
    """Rows 860 to 864: increase low, low, high, high (the last as the one before)."""
    rates = np.array([20.10633, 20.11099, 20.12038, 20.13638, 20.15719])
    one = np.ones(5)
    t_s = 17.18 + 0.02 * np.arange(5)
    trace = Trace(t_s=t_s, W=rates, R=one, q=one, x=one, p=0 * one, ssthresh=0.0)
    grows, fast = trace.slopes
    assert grows.all()
    assert list(fast) == [False, False, True, True, True]


def test_a_trace_without_a_cycle_says_so() -> None:
    series = solve("tcp-red", duration="10 s").series
    trace = Trace.of(series, "flow", "link", ssthresh=10.0)
    with pytest.raises(HeadgateError, match="has no cycle"):
        _ = trace.points
    with pytest.raises(HeadgateError, match="has no rows of both flow 'other' and link 'link'"):
        Trace.of(series, "other", "link")
