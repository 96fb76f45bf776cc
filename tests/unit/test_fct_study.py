"""The study of completion times: its file sizes, and the whole study on a slow link."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import headgate
from headgate.base.errors import HeadgateError
from headgate.claims.verdicts import JudgedClaim
from headgate.engine.fluid.completion import compute_processor_sharing, compute_slow_start
from headgate.experiment.runs import Analysis, Runs
from headgate.experiment.settings import change_settings
from headgate.experiment.study.study import load
from headgate.figures.plots.style import save_figure
from headgate.lab.scheduler import Scheduler
from headgate.lab.store import Store
from headgate_studies.fct import findings_order, findings_rcp, findings_theory
from headgate_studies.fct.jobs import levels
from headgate_studies.fct.keep import keep
from headgate_studies.fct.measures import COUNTS, Times, Values, parts_s

from .made_runs import assert_stored_suffices
from .study_findings import judge_numbers

# Models ------------------------------------------------------------------------------------------


def test_the_variance_of_pareto_is_infinite_up_to_a_shape_of_two() -> None:
    assert [findings_theory.variance_is_infinite(shape) for shape in (1.2, 2.0, 2.2)] == [
        True,
        True,
        False,
    ]


def test_the_part_of_the_packets_that_small_flows_have_is_pareto_s() -> None:
    """Least size 25/6 at shape 1.2: 1 - (25/6/2000)^0.2."""
    assert findings_theory.packets_of_sizes_up_to(2_000, 25, 1.2) == pytest.approx(0.7091, abs=1e-4)
    assert findings_theory.packets_of_sizes_up_to(1e12, 25, 2.2) == pytest.approx(1.0)


def test_slow_start_at_the_flows_own_round_trip_is_longer_by_its_rounds() -> None:
    """Three packets from a window of 2: a handshake and two rounds, each 10 ms longer."""
    sizes, ones = np.array([3.0]), np.ones(1)
    times = Times(sizes, {"finished": ones}, {"rtt_s": 0.11 * ones}, 1e5, 0.9, 0.1)
    assert times.slow_start_own_s - times.slow_start_s == pytest.approx(0.03)


# Findings of made-up times -----------------------------------------------------------------------

NO_RUNS = Runs(load("fct").setup(load("fct").scale("quick")), {})


def made_up(sizes: list[float], *, rtt_s: float = 0.1, **columns: list[float]) -> Times:
    """Make times of one flow a size, at 300,000 packets/s and a load of 0.9."""
    ones = np.ones(len(sizes))
    counts = dict.fromkeys(("flows", *COUNTS.values()), ones)
    sums = {name: np.array(values) for name, values in columns.items()}
    return Times(np.array(sizes), counts, sums, 300_000.0, 0.9, rtt_s)


def shared_s(sizes: list[float]) -> Values:
    return compute_processor_sharing(sizes, 300_000.0, 0.9, 0.1)


def test_short_flows_are_compared_with_the_line_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Flows 2 % above the line are so, however long the queue is."""
    times = made_up([10.0, 100.0], receiver_s=(1.02 * shared_s([10, 100])).tolist())
    monkeypatch.setattr(findings_rcp, "rcp", lambda *_: times)
    monkeypatch.setattr(findings_rcp, "mean_port", lambda *_: 0.01)
    assert findings_rcp.short_receiver(NO_RUNS).ours == pytest.approx(1.02)


def test_the_way_of_the_last_ack_is_no_part_of_what_a_mean_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """10 ms above the line at the receiver with a mean of 25, 2 ms with 30: a fifth is left."""
    sizes, above = [10.0, 1000.0], {"base": 0.010, "mean 30": 0.002}

    def times(_: Runs, case: str) -> Times:
        receiver = shared_s(sizes) + above[case]
        columns = {"receiver_s": receiver.tolist(), "sender_s": (receiver + 0.05).tolist()}
        return made_up(sizes, **columns)

    monkeypatch.setattr(findings_rcp, "rcp", times)
    assert findings_rcp.gap_ratio(NO_RUNS).ours == pytest.approx(0.2)


def test_the_equation_of_sharing_is_judged_without_the_round_trips(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """1.5 round trips are left out of both: twice the time in the link is a ratio of 2."""
    sizes = [10.0, 1000.0]
    times = made_up(sizes, sharing_s=(2 * shared_s(sizes) - 0.15).tolist())
    monkeypatch.setattr(findings_order, "_of", lambda *_, **__: [times])
    monkeypatch.setattr(findings_order, "mean_total", lambda *_: 0.9)
    assert findings_order.sharing_equation(NO_RUNS, case="base").ours == pytest.approx(2.0)


def test_tcp_is_compared_with_the_line_that_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """(log2(L + 1) + 1/2) RTT + L/C at 1,023 packets: 1.05 s and 3.41 ms."""
    line_s = 1.05 + 1023 / 300_000
    sizes = [700.0, 1023.0, 1500.0]
    own = compute_slow_start(sizes, 300_000.0, 0.1) * np.array([1.0, 1.2, 1.4])
    times = made_up(sizes, sender_s=own.tolist())
    assert times.slow_start_line_s[1] == pytest.approx(line_s)
    monkeypatch.setattr(findings_order, "_of", lambda *_, **__: [times])
    assert findings_order.over_slow_start(NO_RUNS).ours == pytest.approx(1.2)
    assert findings_order.scatter_over_slow_start(NO_RUNS).ours == pytest.approx(1.36 / 1.04)
    short = made_up([7.0], sender_s=[1.3 * float(compute_slow_start([7.0], 300_000.0, 0.1)[0])])
    monkeypatch.setattr(findings_order, "_of", lambda *_, **__: [short])
    assert findings_order.slow_start_line_distance(NO_RUNS).ours == pytest.approx(0.3)


def test_tcp_beside_the_least_possible(monkeypatch: pytest.MonkeyPatch) -> None:
    """0.4 s in the mean, but 0.15 s of round trips and 50 ms of service would suffice."""
    times = made_up([10.0, 100.0], receiver_s=[0.3, 0.5])
    monkeypatch.setattr(findings_order, "_of", lambda *_, **__: [times])
    monkeypatch.setattr(findings_order, "mean_total", lambda *_: 0.05)
    assert findings_order.over_least(NO_RUNS, protocol="tcp").ours == pytest.approx(2.0)


def test_processor_sharing_is_not_near_the_least_time_in_the_link(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(findings_order, "_ideal_means_s", lambda _: (0.0004, 0.0002))
    assert findings_order.sharing_over_least(NO_RUNS).ours == pytest.approx(2.0)


# The study on a slow link ------------------------------------------------------------------------

SLOW = (
    'base.rate="24 Mbit/s"', 'duration="20 s"', 'rates=["6 Mbit/s"]', "shapes=[1.1, 1.8, 2.2]",
    'data_centre.rate="200 Mbit/s"', 'data_centre_duration="2 s"',
)  # fmt: skip


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    study = load("fct")
    setup = study.setup(study.scale("quick"))
    setup = replace(setup, settings=change_settings(setup.settings, SLOW), seeds=(1, 2))
    jobs, store = study.jobs(setup), Store(tmp_path_factory.mktemp("fct"))
    Scheduler(store, 2, study.keep).run(list(jobs.values()), lambda _: None)
    fresh = Store(store.folder)
    assert not fresh.missing(list(jobs.values()))
    return Runs(setup, {key: fresh.read(job) for key, job in jobs.items()})


def test_stored_columns_suffice_for_the_claims(runs: Runs, tmp_path: Path) -> None:
    assert_stored_suffices(load("fct"), runs, tmp_path)


@pytest.fixture(scope="module")
def analysis(runs: Runs) -> Analysis:
    return load("fct").analyse(runs)


@pytest.fixture(scope="module")
def verdicts(analysis: Analysis) -> dict[str, JudgedClaim]:
    return judge_numbers("fct", analysis.findings)


@pytest.mark.parametrize(
    "claim",
    [
        "curve-processor-sharing", "curve-slow-start", "gap-half-round-trip", "infinite-mean",
        "average-tcp", "short-flows-at-22",
    ],
)  # fmt: skip
def test_what_does_not_depend_on_capacity_holds(
    claim: str, verdicts: dict[str, JudgedClaim]
) -> None:
    assert verdicts[claim].verdict == "holds", verdicts[claim]


@pytest.mark.parametrize("claim", ["infinite-variance", "heavier-near-2", "shorter-near-2"])
def test_mistakes_of_the_source_are_corrected(claim: str, verdicts: dict[str, JudgedClaim]) -> None:
    assert verdicts[claim].verdict == "corrected", verdicts[claim]


def test_only_the_shapes_of_the_figure_count(analysis: Analysis) -> None:
    """The shape 1.8 is there for the sentence on heavy tails; figure 2 does not have it."""
    for claim in ("insensitive-to-shape", "insensitive-to-shape-short", "rcp-below-tcp-shapes"):
        note = analysis.findings[claim].note
        assert "2.2" in note
        assert "1.8" not in note


def test_short_flows_are_those_below_the_mean(analysis: Analysis) -> None:
    """Pareto: 1 - (11.1/24.5)^1.8 of the flows at shape 1.8 over 1 - (2.27/24.5)^1.1 at 1.1."""
    expected = (1 - (11.11 / 24.5) ** 1.8) / (1 - (2.273 / 24.5) ** 1.1)
    assert analysis.findings["shorter-near-2"].ours == pytest.approx(expected, abs=0.02)


def test_every_claim_has_a_finding(analysis: Analysis) -> None:
    claims = load("fct").claims
    assert set(analysis.findings) == {claim.id for claim in claims if claim.call}
    assert set(analysis.findings) >= {claim.id for claim in claims if claim.missing is None}
    assert all(found.note for found in analysis.findings.values() if np.isnan(found.ours))


def test_every_picture_and_table_is_made(analysis: Analysis, tmp_path: Path) -> None:
    for picture in analysis.pictures:
        assert all(
            p.stat().st_size > 5_000 for p in save_figure(picture.figure, tmp_path, picture.name)
        )
    assert [picture.name for picture in analysis.pictures] == [
        "completion-times", "gap", "definitions", "shapes", "rtts", "factors", "data-centre",
    ]  # fmt: skip
    assert len(analysis.sentences) == 8
    assert all(len(row) == len(part.columns) for part in analysis.tables for row in part.rows)


def test_protocols_of_a_case_get_the_same_flows(runs: Runs) -> None:
    for case in ("base", "rtt 50 ms", "data centre"):
        lists = [
            table.where(slice(None))["flows"].tolist()
            for key, run in runs.results.items()
            if key[0] == case and key[2] == 1
            for table in [run.tables["sizes"]]
        ]
        assert len(lists) >= 3
        assert all(one == lists[0] for one in lists)


def test_the_parts_of_the_gap_add_up_to_it(runs: Runs) -> None:
    rcp = Times.of(runs, "base", "rcp")
    for low, high in ((1, 20), (20, 200)):
        formula = rcp.expect(rcp.formula_s, "sender_s", low, high)
        gap = rcp.mean("sender_s", low, high) - formula
        assert sum(parts_s(rcp, low, high).values()) == pytest.approx(gap, abs=1e-12)


def test_levels_come_in_order_in_every_unit(runs: Runs) -> None:
    assert list(levels(runs.setup, "rtt")) == ["50 ms", "100 ms", "200 ms"]
    assert list(levels(runs.setup, "rate")) == ["6 Mbit/s", "24 Mbit/s"]


def test_what_is_kept_of_a_run_are_its_means_by_size() -> None:
    run = headgate.dumbbell(
        rate="24 Mbit/s", rtt="100 ms", access="direct", measure={"series": "none"},
        flows=[{"kind": "poisson", "cca": "reno", "load": 0.6, "size": "10 packets"}],
        duration="10 s",
    ).run()  # fmt: skip
    kept = keep(run)
    done = np.isfinite(run.flows["fct_sender_s"])
    assert len(kept.flows) == 0
    assert kept.tables["sizes"]["size_packets"].tolist() == [10.0]
    assert kept.tables["sizes"]["finished"].tolist() == [done.sum()]
    assert kept.tables["sizes"]["sender_s"][0] == pytest.approx(
        run.flows["fct_sender_s"][done].mean()
    )
    assert kept.tables["totals"]["early_end_s"].tolist() == [np.inf]


def test_a_flow_without_a_round_trip_measured_leaves_the_mean_of_its_size() -> None:
    run = headgate.dumbbell(
        rate="24 Mbit/s", rtt="100 ms", access="direct", measure={"series": "none"},
        flows=[{"kind": "poisson", "cca": "reno", "load": 0.6, "size": "10 packets"}],
        duration="10 s",
    ).run()  # fmt: skip
    done = np.flatnonzero(np.isfinite(run.flows["fct_sender_s"]))
    run.flows["mean_rtt_s"][done[0]] = np.nan
    rest_s = run.flows["mean_rtt_s"][done[1:]].mean()
    assert keep(run).tables["sizes"]["rtt_s"][0] == pytest.approx(rest_s)


# Settings ----------------------------------------------------------------------------------------


def test_a_nested_setting_is_changed_in_a_copy() -> None:
    before = {"base": {"load": 0.9, "rtt": "100 ms"}, "rtts": ["50 ms"]}
    after = change_settings(before, ["base.load=0.5", 'rtts=["1 ms", "2 ms"]'])
    assert after == {"base": {"load": 0.5, "rtt": "100 ms"}, "rtts": ["1 ms", "2 ms"]}
    assert before["base"] == {"load": 0.9, "rtt": "100 ms"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("base.laod=0.5", "there is no setting 'laod' here; the keys here are load"),
        ("load=0.5", "there is no setting 'load' here; the keys here are base, rtts"),
        ("base.load.x=1", "it contains no keys"),
        ("base.load=much", "'much' is not allowed; write a number, such as 0.9"),
        ("rtts=50", "50 is not allowed; write a list"),
        ("rtts=[50]", "50 is not allowed; write a text, such as '50 ms'"),
        ("base={}", "write a table with the keys load"),
    ],
)
def test_a_wrong_setting_is_one_sentence(text: str, said: str) -> None:
    with pytest.raises(HeadgateError, match=said):
        change_settings({"base": {"load": 0.9}, "rtts": ["50 ms"]}, [text])


def test_an_unknown_protocol_is_one_sentence(runs: Runs) -> None:
    settings = change_settings(runs.setup.settings, ['protocols=["udp"]'])
    with pytest.raises(HeadgateError, match="'udp' is not a protocol here; it is tcp, xcp, rcp"):
        load("fct").jobs(replace(runs.setup, settings=settings))
