"""A run from scenario to folder: tables, repetition, interruption, resumption."""

import json
import math
import re
from pathlib import Path

import duckdb
import numpy as np
import pytest

from headgate import Result, Scenario, dumbbell
from headgate.base.errors import InterruptedRunError, StoreError
from headgate.data.columns import TABLES
from headgate.engine.api import simulate
from headgate.engine.run.options import RunOptions
from headgate.engine.run.progress import Progress, StopRunError
from headgate.engine.run.simulate import SNAPSHOT_FILE


def small(seed: int = 1) -> Scenario:
    users = {
        "kind": "web",
        "cca": "reno",
        "users": 20,
        "think": "0.5 s",
        "size": {"kind": "pareto", "mean": "30 packets", "shape": 1.5},
    }
    return dumbbell(
        rate="10 Mbit/s",
        rtt="40 ms",
        buffer="1 BDP",
        flows=["reno", "fast", users],
        measure={"warmup": "1 s", "periods": 2},
    ).replaced({"duration": "6 s", "seed": seed})


@pytest.fixture(scope="module")
def result() -> Result:
    return simulate(small())


def test_tables_have_the_columns_that_describe_lists(result: Result) -> None:
    for name, columns in TABLES.items():
        assert result.tables[name].columns == tuple(column.name for column in columns)


def test_names_are_the_scenario_s(result: Result) -> None:
    assert {"reno", "fast"} <= set(result.flows["cca"])
    assert result.ports["link"].tolist() == ["bottleneck", "bottleneck.reverse"]
    assert set(result.flows["source"]) == {"left"}
    assert set(result.series["of"]) == {"flow", "port"}
    assert result.responses["end_s"].tolist() == [3.5, 6.0]


def test_figures_are_possible(result: Result) -> None:
    forward = result.ports.where(result.ports["link"] == "bottleneck")
    assert 0.5 < forward["utilisation"][0] <= 1.0
    assert forward["elapsed_s"][0] == pytest.approx(5.0)
    assert forward["max_queue_packets"][0] <= forward["buffer_packets"][0]
    assert 0 < result.responses["y1"][0] < 22
    goodput = np.nansum(result.flows["goodput_bps"][result.flows["size_packets"] == 0])
    assert 0 < goodput < 10e6


def test_the_same_scenario_gives_the_same_digest_another_seed_another(result: Result) -> None:
    assert simulate(small()).digest == result.digest
    assert simulate(small(seed=2)).digest != result.digest


def test_a_run_s_folder_holds_the_same_tables_as_the_result(result: Result, tmp_path: Path) -> None:
    read = Result.read(result.write(tmp_path / "run"))
    assert read.meta == result.meta
    assert read.scenario.identity() == small().identity()
    for name, table in result.tables.items():
        for column in table:
            np.testing.assert_array_equal(read.tables[name][column], table[column])
    assert not [path for path in (tmp_path / "run").iterdir() if path.name.startswith(".")]


def test_parquet_files_describe_their_columns(result: Result, tmp_path: Path) -> None:
    folder = result.write(tmp_path)
    metadata = dict(
        duckdb.sql(
            f"SELECT decode(key), decode(value) FROM parquet_kv_metadata('{folder}/flows.parquet')"
        ).fetchall()
    )
    assert json.loads(metadata["goodput_bps"])["unit"] == "bit/s"


def test_run_json_records_the_whole_run(tmp_path: Path) -> None:
    simulate(small(), tmp_path / "run", options=RunOptions(command="headgate run small.toml"))
    meta = json.loads((tmp_path / "run" / "run.json").read_text())
    assert meta["seed"] == 1
    assert meta["command"] == "headgate run small.toml"
    assert meta["packet_hops"] > 0
    assert meta["cpu_s"] > 0
    assert len(meta["digest"]) >= 16
    assert meta["scenario"]["transport"]["initial_window"] == "10 packets"


def interrupted_at(share: float, monkeypatch: pytest.MonkeyPatch) -> object:
    """Make a report that stops the run as Ctrl-C does, once it is that far."""
    monkeypatch.setattr("headgate.engine.run.simulate.SLICE_S", 0.0)

    def report(at: Progress) -> None:
        if at.share >= share:
            raise KeyboardInterrupt

    return report


def test_a_stopped_run_goes_on_and_ends_with_the_same_digest(
    result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "run"
    for share in (0.2, 0.6):
        stop = interrupted_at(share, monkeypatch)
        with pytest.raises(InterruptedRunError, match="the same command resumes it") as stopped:
            simulate(small(), out, stop)  # type: ignore[arg-type]
        numbers = re.search(
            r"after (\S+) packet-hops, .* at this pace (\S+) in", str(stopped.value)
        )
        assert numbers
        hops, whole = (float(number.replace(",", "")) for number in numbers.groups())
        assert whole * share == pytest.approx(hops, rel=0.2)  # windows end a little later
        assert hops < result.meta["packet_hops"]
        assert (out / SNAPSHOT_FILE).is_file()
    resumed = simulate(small(), out)
    assert resumed.meta["resumed"]
    assert resumed.digest == result.digest
    assert not (out / SNAPSHOT_FILE).exists()
    for column in ("delivered_packets", "retransmissions", "goodput_bps"):
        np.testing.assert_array_equal(resumed.flows[column], result.flows[column])


def test_a_run_that_is_stopped_at_its_end_is_whole() -> None:
    scenario = dumbbell(rate="10 Mbit/s", rtt="20 ms", buffer="1 BDP", flows=["reno"])
    short = scenario.replaced({"duration": "1 s"})

    def stop_at_the_end(now: Progress) -> None:
        if now.share >= 1:
            raise StopRunError

    assert simulate(short, progress=stop_at_the_end).digest == short.run().digest


def test_a_killed_run_goes_on_from_the_state_of_its_last_minute(
    result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headgate.engine.run.simulate.SLICE_S", 0.0)
    monkeypatch.setattr("headgate.engine.run.simulate.CHECKPOINT_S", 0.0)
    monkeypatch.setattr("headgate.engine.run.simulate.SNAPSHOT_SHARE", math.inf)

    def killed(at: Progress) -> None:
        if at.share > 0.2:
            raise SystemError("nothing is tidied up")

    with pytest.raises(SystemError):
        simulate(small(), tmp_path, killed)
    monkeypatch.undo()
    begun: list[float] = []
    monkeypatch.setattr("headgate.engine.run.simulate.SLICE_S", 0.0)
    resumed = simulate(small(), tmp_path, lambda at: begun.append(at.share))
    assert begun[0] > 0.15  # of the run that was killed at 0.2, with a snapshot at every pause
    assert resumed.digest == result.digest


@pytest.mark.parametrize(
    ("error", "times"),
    [(ValueError("it cannot be encoded"), 1), (StoreError("there is no room"), 3)],
)
def test_a_state_that_cannot_be_kept_does_not_end_its_run(
    error: Exception, times: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from headgate.engine.run import simulate as module

    monkeypatch.setattr(module, "CHECKPOINT_S", 0.0)
    monkeypatch.setattr(module, "SNAPSHOT_SHARE", math.inf)
    asked: list[int] = []

    def keep() -> None:
        asked.append(1)
        raise error

    due = module._SnapshotTimer()
    for _ in range(3):
        due.checkpoint_if_due(keep)
    assert len(asked) == times
    assert len(caplog.messages) == (1 if times > 1 else 0)


def test_a_finished_run_is_read_not_repeated(tmp_path: Path) -> None:
    first = simulate(small(), tmp_path / "run")

    def forbidden(at: Progress) -> None:
        raise AssertionError("it ran again")

    assert simulate(small(), tmp_path / "run", forbidden).meta == first.meta


def test_a_folder_keeps_its_run_from_another_scenario(tmp_path: Path) -> None:
    simulate(small(), tmp_path / "run")
    with pytest.raises(StoreError, match="holds the run of another scenario"):
        simulate(small(seed=2), tmp_path / "run")
    assert Result.read(tmp_path / "run").meta["seed"] == 1
