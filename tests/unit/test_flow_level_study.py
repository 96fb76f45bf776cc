"""The flow-level study: its theory against closed forms, and all of it at its smallest."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from headgate import Result
from headgate.claims.verdicts import JudgedClaim
from headgate.experiment.runs import Analysis, Runs
from headgate.experiment.study.study import Study, load
from headgate.figures.plots.style import save_figure
from headgate_studies.flow_level import measures, networks, theory
from headgate_studies.flow_level.findings import (
    bound,
    first_full,
    reno_windows,
    updates_until_full,
    use_once_full,
)
from headgate_studies.flow_level.solutions import Solutions

from .made_runs import assert_stored_suffices, results_of
from .study_findings import judge_numbers

SMALL = {
    "periodic": {"losses": 25, "probabilities": [3e-4, 1e-4, 3e-5]},
    "random": [{"losses": 60, "probabilities": [3e-4, 1e-4]}],
    "approach": {"loss": 3e-4, "flows": 60, "starts": [0.33, 2.0], "rounds": 150},
    "fair": {"warmup": "40 s", "duration": "60 s"},
    "theorem": {"starts": 30, "shown": 4, "updates": 20},
}


def shrunk(study: Study) -> Runs:
    setup = study.setup(study.scale("quick").model_copy(update={"seeds": 2}))
    delay = {**setup.settings["delay"], "flows": [1, 2, 4], "rates_mbps": [100, 100, 50]}
    return Runs(replace(setup, settings={**setup.settings, **SMALL, "delay": delay}), {})


@pytest.fixture(scope="module")
def study() -> Study:
    return load("flow-level")


@pytest.fixture(scope="module")
def runs(study: Study) -> Runs:
    small = shrunk(study)
    return replace(small, results=results_of(study.jobs(small.setup)))


@pytest.fixture(scope="module")
def analysis(study: Study, runs: Runs) -> Analysis:
    return study.analyse(runs)


@pytest.fixture(scope="module")
def verdicts(study: Study, analysis: Analysis) -> dict[str, JudgedClaim]:
    return judge_numbers("flow-level", analysis.findings)


def test_stored_columns_suffice_for_the_claims(study: Study, runs: Runs, tmp_path: Path) -> None:
    assert_stored_suffices(study, runs, tmp_path)


def test_a_cycle_without_recovery_has_the_closed_forms() -> None:
    """Reno 1.5^0.5 and, at random losses, 1.31; STCP 0.01/-ln(7/8) whichever they are.

    At random 4,000 flows of 100 losses each give a mean within half a per cent.
    """
    for cca, kind, closed, within in (
        ("reno", False, 1.5**0.5, 1e-4),
        ("reno", True, 1.3098, 5e-3),
        ("scalable", False, 0.01 / -np.log(7 / 8), 1e-4),
        ("scalable", True, 0.01 / -np.log(7 / 8), 5e-3),
    ):
        exponent = theory.PRINTED[cca][0]
        ours = theory.mean_window(cca, 1e-4, random=kind, recovery=0.0) * 1e-4**exponent
        np.testing.assert_allclose(ours, closed, rtol=within)


def test_recovery_takes_a_round_trip_and_its_packets() -> None:
    """STCP: growth through 1/p - 7/8 W packets from 7/8 W to W, W/8 = 0.01 of them, and 1 more."""
    peak = 1e4 / (12.5 + 7 / 8)
    rounds = -np.log(7 / 8) / 0.01 + 1
    ours = theory.mean_window("scalable", 1e-4, random=False)
    np.testing.assert_allclose(ours, 1e4 / rounds, rtol=1e-4)
    np.testing.assert_allclose(0.125 * peak, 0.01 * (1e4 - 7 / 8 * peak))


def test_hstcp_s_exponent_is_that_of_its_two_points() -> None:
    assert round(theory.HSTCP_EXPONENT, 4) == 0.8348
    np.testing.assert_allclose(38 * 1e4**theory.HSTCP_EXPONENT, 83_000)


def test_a_power_is_found_with_its_interval() -> None:
    x = np.geomspace(1e-5, 1e-2, 7)
    exact = theory.power(x, 3 / x**0.7)
    assert exact.exponent == pytest.approx(0.7)
    assert theory.constant(x, 3 / x**0.7, 0.7) == pytest.approx(3)
    off = np.exp(np.random.default_rng(1).normal(0, 0.1, 7))
    rough = theory.power(x, off / x**0.7)
    assert rough.low < 0.7 < rough.high
    assert rough.high - rough.low > 0.01
    assert np.isnan(theory.power(x[:2], x[:2]).low)


def test_nothing_is_gained_by_other_rates_where_they_are_fair_and_something_where_not() -> None:
    links = networks.EVEN.rates()[0]
    fair = np.array([links / 4, *[3 * links / 4] * 3])
    assert measures.greatest_gain(networks.EVEN, fair) == pytest.approx(0, abs=1e-9)
    # Halves for all: the long flow gives up its 1/2 of each link, and three gain 1 each.
    assert measures.greatest_gain(networks.EVEN, np.full(4, links / 2)) == pytest.approx(
        (3 - 1) / 4
    )


def test_the_bound_of_updates_until_the_link_is_full_by_hand() -> None:
    """C = 100e6/12000; gamma alpha sum(1/d) = 25 (50 + 25 + 12.5 + 6.25) = 2344: 3.6 updates."""
    assert bound(np.zeros(4)) == 4
    assert bound(np.array([160.0, 0, 0, 0])) == 1  # 8000 of 8333 packets/s


def test_a_link_that_never_fills_is_not_full_at_once() -> None:
    assert first_full(np.array([0.2, 0.7, 1.0, 1.0])) == 2
    assert first_full(np.array([0.2, 0.7, 0.9])) == math.inf


def test_without_a_full_link_no_claim_of_one_holds(study: Study, runs: Runs) -> None:
    made = Solutions(runs.setup, runs.results)
    windows = np.ones((3, 4))
    made.filling = [(np.array([0.2, 0.7, 0.9]), windows)]
    assert updates_until_full(made).ours == math.inf
    assert use_once_full(made).ours == 0.0
    made.filling = [(np.array([0.2, 1.0, 0.9]), windows)]
    assert use_once_full(made).ours == pytest.approx(0.9)


def test_what_the_slides_constants_are_corrected_to_follows_from_cycles() -> None:
    """The geometric mean over the p of the standard scale, round by round."""
    losses = (3e-4, 1e-4, 3e-5, 1e-5, 3e-6)

    def constant(cca: str, exponent: float, *, random: bool) -> float:
        each = [theory.mean_window(cca, p, random=random) * p**exponent for p in losses]
        return float(np.exp(np.mean(np.log(each))))

    corrections = {c.id: c.corrected.published for c in load("flow-level").claims if c.corrected}
    for claim, found in (
        ("alpha-hstcp-periodic", constant("hstcp", 0.84, random=False)),
        ("alpha-hstcp-random", constant("hstcp", 0.84, random=True)),
        ("alpha-reno-random", constant("reno", 0.5, random=True)),
    ):
        assert corrections[claim] == pytest.approx(found, rel=0.005), claim


def test_reno_s_rates_are_compared_times_their_round_trips(runs: Runs) -> None:
    """Rates in the ratio of 1.5 at round trips of 1 to 4 are no rates by 1/T: 0.375, not 1."""
    names = networks.UNEVEN.names
    made = Solutions(runs.setup, dict(runs.results))
    for key, run in runs.results.items():
        if key[:3] == ("fair", "uneven", "reno"):
            flows = run.flows.where(np.arange(len(run.flows)))
            near, far = names.index("near"), names.index("far")
            flows["delivered_packets"][near] = 1500
            flows["delivered_packets"][far] = 1000
            flows["mean_rtt_s"][near], flows["mean_rtt_s"][far] = 0.03, 0.12
            made.results[key] = Result({**run.tables, "flows": flows}, run.meta)
    assert reno_windows(made).ours == pytest.approx(0.375)


def test_every_claim_is_judged(study: Study, analysis: Analysis) -> None:
    assert set(analysis.findings) == {claim.id for claim in study.claims}
    assert all(np.isfinite(found.ours) for found in analysis.findings.values())


@pytest.mark.parametrize(
    "claim",
    [
        "exponent-reno-solution", "exponent-scalable-solution", "exponent-fast-solution",
        "exponent-vegas-solution", "exponent-reno-periodic", "exponent-hstcp-periodic",
        "exponent-scalable-periodic", "exponent-fast-packets", "alpha-reno-solution",
        "alpha-hstcp-rfc", "alpha-scalable-solution", "alpha-fast-packets", "vegas-between",
        "dynamics-scalable", "dynamics-fast-paced", "fair-closed",
        "fair-solution", "fair-packets", "fair-variation", "fair-rtt", "fair-alpha", "reno-rtt",
        "contraction", "contraction-full-pairs", "contraction-network", "exponential",
        "exponential-global", "full", "full-stays", "windows-same", "windows-factor",
    ],
)  # fmt: skip
def test_statements_of_the_slides_hold(claim: str, verdicts: dict[str, JudgedClaim]) -> None:
    assert verdicts[claim].verdict == "holds", verdicts[claim]


def test_recovery_which_the_equation_leaves_out_takes_scalable_a_round(
    verdicts: dict[str, JudgedClaim],
) -> None:
    """13.4 round trips of growth and one of recovery: 0.075 * 13.4 / 14.4 = 0.0698."""
    assert verdicts["alpha-scalable-periodic"].verdict == "differs"
    assert verdicts["alpha-scalable-periodic"].ours == pytest.approx(0.0698, rel=0.02)


@pytest.mark.parametrize("claim", ["exponent-hstcp-solution", "alpha-hstcp-solution"])
def test_rounded_figures_of_the_slides_are_corrected(
    claim: str, verdicts: dict[str, JudgedClaim]
) -> None:
    assert verdicts[claim].verdict == "corrected", verdicts[claim]


def test_lines_lose_every_so_many_th_packet(runs: Runs) -> None:
    """25 losses are measured: within three, as times are those of the printed windows."""
    for cca in ("reno", "hstcp", "scalable"):
        lost = int(runs["periodic", cca, 1e-4].ports["lost"][0])
        assert lost == pytest.approx(25, abs=3)


def test_no_run_under_loss_has_a_queue(runs: Runs) -> None:
    kept = [run for key, run in runs.results.items() if key[0] in {"periodic", "random"}]
    assert len(kept) == 9 + 12
    for run in kept:
        assert float(run.ports["mean_wait_s"][0]) < 1e-4 * 0.1
        assert float(run.ports["utilisation"][0]) < 0.1


def test_every_picture_table_and_sentence_is_made(analysis: Analysis, tmp_path: Path) -> None:
    assert [picture.name for picture in analysis.pictures] == [
        "rests", "exponents", "dynamics", "shares", "theorem",
    ]  # fmt: skip
    for picture in analysis.pictures:
        for path in save_figure(picture.figure, tmp_path, picture.name):
            assert path.stat().st_size > 5000
    assert len(analysis.tables) == 4
    assert len(analysis.sentences) == 6
    assert {table.name for table in analysis.data} == {
        "periodic", "random", "delay", "approach", "alone", "windows", "fair",
    }  # fmt: skip


def test_without_runs_solutions_are_judged_all_the_same(study: Study) -> None:
    found = study.analyse(shrunk(study)).findings
    assert np.isfinite(found["exponent-reno-solution"].ours)
    assert np.isnan(found["exponent-reno-random"].ours)
    assert "is not part of this scale" in found["exponent-reno-random"].note
