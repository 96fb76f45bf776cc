"""The study of VCP: its cheap parts run whole, its readings on made-up numbers."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from headgate.claims.verdicts import JudgedClaim, judge
from headgate.data.tables import Table
from headgate.engine.api import Result
from headgate.experiment.runs import Analysis, NotRunError, Runs, Setup
from headgate.experiment.study.study import load
from headgate.figures.plots.style import save_figure
from headgate_studies.vcp import findings, jobs
from headgate_studies.vcp.findings import losses_outrun, lossy_share
from headgate_studies.vcp.jobs import RULES, SCHEMES, bdp
from headgate_studies.vcp.measures import spread_rtts_s, window_packets

from .made_runs import assert_stored_suffices, results_of

#: Whole, and enough to judge.
CHEAP = ("xi", "scaling", "fluid", "stability")
#: The slow parts, at a size that judges nothing.
TINY = {
    "bandwidths_mbps": [1, 10],
    "fastest_mbps": [20],
    "rtts_ms": [10, 80],
    "counts": [2],
    "arrivals": [10],
    "video": [0.0, 0.3],
    "rules": ["paper", "sixteenth"],
    "rule_rtts_ms": [80.0],
    "rule_counts": [2],
    "base": {"duration": "4 s", "warmup": "1 s"},
    "round_trips": {"duration": "6 s", "warmup": "2 s"},
    "shares": {"duration": "20 s", "warmup": "5 s"},
    "lossy": {"duration": "6 s", "warmup": "2 s", "losses": [1e-3, 1e-2]},
}
LONG = {("illustration", "TCP"), ("illustration", "VCP 8-bit"), ("joining", "TCP")}


@pytest.fixture(scope="module")
def runs() -> Runs:
    study = load("vcp")
    quick = study.scale("quick")
    setup = study.setup(quick.model_copy(update={"fixed": {**quick.fixed, **TINY}}))
    made = {
        key: job
        for key, job in study.jobs(setup).items()
        if key[0] not in ("crowd", "joining") and key[:2] not in LONG
    }
    return Runs(setup, results_of(made))


@pytest.fixture(scope="module")
def analysis(runs: Runs) -> Analysis:
    return load("vcp").analyse(runs)


@pytest.fixture(scope="module")
def verdicts(analysis: Analysis) -> dict[str, JudgedClaim]:
    return {c.id: judge(c, analysis.findings, "quick") for c in load("vcp").claims}


@pytest.mark.parametrize("claim", ["xi", "mi-exponential", "aimd-fair", "fluid-equilibrium"])
def test_claims_on_one_path_hold(claim: str, verdicts: dict[str, JudgedClaim]) -> None:
    assert verdicts[claim].verdict == "holds", verdicts[claim]


def test_stored_columns_suffice_for_the_claims(runs: Runs, tmp_path: Path) -> None:
    assert_stored_suffices(load("vcp"), runs, tmp_path)


def test_every_claim_has_a_finding_or_says_why_not(analysis: Analysis) -> None:
    checkable = {claim.id for claim in load("vcp").claims if claim.missing is None}
    assert set(analysis.findings) == checkable
    assert all(found.note for found in analysis.findings.values() if np.isnan(found.ours))


def test_parts_that_were_not_run_say_so(verdicts: dict[str, JudgedClaim]) -> None:
    assert verdicts["slower-than-xcp"].verdict == "not run"
    assert "joining VCP is not part" in verdicts["slower-than-xcp"].note


def test_a_statement_from_memory_is_not_judged(
    analysis: Analysis, verdicts: dict[str, JudgedClaim]
) -> None:
    recalled = [row for name, row in verdicts.items() if name.startswith("recalled")]
    assert [row.verdict for row in recalled] == ["not checkable"] * 4
    assert all(claim.missing for claim in load("vcp").claims if "recalled" in claim.source)


def test_the_report_has_pictures_sentences_and_data(analysis: Analysis, tmp_path: Path) -> None:
    assert len(analysis.sentences) >= 3
    names = {picture.name for picture in analysis.pictures}
    assert {"efficiency", "illustration", "parameters", "scaling", "fluid", "queues"} <= names
    for picture in analysis.pictures:
        assert all(
            p.stat().st_size > 5000 for p in save_figure(picture.figure, tmp_path, picture.name)
        )
    assert {*CHEAP, "bandwidth", "delay", "one_way"} <= {table.name for table in analysis.data}


# Set-ups -----------------------------------------------------------------------------------------


def test_the_paths() -> None:
    study = load("vcp")
    setup = study.setup(study.scale("quick"))
    assert bdp(150, 0.08) == 1500
    assert window_packets("bandwidth", 5) == pytest.approx(1)
    assert window_packets("delay", 80) == pytest.approx(30)
    assert spread_rtts_s(setup, "40-156")[-1] == pytest.approx(0.156)
    assert spread_rtts_s(setup, "40-330")[-1] == pytest.approx(0.330)
    assert jobs.fluid_rate(0.25) == pytest.approx(0.9 * 2500 / 5 + 20)


def test_tcp_has_red_and_ecn_between_thirds_of_the_buffer() -> None:
    network = SCHEMES["TCP"].network(300, 150)
    assert network["queue"]["min_packets"] == 100
    assert network["queue"]["max_packets"] == 200
    assert network["transport"]["ecn"]


def test_what_was_released_has_acks_first_and_host_links_of_twice_the_rate() -> None:
    network = SCHEMES["VCP released"].network(300, 45)
    assert (network["queue"], network["host_rate"]) == ("ack-priority", "90 Mbit/s")
    assert network["feedback"]["target"] == "moving"
    assert "host_rate" not in SCHEMES["VCP"].network(300, 45)


def test_the_rules_lead_from_the_paper_to_what_was_released_one_by_one() -> None:
    study = load("vcp")
    assert study.setup(study.scale("quick")).settings["rules"] == list(RULES)
    first, *_, last = RULES.values()
    assert (first, last) == (SCHEMES["VCP"], SCHEMES["VCP released"])
    steps = list(pairwise(RULES.values()))
    assert all(one != other for one, other in steps)


def test_no_run_is_listed_twice() -> None:
    """The tables hold each run once, under the labels that it was made with."""
    study = load("vcp")
    made = study.jobs(study.setup(study.scale("quick")))
    assert len({job.identity for job in made.values()}) == len(made)


def test_a_wireless_flow_rests_where_growth_makes_up_for_halving() -> None:
    """By hand: ln 1.0625/0.2 s = 0.303/s, over ln 2 = 0.437 packets/s at a loss of all."""
    study = load("vcp")
    quick = study.scale("quick")
    lossy = {"duration": "400 s", "warmup": "40 s", "losses": [1e-3]}
    setup = study.setup(quick.model_copy(update={"fixed": {**quick.fixed, "lossy": lossy}}))
    key = ("lossy", "VCP", 1e-3, 1)
    runs = Runs(setup, results_of({key: study.jobs(setup)[key]}))
    found = losses_outrun(runs, scheme="VCP", low=1e-3, high=1e-3)
    # 157 losses in 360 s, each of ln 2 in a rate of 0.303/s: by chance within 8 % or so
    assert found.ours == pytest.approx(1, abs=0.2)
    assert lossy_share(runs, scheme="VCP", loss=1e-3).ours == pytest.approx(
        437 * found.ours * 8000 / 50e6, rel=0.02
    )


# Findings ----------------------------------------------------------------------------------------


def made_up(setup: Setup, values: dict[tuple[str, float, str], float]) -> Runs:
    """Make runs whose ports contain only a utilisation and a queue, by part, level and scheme."""
    results = {}
    for (part, level, scheme), value in values.items():
        columns = {"utilisation": [value], "mean_queue_packets": [value], "buffer_packets": [1.0]}
        ports = Table("ports", {name: np.array(column) for name, column in columns.items()})
        results[part, scheme, level, setup.seeds[0]] = Result({"ports": ports}, {})
    return Runs(setup, results)


@pytest.fixture
def two_levels() -> Setup:
    study = load("vcp")
    quick = study.scale("quick")
    levels = {"bandwidths_mbps": [1, 100], "rtts_ms": [1, 80]}
    return study.setup(quick.model_copy(update={"fixed": {**quick.fixed, **levels}}))


def test_more_on_one_path_makes_up_for_nothing_on_another(two_levels: Setup) -> None:
    """A quarter below at 80 ms and a quarter above at 100 Mbit/s: a mean of 0, but no agreement."""
    used = {
        ("bandwidth", 100, "XCP"): 0.7, ("bandwidth", 100, "VCP"): 0.95,
        ("delay", 80, "XCP"): 0.99, ("delay", 80, "VCP"): 0.74,
    }  # fmt: skip
    found = findings.fall_short_of_xcp(made_up(two_levels, used), scheme="VCP")
    assert found.ours == pytest.approx(0.25)


def test_the_queue_has_to_grow_over_round_trips_too(two_levels: Setup) -> None:
    queues = {
        ("bandwidth", 1, "VCP"): 0.8, ("bandwidth", 100, "VCP"): 0.1,
        ("delay", 1, "VCP"): 0.1, ("delay", 80, "VCP"): 0.2,
    }  # fmt: skip
    found = findings.crowded_queue(made_up(two_levels, queues), scheme="VCP")
    assert found.ours == pytest.approx(0.5)
    assert found.note.startswith("least for delay")


def test_a_scale_without_crowded_flows_says_so() -> None:
    study = load("vcp")
    quick = study.scale("quick")
    setup = study.setup(quick.model_copy(update={"fixed": {**quick.fixed, "rtts_ms": [10, 80]}}))
    queues = {("bandwidth", x, "VCP"): 0.1 for x in setup.settings["bandwidths_mbps"]}
    with pytest.raises(NotRunError, match="delay: at no level of this scale a flow has at most"):
        findings.crowded_queue(made_up(setup, queues), scheme="VCP")


def test_the_round_trip_of_tcp_s_rate_is_the_one_with_the_queue() -> None:
    """Rates go as 1/rtt of 40 to 330 ms and 110 ms of queue: of the paths alone by far less."""
    study = load("vcp")
    setup = study.setup(study.scale("quick"))
    rtts_s = spread_rtts_s(setup, "40-330") + 0.11
    flows = Table("flows", {"mean_rtt_s": rtts_s, "delivered_packets": 1000 / rtts_s})
    runs = Runs(setup, {("round trips", "TCP", "40-330", 1): Result({"flows": flows}, {})})
    assert findings.rtt_exponent_with_queue(runs, scheme="TCP").ours == pytest.approx(-1)
    assert findings.rtt_exponent(runs, scheme="TCP").ours > -0.65


def test_the_fastest_line_has_the_interval_of_its_runs() -> None:
    study = load("vcp")
    setup = study.setup(study.scale("standard"))
    made = [key for key in study.jobs(setup) if key[:3] == ("fastest", "VCP", 1000)]
    assert len(made) == setup.settings["fastest_runs"]
    ports = [Table("ports", {"utilisation": np.array([share])}) for share in (0.89, 0.91, 0.93)]
    results = {key: Result({"ports": one}, {}) for key, one in zip(made[:3], ports, strict=True)}
    found = findings.fastest_use(Runs(setup, results), scheme="VCP")
    assert found.ours == pytest.approx(0.91)
    assert found.ci == pytest.approx((0.8603, 0.9597), abs=1e-4)
