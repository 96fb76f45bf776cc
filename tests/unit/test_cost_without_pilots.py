"""The cost of a campaign without pilot runs: from finished runs, or limited by the plans."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import headgate
from headgate import Experiment, Scenario
from headgate.cli.main import app
from headgate.lab import cost
from headgate.lab.hop_limit import limit_packet_hops
from headgate.lab.scheduler import Scheduler
from headgate.lab.store import Store
from headgate_studies.mesonet import MesoNet

from .campaign_program import Threads
from .test_experiment import BASE

ROOT = Path(__file__).parents[2]
WEB = {"kind": "web", "cca": "reno", "users": 40, "think": "1 s", "size": "20 packets"}


def dumbbell(*flows: Any, duration: str = "10 s", **network: Any) -> Scenario:
    keys = {"rate": "12 Mbit/s", "rtt": "20 ms", **network}
    made: Scenario = headgate.dumbbell(flows=list(flows), duration=duration, **keys)
    return made


def test_links_limit_endless_flows() -> None:
    """12 Mbit/s carry 10,000 packets of 1,500 bytes in 10 s, each way; with ACKs, over 3 links."""
    assert limit_packet_hops(dumbbell("reno", "cubic").plan()[0]) == 2 * 10_000 * 3 * 2


def test_hosts_limit_endless_flows() -> None:
    scenario = dumbbell("reno", host_rate="1.2 Mbit/s")
    assert limit_packet_hops(scenario.plan()[0]) == 1_000 * 3 * 2


def test_links_limit_flows_without_host_links() -> None:
    """Hosts without host links add no limit; that of the links remains, as above."""
    direct = dumbbell("reno", "cubic", access="direct")
    assert limit_packet_hops(direct.plan()[0]) == 2 * 10_000 * 3 * 2


def test_offered_files_limit_arrivals() -> None:
    """100 files of 5 packets, each with two that open its connection."""
    files = {"kind": "poisson", "cca": "reno", "arrivals": "10 flows/s", "size": "5 packets"}
    assert limit_packet_hops(dumbbell(files).plan()[0]) == pytest.approx(100 * 7 * 3 * 2)


def test_thinking_limits_users() -> None:
    """Each of 40 users fetches at most 11 files in 10 s, of 20 packets and two more."""
    assert limit_packet_hops(dumbbell(WEB).plan()[0]) == pytest.approx(40 * 11 * 22 * 3 * 2)


def scenarios() -> dict[str, Scenario]:
    short = {"duration": "3 s", "measure": {"series": "none"}}
    named = ("parking_lot", "ring", "two_way", "on_off", "bursts", "web", "short_flows", "replay")
    examples = {
        name: Scenario.load(ROOT / "examples" / f"{name}.toml").replaced(short) for name in named
    }
    return examples | {
        "abilene": headgate.abilene(rate="50 Mbit/s", flows=[WEB], **short),
        "mesonet": MesoNet.from_dict({"size": 0.002, "duration": "5 s"}).scenario(),
    }


@pytest.mark.parametrize("name", scenarios())
def test_no_run_exceeds_its_limit(name: str) -> None:
    scenario = scenarios()[name]
    hops = scenario.run().meta["packet_hops"]
    assert 0 < hops <= limit_packet_hops(scenario.plan()[0])


@pytest.fixture
def no_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a run was begun")

    monkeypatch.setattr(cost, "simulate", refuse)
    monkeypatch.setattr(cost, "_run_bytes", refuse)


@pytest.mark.usefixtures("no_runs")
def test_a_dry_run_runs_nothing_and_says_what_its_estimate_rests_on(tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(
        'replicates = 2\nresponses = ["goodput_bps"]\n[factors]\ncca = ["reno", "cubic"]\n'
        '[scenario]\nduration = "2 s"\nnetwork = {kind = "dumbbell", rate = "12 Mbit/s",'
        ' rtt = "20 ms"}\ntraffic = [{kind = "flows", cca = "reno"}]\n'
    )
    words = ["experiment", "run", str(tmp_path / "e.toml"), "--out", str(tmp_path), "--dry-run"]
    said = CliRunner().invoke(app, words, catch_exceptions=False).stdout
    assert "runs:         4\n" in said
    assert "packet-hops:  at most 9.6e+04\n" in said  # 4 runs of 2 x 2,000 x 3 x 2
    assert "Nothing was run: these are upper limits" in said
    assert "do not include the start of each run, the analyses and the pictures" in said
    found = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    assert (found["basis"], found["pilots"]) == ("plans", 0)
    assert found["cpu_s"] == found["packet_hops"] / cost.HOPS_PER_CPU_S


@pytest.mark.usefixtures("no_runs")
def test_finished_runs_predict_the_others(tmp_path: Path) -> None:
    asked = Experiment(BASE, {"cca": ["reno", "cubic"]}, replicates=3).plan_runs(tmp_path)
    jobs, store = list(asked.jobs.values()), Store(tmp_path)
    first = jobs[:2]  # both algorithms with the first seed
    Scheduler(store, keep=asked.study.keep, executor=Threads(1)).run(first, lambda _: None)
    found = cost.estimate(jobs, store, 1)
    assert (found.basis, found.runs, found.found) == ("runs", 4, 2)
    metas = [result.meta for job in first if (result := store.read(job)) is not None]
    for name in ("packet_hops", "cpu_s"):
        assert getattr(found, name) == pytest.approx(2 * sum(meta[name] for meta in metas))
    assert found.wall_s == pytest.approx(found.cpu_s)
    Scheduler(store, keep=asked.study.keep, executor=Threads(1)).run(jobs, lambda _: None)
    assert cost.estimate(jobs, store).runs == 0
