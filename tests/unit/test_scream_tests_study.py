"""The study of published tests of SCReAMv2: its rows, its rates by hand, and every claim judged."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from headgate import Result, Scenario, Table
from headgate.claims.verdicts import Verdict
from headgate.experiment.runner import StudyOutcome, StudyRun, run_study
from headgate.experiment.runs import Runs
from headgate.experiment.study.study import load, plan_study
from headgate_studies.scream_tests.findings import (
    LINE_BYTES,
    RTP_BYTES,
    changed_ratios,
    find_rate,
    marked_shares,
    rates_mbps,
)
from headgate_studies.scream_tests.published import read_rates

NAME = "scream-tests"
CHANGES = ("reports", "paced-less", "lumps-2000us")


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> StudyOutcome:
    asked = plan_study(NAME, "quick", tmp_path_factory.mktemp("out"))
    changes = {name: asked.setup.settings["changes"][name] for name in CHANGES}
    short = {"times": {"span_s": 2, "measured_s": 1}, "changes": changes}
    small = replace(asked.setup, settings={**asked.setup.settings, **short})
    return run_study(StudyRun(asked.study, small, asked.folder, "quick"))


def test_every_published_rate_is_a_claim() -> None:
    """Two tests, five round trips and five numbers of flows; beside flows two forms of Prague."""
    rates = read_rates()
    assert list(rates) == ["fixed", "varied"]
    assert all(list(rows) == [5, 10, 25, 50, 100] for rows in rates.values())
    claims = {claim.id: claim for claim in load(NAME).claims}
    assert len(claims) == 2 * 5 * (1 + 4 * 2)
    for frames, rows in rates.items():
        for rtt_ms, mbps in rows.items():
            assert claims[f"{frames}-{rtt_ms}ms-alone"].published == mbps[0]
            for count in range(1, 5):
                for form in ("today", "older"):
                    name = f"{frames}-{rtt_ms}ms-{count}-{form}"
                    assert claims[name].published == mbps[count]
    assert {claim.tolerance for claim in claims.values()} == {"+- 10 %"}


def _scenario(*key: str | int) -> Scenario:
    study = load(NAME)
    made: Scenario = study.jobs(study.setup(study.scale("standard")))[*key, 1].scenario
    return made


def test_one_flow_joins_in_each_span() -> None:
    made = _scenario("steps", "varied", 50, "older").to_dict()
    stream, *flows = made["traffic"]
    starts_s = [float(flow["start"].split()[0]) for flow in flows]
    assert [int(start_s // 20) for start_s in starts_s] == [1, 2, 3, 4]
    assert all(start_s % 20 <= 0.1 for start_s in starts_s)
    assert {flow["cca"]["variant"] for flow in flows} == {"2020"}
    assert stream["size_deviation"] == 0.25  # -rand 50: 0.5 times a number from -0.5 to 0.5
    assert made["measure"]["periods"][1] == ["30 s", "40 s"]


def test_packets_are_those_of_the_program() -> None:
    """1360 B of media, 12 of RTP, 8 of UDP, 20 of IPv4 and 14 of Ethernet."""
    stream = _scenario("steps", "fixed", 5, "today").to_dict()["traffic"][0]
    assert stream["packet_size"] == f"{LINE_BYTES} B" == f"{1360 + 12 + 8 + 20 + 14} B"
    assert stream["header_size"] == f"{LINE_BYTES - 1360} B"
    assert RTP_BYTES == 1360 + 12


def test_lumps_leave_together_and_wait_for_no_more_than_their_time() -> None:
    made = _scenario("causes", "lumps-2000us", 25).to_dict()
    (outage,) = made["network"]["links"][1]["outages"]
    assert (outage["duration"], outage["every"], outage["queue"]) == ("1.98 ms", "2 ms", "keep")
    assert [one["source"] for one in made["traffic"]] == ["stream", *["flows"] * 4]


def _made(mbps: list[float]) -> Result:
    received_bps = np.array(mbps) * 1e6 * LINE_BYTES / RTP_BYTES
    sent, marked = np.full(5, 100), np.array([0, 10, 10, 10, 10])
    columns = {"received_bps": received_bps, "packets_sent": sent, "packets_marked": marked}
    ways = {"link": np.array([0, 1] * 5), "arrivals": np.array([300, 9] * 5)}
    links = Table("links", {**ways, "marks": np.array([0, 0] + [16, 0] * 4)})
    return Result({"media": Table("media", columns), "links": links}, {})


def test_a_rate_is_the_mean_over_replicates_with_its_interval() -> None:
    """29 and 31 Mbit/s: the mean is 30, and Student's interval of two values is 12.7 wide."""
    study = load(NAME)
    setup = replace(study.setup(study.scale("quick")), seeds=(1, 2))
    key = ("steps", "fixed", 25, "today")
    made = {(*key, seed): _made([78, mbps, 3, 2, 1]) for seed, mbps in ((1, 29.0), (2, 31.0))}
    found = find_rate(Runs(setup, made), frames="fixed", rtt=25, flows=1)
    assert found.ours == pytest.approx(30)
    assert found.ci == pytest.approx((30 - 12.706, 30 + 12.706), abs=0.01)
    assert rates_mbps(made[*key, 1]).tolist() == pytest.approx([78, 29, 3, 2, 1])


def test_a_changed_rate_is_compared_with_the_published_one() -> None:
    """At 25 ms 78, 60, 48, 38 and 29 Mbit/s are published."""
    study = load(NAME)
    setup = replace(study.setup(study.scale("quick")), seeds=(1, 2))
    key = ("causes", "paced-less", 25)
    made = {(*key, seed): _made([78, mbps, 48, 38, 29]) for seed, mbps in ((1, 29.0), (2, 31.0))}
    found = changed_ratios(Runs(setup, made), "paced-less")
    assert found.tolist() == [pytest.approx([1, 0.5, 1, 1, 1])]
    assert len(changed_ratios(Runs(setup, made), "reports")) == 0


def test_marks_of_others_are_those_of_the_link_without_the_streams() -> None:
    """10 of 100 packets of the stream are marked, and 16 of all 300."""
    own, others = marked_shares(_made([1.0] * 5))
    assert own.tolist() == [0, 0.1, 0.1, 0.1, 0.1]
    assert others.tolist() == pytest.approx([0, 0.03, 0.03, 0.03, 0.03])


def test_every_claim_of_this_scale_is_judged(outcome: StudyOutcome) -> None:
    missing = {one.id for one in outcome.claims if one.verdict == Verdict.NOT_RUN}
    assert missing == {one.id for one in outcome.claims if "-25ms-" not in one.id}
    judged = [one for one in outcome.claims if one.id not in missing]
    assert len(judged) == 2 * 9
    assert all(one.ci is not None for one in judged)


def test_the_answers_tables_and_picture(outcome: StudyOutcome) -> None:
    assert len(outcome.sentences) == 5 + 1 + 1  # a change, and the count of verdicts
    assert outcome.sentences[5].startswith("With frames of a fixed size, paced at 1.28 times")
    assert outcome.sentences[0].startswith("With frames of a fixed size, beside today's Prague")
    rates, changes = outcome.analysis.tables
    assert len(rates.rows) == 4 + 3
    assert [row[0] for row in changes.rows] == ["none", *CHANGES]
    (picture,) = outcome.analysis.pictures
    assert [ax.get_title(loc="left") for ax in picture.figure.axes] == ["25 ms", ""]


def test_all_python_of_the_study_is_400_lines() -> None:
    files = Path(load(NAME).folder).glob("*.py")
    assert sum(len(path.read_text().splitlines()) for path in files) <= 400
