"""The study of senders: its cheap parts run whole, and its readings on made-up runs."""

from pathlib import Path

import numpy as np
import pytest

from headgate.plots.style import save
from headgate.run.pool import Pool
from headgate.run.store import Store
from headgate.studies.claims import Judged, judge
from headgate.studies.runs import Runs
from headgate.studies.senders import theory
from headgate.studies.senders.measures import first_time, smooth
from headgate.studies.senders.pictures_alone import spans
from headgate.studies.senders.theory import RANDOM_LOSS
from headgate.studies.study import Analysis, load

CHEAP = ("course", "phases", "one loss", "crowded", "path 252", "utility")
LAWS = ("bic", "ctcp", "fast", "fast-at", "hstcp", "htcp", "reno", "scalable")


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    study = load("senders")
    study.__dict__["plan"] = study.plan.model_copy(update={"laws": LAWS})
    setup = study.setup(study.scale("quick").model_copy(update={"seeds": 1}))
    jobs = {key: job for key, job in study.jobs(setup).items() if key[0] in CHEAP}
    store = Store(tmp_path_factory.mktemp("senders"))
    Pool(store, 2).run(list(jobs.values()), lambda _: None)
    return study.analyse(Runs(setup, {key: store.read(job) for key, job in jobs.items()}))


@pytest.fixture(scope="module")
def verdicts(analysis: Analysis) -> dict[str, Judged]:
    return {c.id: judge(c, analysis.findings, "quick") for c in load("senders").claims}


@pytest.mark.parametrize(
    "claim",
    [
        "back-off-reno", "back-off-scalable", "back-off-bic", "back-off-hstcp", "back-off-ctcp",
        "back-off-fast", "back-off-fast-at", "back-off-htcp", "less-than-tcp", "recover-sooner",
        "htcp-one-second", "low-threshold", "congested-threshold", "congested-fast", "path-252",
        "utility-receive-window", "utility-file",
    ],
)  # fmt: skip
def test_what_does_not_hang_on_chance_holds(claim: str, verdicts: dict[str, Judged]) -> None:
    assert verdicts[claim].verdict == "holds", verdicts[claim]


def test_every_claim_has_a_finding_or_says_why_not(analysis: Analysis) -> None:
    checkable = {claim.id for claim in load("senders").claims if claim.missing is None}
    assert set(analysis.findings) == checkable
    assert all(found.note for found in analysis.findings.values() if np.isnan(found.ours))


def test_a_law_that_is_not_there_is_named(verdicts: dict[str, Judged]) -> None:
    assert verdicts["back-off-cubic"].verdict == "not run"
    assert verdicts["back-off-cubic"].note == "there is no law 'cubic' in the registry"


def test_the_report_has_pictures_and_data(analysis: Analysis, tmp_path: Path) -> None:
    for picture in analysis.pictures:
        assert all(p.stat().st_size > 5000 for p in save(picture.figure, tmp_path, picture.name))
    drawn = {picture.name for picture in analysis.pictures}
    assert drawn == {"courses", "phases", "one-loss", "crowded"}
    assert {table.name for table in analysis.data} == {part.replace(" ", "_") for part in CHEAP}


def test_every_law_of_the_registry_is_in_every_part() -> None:
    study = load("senders")
    jobs = study.jobs(study.setup(study.scale("quick")))
    laws = set(study.laws)
    assert {key[1] for key in jobs if key[0] == "alone"} == laws
    assert {key[2] for key in jobs if key[0] == "random loss"} == laws
    pairs = {frozenset(key[1:3]) for key in jobs if key[0] == "pairs"}
    assert len(pairs) == len(laws) * (len(laws) + 1) // 2


# Readings ----------------------------------------------------------------------------------------


def test_smoothing_is_a_mean_over_the_last_rows() -> None:
    assert smooth(np.array([2.0, 4.0, 6.0, 8.0]), 2) == pytest.approx([2, 3, 5, 7])
    assert first_time(np.array([1.0, 2.0]), np.array([False, False])) == np.inf
    assert first_time(np.array([1.0, 2.0]), np.array([False, True])) == 2.0


def test_the_phases_of_a_flow_are_told_from_its_window() -> None:
    window = np.array([2.0, 4, 8, 9, 10, 20, 10, 10, 10, 10, 10, 10, 11, 1, 1, 2, 4, 6, 7])
    threshold = np.array([8.0] * 6 + [10.0] * 7 + [5.0] * 6)
    names = [name.replace("\n", " ") for _, _, name in spans(np.arange(19.0), window, threshold)]
    avoidance = "congestion avoidance"
    expected = ["slow start", avoidance, "recovery", avoidance, "time-out", "slow start", avoidance]
    assert names == expected


def test_the_model_s_utilisation_falls_with_loss() -> None:
    for tables in RANDOM_LOSS.values():
        for table in tables.values():
            used = [table[loss] for loss in sorted(table)]
            assert used == sorted(used, reverse=True)
            assert 0 < min(used) <= max(used) <= 1
    # of Reno at small loss: 1.31 / sqrt(p), a round of 100 ms, 833 packets to fill the path
    expected = 1.31 / 1e-4**0.5 / 833
    assert theory.RANDOM_LOSS["100 Mbit/s"]["reno"][1e-4] == pytest.approx(expected, rel=0.02)
