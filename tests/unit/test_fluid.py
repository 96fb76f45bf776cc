"""Fluid models from Python: the tables of a packet run, sweeps, and what is refused."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import headgate
from headgate.base import catalog
from headgate.base.errors import HeadgateError
from headgate.cli.main import app
from headgate.data.columns import TABLES
from headgate.engine.fluid import RK4, Adaptive, Euler, solve, sweep
from headgate.figures.plots import draw_run

PUBLISHED = Euler("20 ms", past="rows")


def test_a_fluid_run_has_the_tables_and_columns_of_a_packet_run() -> None:
    result = solve("tcp-red")
    for name, columns in TABLES.items():
        assert result.tables[name].columns == tuple(column.name for column in columns)
    assert len(result.series) == 2 * 2501
    assert result.meta["packet_hops"] == 0


def test_the_plots_of_packet_runs_take_it() -> None:
    drawn = draw_run(solve("tcp-red"))
    assert set(drawn) == {"throughput", "rtt", "cwnd", "queue", "topology"}


def test_it_is_written_and_read_as_a_run_is(tmp_path: Path) -> None:
    result = solve("tcp-red", duration="5 s")
    read = headgate.read(result.write(tmp_path / "run"))
    assert read.digest == result.digest
    np.testing.assert_array_equal(read.series["queue_packets"], result.series["queue_packets"])
    with pytest.raises(HeadgateError, match="a fluid run has no scenario"):
        _ = read.scenario


def test_means_hold_what_the_equations_keep() -> None:
    """A full link sends what it can; Little's law: q = C times the wait; R = D + q/C."""
    result = solve("tcp-red", duration="200 s", warmup="20 s")
    port = {name: result.ports[name][0] for name in result.ports}
    assert port["utilisation"] == pytest.approx(1.0)
    assert port["rate_bps"] == 30 * 1500 * 8
    assert port["mean_queue_packets"] == pytest.approx(30 * port["mean_wait_s"])
    assert result.flows["mean_rtt_s"][0] == pytest.approx(0.2 + port["mean_wait_s"])


def test_halving_the_tolerance_changes_less_than_it_allows() -> None:
    series = [
        solve("tcp-red", duration="30 s", method=Adaptive(tolerance=tolerance)).series
        for tolerance in (1e-6, 5e-7)
    ]
    apart = series[0]["queue_packets"] - series[1]["queue_packets"]
    assert np.nanmax(np.abs(apart)) < 1e-3


@pytest.mark.parametrize("method", [Euler, RK4])
def test_fixed_steps_come_to_the_adaptive_solution(method: type[Euler] | type[RK4]) -> None:
    """They see a switch at the row after it, so both are of order one overall: an eighth, or less
    than a quarter if the rows lie badly."""
    exact = solve("tcp-red", duration="10 s", method=Adaptive(1e-9), every="100 ms")

    def error(step: str) -> float:
        run = solve("tcp-red", duration="10 s", method=method(step), every="100 ms")
        apart = run.series["queue_packets"] - exact.series["queue_packets"]
        return float(np.nanmax(np.abs(apart)))

    assert error("2500 us") < error("20 ms") / 4 < 0.1


def test_a_sweep_is_its_runs() -> None:
    table = sweep(
        "tcp-red",
        {"min_packets": [13.26, 20.0], "red": ["queue", "mean"], "p_lag_s": 0.02},
        method=PUBLISHED,
        warmup="20 s",
    )
    assert list(table["red"]) == [1.0, 0.0]
    run = solve("tcp-red", {"p_lag_s": 0.02}, method=PUBLISHED)
    queue = run.series["queue_packets"][(run.series["of"] == "port") & (run.series["t_s"] >= 20)]
    assert table["queue_packets_min"][1] == queue.min()
    assert table["queue_packets_q1"][1] == pytest.approx(np.quantile(queue, 0.25), rel=1e-12)
    assert table["queue_packets_mean"][1] == pytest.approx(queue.mean(), rel=1e-12)
    assert np.isnan(table["stopped_s"]).all()


def test_a_sweep_is_the_same_for_any_number_of_workers() -> None:
    params = {"rtt_s": np.linspace(0.05, 0.5, 20)}
    one, many = (sweep("tcp-red", params, workers=workers) for workers in (1, 3))
    for name in one:
        np.testing.assert_array_equal(one[name], many[name])


def test_a_run_that_cannot_be_solved_is_reported_and_the_others_finish() -> None:
    """An average over 0.3 ms takes Euler's steps of 20 ms out of all bounds."""
    table = sweep("tcp-red", {"alpha": [1e-4, 0.9]}, method=Euler("20 ms"))
    assert np.isnan(table["stopped_s"][0])
    assert 0 < table["stopped_s"][1] < 50
    assert np.isnan(table["queue_packets_mean"][1])
    with pytest.raises(HeadgateError, match=r"tcp-red at .* s: the state grows beyond all bounds"):
        solve("tcp-red", {"alpha": 0.9}, method=Euler("20 ms"))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: solve("tcp-blue"), "'tcp-blue' is not a fluid model; did you mean 'tcp-red'"),
        (lambda: solve("tcp-red", {"gain": 1}), "'tcp-red' has no parameter 'gain'"),
        (lambda: solve("tcp-red", {"beta": 2}), "'beta' must be a number from 0 to 1"),
        (lambda: solve("tcp-red", {"red": "mode"}), "'red' must be one of 'mean', 'queue'"),
        (lambda: solve("tcp-red", {"beta": True}), "beta: true is not allowed; it must be"),
        (lambda: solve("tcp-red", duration=50), "duration: 50 has no unit"),  # type: ignore[arg-type]
        (lambda: solve("tcp-red", duration="0 s"), "duration: must be a time above zero"),
        (lambda: solve("tcp-red", warmup="50 s"), "warmup: must be shorter than the run of 50 s"),
        (lambda: solve("tcp-red", method="euler"), "method: 'euler' is not a method"),
        (lambda: solve("tcp-red", method=Euler("0 s")), "step: must be a time above zero"),
        (lambda: solve("tcp-red", method=Adaptive(1.0)), "tolerance: must be a number from 1e-13"),
        (
            lambda: solve("tcp-red", method=Euler("1 s", past="x")),  # type: ignore[arg-type]
            "past: must be 'smooth' or 'rows'",
        ),
        (lambda: sweep("tcp-red", {"beta": 0.5}), "params: at least one must be a list"),
        (lambda: sweep("tcp-red", {"beta": []}), "beta: has 0 values"),
        (
            lambda: sweep("tcp-red", {"beta": [0.5, 0.6], "alpha": [0.1]}),
            "alpha: has 1 values; another has 2",
        ),
        (lambda: sweep("tcp-red", {"beta": [[0.5]]}), "beta: must be a list of numbers or words"),
    ],
)
def test_a_mistake_is_one_sentence(call: Callable[[], object], said: str) -> None:
    with pytest.raises(HeadgateError) as raised:
        call()
    assert said in str(raised.value)


def test_the_command_solves_stores_and_prints(tmp_path: Path) -> None:
    arguments = ["fluid", "tcp-red", "--set", "red=queue", "--set", "min_packets=13.26"]
    done = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path / "run")])
    assert done.exit_code == 0
    assert "mean_queue_packets" in done.stdout
    assert headgate.read(tmp_path / "run").meta["fluid"]["params"]["red"] == "queue"
    for wrong in (["--set", "red"], ["--method", "heun"], ["--method", "euler"]):
        failed = CliRunner().invoke(app, ["fluid", "tcp-red", *wrong])
        assert isinstance(failed.exception, HeadgateError)


def test_the_catalogue_knows_every_model() -> None:
    for model in catalog.models():
        assert model.kind == "fluid"
        assert all(param.about and param.source for param in model.params)
        solve(model.name, duration="1 s")


@pytest.mark.timing
def test_ten_thousand_runs_take_less_than_thirty_seconds_on_two_cores() -> None:
    import time

    rng = np.random.default_rng(1)
    params = {"rtt_s": rng.uniform(0.05, 0.5, 10_000), "p_lag_s": 0.02}
    for method in ("adaptive", PUBLISHED):
        begun = time.process_time()
        sweep("tcp-red", params, method=method, workers=2)
        assert time.process_time() - begun < 60
