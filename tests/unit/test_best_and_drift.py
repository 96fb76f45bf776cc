"""The best level is named with its statistical ties; a response that still drifts is flagged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from headgate import Experiment
from headgate.experiment import findings, runner
from headgate.experiment.responses import read_batches
from headgate.lab.workers import WorkerPool
from headgate.stats.changes import find_ties_with_best
from headgate.stats.drift import BATCHES, compute_batch_means, find_drift

from .planted_experiment import measured


def test_the_best_is_named_with_those_that_are_not_less() -> None:
    """Differences from the first: 0.1 +- 0.2, none at all, and 5 +- 0.2 in five replicates."""
    own = np.array([-0.2, -0.1, 0.0, 0.1, 0.2])
    values = np.array([10 + 0 * own, 9.9 + own, 10 + 0 * own, 5 + own, np.nan * own])
    assert find_ties_with_best(values, 0) == [0, 1, 2]


def test_the_truly_best_is_seldom_left_out() -> None:
    """Of 20 alike conditions the largest mean of 4 runs is the best by chance."""
    rng = np.random.default_rng(3)
    kept = 0
    for _ in range(1000):
        values = rng.normal(size=(20, 4))
        best = int(values.mean(axis=1).argmax())
        kept += 0 in find_ties_with_best(values, best)  # any of them is as good as the first
    assert kept >= 950


def goodput(levels: dict[str, object], replicate: int) -> float:
    """Drop-tail gives the same goodput at every round trip; fq-codel gives half of it."""
    noise = 0.01 * ((7 * replicate + 3 * len(str(levels["rtt"]))) % 5)
    return (10.0 if levels["queue"] == "drop_tail" else 5.0) + noise


def test_a_sentence_counts_statistical_ties_and_names_their_common_level() -> None:
    levels = {"rtt": ("5 ms", "40 ms", "100 ms"), "queue": ("fq-codel", "drop_tail")}
    found = measured(levels, {"goodput_bps": (goodput, "higher")}, replicates=5)
    said = findings.sentences(found)[0]
    assert "which cannot be told apart from 2 of the 5 others (all with queue drop_tail);" in said
    assert said.endswith(
        "which cannot be told apart from 2 of the 5 others (all with queue fq-codel)."
    )
    alone = measured(levels, {"goodput_bps": (goodput, "higher")}, replicates=1)
    assert ", of one run each; at the other end" in findings.sentences(alone)[0]
    few = measured(
        {"queue": levels["queue"], "rtt": ("5 ms", "40 ms")},
        {"y": (lambda of, k: goodput(of, k) + (of["rtt"] == "40 ms"), "higher")},
        replicates=5,
    )
    assert "told apart" not in findings.sentences(few)[0]


def test_batches_are_means_of_equal_parts_of_the_measured_time() -> None:
    t_s = np.arange(1, 121) / 10  # to 12 s; the first two seconds are the warm-up
    found = compute_batch_means(t_s, np.floor(t_s - 2.05), 2.0, 12.0)
    assert len(found) == BATCHES
    assert found == pytest.approx([i - 0.0 for i in range(10)], abs=0.11)
    assert compute_batch_means(t_s[::8], t_s[::8], 2.0, 12.0) == []
    assert compute_batch_means([], [], 0.0, 1.0) == []


def test_a_trend_that_matters_is_a_drift() -> None:
    steady = np.full((3, 10), 16.0) + np.random.default_rng(1).normal(0, 2.4, (3, 10))
    assert find_drift(steady) is None
    growing = steady + np.linspace(-5, 5, 10)
    drift = find_drift(growing)
    assert drift is not None
    assert drift.second - drift.first == pytest.approx(50 / 9, abs=3)
    assert find_drift(steady + np.linspace(-0.5, 0.5, 10)) is None  # less than 10 %
    assert find_drift(np.linspace(0, 0.3, 10)[None, :], least=0.5) is None
    swinging = 16 + 4 * np.sin(np.linspace(0, 4 * np.pi, 10))[None, :]
    assert find_drift(swinging) is None


def test_a_response_without_drift_is_seldom_flagged() -> None:
    rng = np.random.default_rng(5)
    wrong = sum(find_drift(rng.normal(10, 10, (2, 10))) is not None for _ in range(2000))
    assert wrong / 2000 <= 0.015  # p below 0.01


def test_an_experiment_flags_runs_that_are_too_short() -> None:
    found = measured(
        {"rtt": ("5 ms", "40 ms"), "queue": ("fq-codel", "drop_tail")},
        {"goodput_bps": (goodput, "higher")},
    )
    assert not any("drifts" in said for said in findings.sentences(found))
    found = replace(found, drifts=("", "queue 12 to 20 packets", "", ""))
    said = next(one for one in findings.sentences(found) if "drifts" in one)
    assert said.startswith("Under 1 of 4 conditions the busiest link still drifts")
    assert "rtt 40 ms, queue fq-codel (queue 12 to 20 packets)." in said
    assert found.means["drifts"].tolist() == [0, 1, 0, 0]


def test_runs_note_their_batches_and_a_queue_that_fills_is_seen(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Twice what the link carries, into an endless buffer: the queue grows to the end."""
    base = {
        "duration": "5 s",
        "network": {"kind": "dumbbell", "rate": "5 Mbit/s", "rtt": "20 ms", "buffer": "infinite"},
        "traffic": [{"kind": "poisson", "cca": "reno", "load": 2.0, "size": "10 packets"}],
        "measure": {"warmup": "1 s"},
    }
    loads = {"traffic.0.load": [0.2, 2.0]}
    experiment = Experiment(base, loads, responses=["mean_queue_packets"], replicates=2)
    asked = experiment.plan_runs(tmp_path_factory.mktemp("drift"))
    runs, _ = runner.make_runs(asked, WorkerPool(1, None, None))
    assert all(len(read_batches(one)["queue_packets"]) == BATCHES for one in runs.results.values())
    assert all("series" not in tuple(one.tables) for one in runs.results.values())
    found = experiment.measure(runs)
    assert not found.drifts[0]
    assert found.drifts[1].startswith("queue ")
