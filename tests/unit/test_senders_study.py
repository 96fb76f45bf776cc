"""The study of senders: its cheap parts run whole, and its readings on made-up runs."""

from pathlib import Path

import numpy as np
import pytest

from headgate.base.catalog import label
from headgate.claims.verdicts import JudgedClaim, judge
from headgate.data.tables import Table
from headgate.engine.api import Result
from headgate.experiment.runs import Analysis, Runs
from headgate.experiment.study.study import load
from headgate.figures.plots.style import save_figure
from headgate.lab.scheduler import Scheduler
from headgate.lab.store import Store
from headgate_studies.senders import findings, measures, theory
from headgate_studies.senders.findings import (
    largest_gain,
    least_over_tcp,
    start_ratio,
    start_spread,
)
from headgate_studies.senders.jobs import LEAST_FAIR, MOST_FAIR, SEVEN
from headgate_studies.senders.measures import first_time, smooth
from headgate_studies.senders.pictures_alone import spans

from .made_runs import assert_stored_suffices, results_of

CCAS = (
    "bbr", "bic", "ctcp", "cubic", "fast", "fast-at", "hstcp", "htcp", "reno", "scalable",
    "westwood",
)  # fmt: skip
#: The slow parts, at a size that judges nothing.
TINY = {
    "alone": {
        "rates": ["1 Mbit/s", "10 Mbit/s"],
        "durations": ["5 s", "5 s"],
        "rtts_ms": [10, 50],
        "buffers": [0.25],
    },
    "random_loss": [
        {"rate": "100 Mbit/s", "losses": [1e-3, 3e-2], "duration": "9 s", "warmup": "5 s"},
        {"rate": "1 Gbit/s", "losses": [1e-4, 1e-3], "duration": "2 s", "warmup": "1 s"},
    ],
    "pairs": {
        "duration": "10 s",
        "warmup": "2 s",
        "rate": "5 Mbit/s",
        "rtts_ms": [20],
        "buffers": [1.0],
        "replicates": 1,
        "replicates_with_tcp": 2,
    },
    "crowds": {"duration": "6 s", "warmup": "3 s", "replicates": 1},
    "newcomer": {"duration": "20 s", "warmup": "0 s", "joins": "2 s"},
    "round_trips": {"duration": "8 s", "warmup": "4 s", "ratios": [1, 3], "replicates": 1},
    "halved": {"duration": "9 s", "warmup": "0 s", "begins": "3 s", "ends": "6 s"},
}


@pytest.fixture(scope="module")
def runs() -> Runs:
    study = load("senders")
    study.__dict__["spec"] = study.spec.model_copy(update={"ccas": CCAS})
    quick = study.scale("quick")
    changed = {"seeds": 2, "fixed": {**quick.fixed, **TINY}}
    setup = study.setup(quick.model_copy(update=changed))
    jobs = study.jobs(setup)
    return Runs(setup, results_of(jobs))


@pytest.fixture(scope="module")
def analysis(runs: Runs) -> Analysis:
    return load("senders").analyse(runs)


@pytest.fixture(scope="module")
def verdicts(analysis: Analysis) -> dict[str, JudgedClaim]:
    return {c.id: judge(c, analysis.findings, "quick") for c in load("senders").claims}


@pytest.mark.parametrize(
    "claim",
    [
        "back-off-reno", "back-off-scalable", "back-off-bic", "back-off-hstcp", "back-off-ctcp",
        "back-off-fast", "back-off-fast-at", "back-off-htcp", "less-than-tcp",
        "recover-sooner-each",
        "htcp-one-second", "htcp-after-one-second", "low-threshold", "congested-threshold",
        "congested-fast", "utility-receive-window-each", "utility-file-each",
    ],
)  # fmt: skip
def test_claims_that_do_not_depend_on_chance_hold(
    claim: str, verdicts: dict[str, JudgedClaim]
) -> None:
    assert verdicts[claim].verdict == "holds", verdicts[claim]


def test_stored_columns_suffice_for_the_claims(runs: Runs, tmp_path: Path) -> None:
    assert_stored_suffices(load("senders"), runs, tmp_path)


def test_every_claim_has_a_finding_or_says_why_not(analysis: Analysis) -> None:
    claims = load("senders").claims
    assert set(analysis.findings) == {claim.id for claim in claims if claim.call}
    assert set(analysis.findings) >= {claim.id for claim in claims if claim.missing is None}
    unjudged = {claim for claim, found in analysis.findings.items() if np.isnan(found.ours)}
    assert unjudged == {"random-loss-100m-bbr3", "random-loss-1g-bbr3"}
    assert all("no algorithm 'bbr3'" in analysis.findings[claim].note for claim in unjudged)


def test_bic_keeps_more_than_tcp_of_three_losses_close_together(
    verdicts: dict[str, JudgedClaim],
) -> None:
    """0.5^3 over 0.8^3; Linux's share is 819/1024."""
    found = verdicts["bic-clustered-losses"]
    assert found.verdict == "differs"
    assert found.ours == pytest.approx(0.125 / (819 / 1024) ** 3, rel=0.03)


def test_small_windows_are_a_tenth_of_a_path_ten_times_as_fast() -> None:
    slow, fast = (theory.RANDOM_LOSS[rate] for rate in ("100 Mbit/s", "1 Gbit/s"))
    for cca in ("reno", "hstcp", "scalable", "bic", "cubic", "htcp", "ctcp"):
        assert fast[cca][1e-2] == pytest.approx(slow[cca][1e-2] / 10)
    # 1.22/sqrt(p) over the 8,333 packets of the path; losses at random: up to 1.31.
    assert fast["reno"][1e-2] == pytest.approx(12.2 / 8333, rel=0.07)


def test_random_values_have_an_interval(analysis: Analysis) -> None:
    for claim in ("fair-ctcp", "newcomer-bic", "square-root", "exponent-hstcp", "congested-fast"):
        found = analysis.findings[claim]
        assert found.ci is not None, claim
        assert found.ci[0] <= found.ci[1]


def test_the_report_has_pictures_tables_and_data(analysis: Analysis, tmp_path: Path) -> None:
    for picture in analysis.pictures[::4]:
        assert all(
            p.stat().st_size > 5000 for p in save_figure(picture.figure, tmp_path, picture.name)
        )
    assert [picture.name for picture in analysis.pictures] == [
        "who-takes-what", "who-takes-what-in-crowds", "fairness", "newcomers", "round-trips",
        "courses", "phases", "one-loss", "halved", "alone-curves", "alone-1-mbitps",
        "alone-10-mbitps", "random-loss", "random-loss-models", "crowded",
    ]  # fmt: skip
    assert len(analysis.sentences) >= 6
    assert len(analysis.tables) == 4
    shares = {table.name: table for table in analysis.data}["pairs"]["share"]
    assert np.all((shares > 0) & (shares < 1))


def test_every_algorithm_of_the_registry_is_in_every_part() -> None:
    study = load("senders")
    jobs = study.jobs(study.setup(study.scale("quick")))
    ccas = set(study.ccas)
    assert {key[1] for key in jobs if key[0] == "alone"} == ccas
    assert {key[2] for key in jobs if key[0] == "random loss"} == ccas
    pairs = {frozenset(key[1:3]) for key in jobs if key[0] == "pairs"}
    assert len(pairs) == len(ccas) * (len(ccas) + 1) // 2


def test_a_user_defined_algorithm_is_one_more(tmp_path: Path) -> None:
    own = f"{Path(__file__).parent / 'ccas' / 'reno.py'}:Reno"
    study = load("senders")
    jobs = study.jobs(study.setup(study.scale("quick"), [own]))
    mine = {key[0]: job for key, job in jobs.items() if own in key}
    parts = {"alone", "random loss", "pairs", "crowds", "newcomer", "round trips", "crowded"}
    assert parts <= set(mine)
    store = Store(tmp_path)
    Scheduler(store, 1).run([mine["alone"]], lambda _: None)
    assert store.read(mine["alone"]).flows["cca"].tolist() == ["Reno"]
    assert label(own) == "Reno"


# Readings ----------------------------------------------------------------------------------------


def test_smoothing_is_a_mean_over_the_last_rows() -> None:
    assert smooth(np.array([2.0, 4.0, 6.0, 8.0]), 2) == pytest.approx([2, 3, 5, 7])
    assert first_time(np.array([1.0, 2.0]), np.array([False, False])) == np.inf
    assert first_time(np.array([1.0, 2.0]), np.array([False, True])) == 2.0


def test_the_phases_of_a_flow_follow_from_its_window() -> None:
    window = np.array([2.0, 4, 8, 9, 10, 20, 10, 10, 10, 10, 10, 10, 11, 1, 1, 2, 4, 6, 7])
    threshold = np.array([8.0] * 6 + [10.0] * 7 + [5.0] * 6)
    names = [name.replace("\n", " ") for _, _, name in spans(np.arange(19.0), window, threshold)]
    avoidance = "congestion avoidance"
    expected = ["slow start", avoidance, "recovery", avoidance, "time-out", "slow start", avoidance]
    assert names == expected


def test_the_model_s_utilisation_falls_with_loss() -> None:
    for tables in theory.RANDOM_LOSS.values():
        for table in tables.values():
            used = [table[loss] for loss in sorted(table)]
            assert used == sorted(used, reverse=True)
            assert 0 < min(used) <= max(used) <= 1
    # of Reno at small loss: 1.31 / sqrt(p), a round of 100 ms, 833 packets to fill the path
    expected = 1.31 / 1e-4**0.5 / 833
    assert theory.RANDOM_LOSS["100 Mbit/s"]["reno"][1e-4] == pytest.approx(expected, rel=0.02)


# Findings ----------------------------------------------------------------------------------------


@pytest.fixture
def nothing_run() -> Runs:
    study = load("senders")
    return Runs(study.setup(study.scale("quick")), {})


def test_one_algorithm_that_starts_sooner_is_not_equally_quick(
    monkeypatch: pytest.MonkeyPatch, nothing_run: Runs
) -> None:
    times = dict.fromkeys(("reno", *SEVEN), 1.0) | {"fast": 0.5}
    monkeypatch.setattr(measures, "full_rate_s", lambda _, cca, __: times[cca])
    assert start_spread(nothing_run).ours == 2
    assert start_ratio(nothing_run).ours == 1


def test_three_of_seven_algorithms_may_not_have_an_advantage(
    monkeypatch: pytest.MonkeyPatch, nothing_run: Runs
) -> None:
    gains = dict.fromkeys(SEVEN, 1.0) | dict.fromkeys(SEVEN[:3], 3.0)
    monkeypatch.setattr(measures, "advantages", lambda *_: gains)
    assert largest_gain(nothing_run, case="file").ours == 3


def test_one_algorithm_may_not_use_less_than_tcp(nothing_run: Runs) -> None:
    part = nothing_run.setup.settings["alone"]
    used = dict.fromkeys(("reno", *SEVEN), 0.5) | {"fast": 0.4}
    results = {
        ("alone", cca, part["rates"][-1], part["rtts_ms"][-1], 0.25): Result(
            {"ports": Table("ports", {"utilisation": np.array([share])})}, {}
        )
        for cca, share in used.items()
    }
    assert least_over_tcp(Runs(nothing_run.setup, results)).ours == pytest.approx(0.8)


def test_between_two_groups_is_above_all_of_one_and_below_all_of_the_other(
    monkeypatch: pytest.MonkeyPatch, nothing_run: Runs
) -> None:
    """HSTCP is above Scalable TCP, but below BIC and FAST: among the least fair, not between."""
    left = dict.fromkeys(MOST_FAIR, 0.9) | dict.fromkeys(LEAST_FAIR, 0.6)
    left |= {"scalable": 0.3, "hstcp": 0.5}
    monkeypatch.setattr(findings.measures, "tcp_share", lambda _, cca: [left[cca]])
    assert findings.hstcp_margin(nothing_run).ours == pytest.approx(-0.1)
    left["hstcp"] = 0.7
    assert findings.hstcp_margin(nothing_run).ours == pytest.approx(0.1)
