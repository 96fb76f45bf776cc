"""The cost of a campaign, estimated from short pilot runs: within 25 %."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from headgate import dumbbell
from headgate.cli.main import app
from headgate.engine.run import simulate
from headgate.experiment import runner
from headgate.experiment.study import study
from headgate.lab import cost
from headgate.lab.cost import CostEstimate, Pilot, estimate
from headgate.lab.jobs import Job
from headgate.lab.scheduler import Scheduler
from headgate.lab.store import Store

from . import campaign_program, heavy_campaign, small_study

WITHIN = 0.25  # the accuracy that the dry run promises


@pytest.fixture(scope="module")
def predicted(tmp_path_factory: pytest.TempPathFactory) -> tuple[CostEstimate, runner.StudyRun]:
    """Estimate the small study, with longer periods, before and without running it."""
    asked = small_study.asked(tmp_path_factory.mktemp("cost"), seeds=2, period="5 s")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(simulate, "SLICE_S", 0.005)  # its runs take half a second
        patch.setattr(cost, "MOST_PILOTS", 12)  # 16 scenarios with two seeds each
        found = estimate(list(asked.jobs.values()), Store(asked.folder), 2, pilots=True)
    assert not list((asked.folder / "runs").iterdir())
    return found, asked


@pytest.fixture(scope="module")
def taken(predicted: tuple[CostEstimate, runner.StudyRun]) -> list[dict[str, float]]:
    _, asked = predicted
    store, jobs = Store(asked.folder), list(asked.jobs.values())
    Scheduler(store, 2).run(jobs, lambda _: None)
    results = [store.read(job) for job in jobs]
    return [result.meta for result in results if result is not None]


def test_packet_hops_are_predicted_within_a_quarter(
    predicted: tuple[CostEstimate, runner.StudyRun], taken: list[dict[str, float]]
) -> None:
    found, asked = predicted
    assert (found.runs, found.found, found.pilots) == (32, 0, 12)
    kept = [json.loads(path.read_text()) for path in asked.folder.glob("pilots/*/*.json")]
    assert max(pilot["seen"] for pilot in kept) < 0.5  # predicted, not measured
    hops = sum(meta["packet_hops"] for meta in taken)
    assert found.packet_hops == pytest.approx(hops, rel=WITHIN)


@pytest.mark.timing
def test_cpu_time_is_predicted_within_a_quarter(
    predicted: tuple[CostEstimate, runner.StudyRun], taken: list[dict[str, float]]
) -> None:
    found, _ = predicted
    cpu_s = sum(meta["cpu_s"] + meta["setup_cpu_s"] for meta in taken)
    assert found.cpu_s == pytest.approx(cpu_s, rel=WITHIN)


def test_finished_runs_cost_nothing(
    predicted: tuple[CostEstimate, runner.StudyRun], taken: list[dict[str, float]]
) -> None:
    _, asked = predicted
    found = estimate(list(asked.jobs.values()), Store(asked.folder), 2, pilots=True)
    assert (found.runs, found.found, found.cpu_s, found.wall_s) == (0, 32, 0, 0)


def test_a_pilot_sees_a_part_of_the_run_and_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulate, "SLICE_S", 0.01)
    (job,) = campaign_program.jobs(1, 600.0)
    pilot = cost._pilot(job, tmp_path)
    assert 0.05 < pilot.seen < 0.5
    assert pilot.packet_hops == pytest.approx(job.scenario.run().meta["packet_hops"], rel=0.05)
    monkeypatch.setattr(cost, "begin", lambda *_, **__: pytest.fail("it was kept"))
    assert cost._pilot(job, tmp_path) == pilot


def test_late_traffic_is_learned_from_runs_that_reach_their_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bulk flow begins after half of the time: the first parts of runs see only short flows."""
    monkeypatch.setattr(simulate, "SLICE_S", 0.0)  # a report a window, however fast it runs
    short = {"kind": "poisson", "cca": "reno", "load": 0.4, "size": "10 packets"}
    bulk = {"kind": "flows", "cca": "cubic", "start": "20 s"}
    both = dumbbell(rate="20 Mbit/s", rtt="20 ms", flows=[short, bulk], duration="40 s")
    jobs = [Job(campaign_program.seeded(both, seed), {"place": seed}) for seed in range(12)]
    found = estimate(jobs, Store(tmp_path), 2, pilots=True)
    hops = sum(job.scenario.run().meta["packet_hops"] for job in jobs)
    assert found.packet_hops == pytest.approx(hops, rel=WITHIN)
    # Draws are by cost, with replacement: one that a busy machine made dear may be drawn often.
    assert 1 <= found.whole_pilots <= cost.DRAWS
    kept = [json.loads(path.read_text()) for path in tmp_path.glob("pilots/*/*.json")]
    assert sum(pilot["packet_hops"] for pilot in kept) < (1 - WITHIN) * hops


def test_the_dear_are_drawn_more_often_and_the_too_dear_never() -> None:
    assert cost.draw([1, 1, 6, 1, 1]) == [0, 3, 2, 2, 2, 2]
    assert set(cost.draw([1, cost.PILOT_WALL_S + 1, 2])) == {0, 2}
    assert cost.draw([]) == cost.draw([cost.PILOT_WALL_S + 1]) == []


def test_a_few_dear_runs_whose_beginnings_mislead_are_corrected_too() -> None:
    """57 cheap runs take 10 % more than predicted, seven expensive ones less than half."""
    predicted_s = [1.0 + place / 100 for place in range(57)] + [
        7.0 + place / 10 for place in range(7)
    ]
    took = [cost_s * (1.1 if cost_s < 2 else 0.45) for cost_s in predicted_s]
    drawn = [
        Pilot("", predicted_s[at], predicted_s[at], 0.2, took[at], took[at])
        for at in cost.draw(predicted_s)
    ]
    hops, cpu = cost.Pilots({}, drawn).corrections()
    assert hops == cpu
    assert hops * sum(predicted_s) == pytest.approx(sum(took), rel=0.1)


def test_replicates_share_a_pilot_and_there_are_not_too_many() -> None:
    jobs = [
        Job(campaign_program.seeded(job.scenario, seed), {"condition": place, "seed": seed})
        for seed in (1, 2)
        for place, job in enumerate(campaign_program.jobs(300, 1.0))
    ]
    chosen = cost.choose_pilots(jobs)
    assert len(chosen) == cost.MOST_PILOTS
    assert {job.labels["seed"] for job in chosen} == {1}
    assert max(int(job.labels["condition"]) for job in chosen) > 290


@pytest.mark.parametrize(
    ("costs_s", "workers", "wall_s"),
    [([3, 1, 1, 1], 2, 3), ([1, 1, 1, 3], 2, 4), ([2], 8, 2), ([1] * 10, 3, 4)],
)
def test_wall_time_is_that_of_runs_handed_out_in_order(
    costs_s: list[float], workers: int, wall_s: float
) -> None:
    assert cost._wall_s(costs_s, workers) == wall_s


def test_memory_is_predicted_within_a_quarter(tmp_path: Path) -> None:
    """Three runs of 150,000 idle users each, two at a time."""

    def printed(which: str) -> float:
        program = [sys.executable, heavy_campaign.__file__, which, str(tmp_path / which)]
        done = subprocess.run(program, check=True, capture_output=True, text=True)
        return float(done.stdout)

    assert printed("predicted") == pytest.approx(printed("taken"), rel=WITHIN)


def test_the_command_runs_nothing_and_prints_the_cost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study, "load", lambda _: small_study.shrunk(seeds=1))
    words = ["study", "tcp-replacements", "--dry-run", "--pilots", "--out", str(tmp_path)]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 0
    assert "runs:         16" in done.stdout
    assert "packet-hops:" in done.stdout
    assert "pilot runs: 100 %" in done.stderr
    assert not list((tmp_path / "runs").iterdir())
