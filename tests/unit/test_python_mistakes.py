"""Values that Python code passes: a single name, an empty folder, a float."""

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headgate
from headgate import Trace, UnitError, dumbbell, format_rate, format_time_ps
from headgate.base.errors import HeadgateError, StoreError
from headgate.engine.fluid import solve
from headgate.experiment.responses import select_period
from headgate.figures import PaperSize, draw_results
from headgate.plugin.proof import check_cca

from .ccas.reno import Reno


def scenario(*flows: Any, seed: int = 1) -> headgate.Scenario:
    return dumbbell(rate="10 Mbit/s", rtt="20 ms", flows=flows, duration="1 s", seed=seed)


def test_the_run_of_another_scenario_is_not_replaced(tmp_path: Path) -> None:
    one, other = (scenario("reno", seed=seed).run() for seed in (1, 2))
    one.write(tmp_path / "run")
    one.write(tmp_path / "run")
    with pytest.raises(StoreError, match="holds the run of another scenario"):
        other.write(tmp_path / "run")
    assert headgate.read(tmp_path / "run").meta["seed"] == 1


def test_an_empty_text_is_no_folder(tmp_path: Path) -> None:
    with contextlib.chdir(tmp_path):
        for out in ("", " "):
            with pytest.raises(StoreError, match="is not a folder; write a name such as"):
                scenario("reno").run(out=out)
            with pytest.raises(StoreError, match="is not a folder"):
                scenario("reno").run().write(out)
    assert not list(tmp_path.iterdir())


def test_floats_are_written_with_a_unit() -> None:
    assert format_rate(np.float64(2.5e6)) == format_rate(2_500_000) == "2.5 Mbit/s"
    assert format_rate(0.1) == "0.1 bit/s"
    assert format_rate(np.int64(10**9)) == "1 Gbit/s"
    assert format_time_ps(1.5e9) == "1.5 ms"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "1 Mbit/s", None])
def test_only_finite_numbers_are_written_with_a_unit(value: object) -> None:
    for write in (format_rate, format_time_ps):
        with pytest.raises(UnitError, match="is not a finite number"):
            write(value)  # type: ignore[arg-type]


def test_a_single_name_is_a_name(tmp_path: Path) -> None:
    assert Trace(flows="cubic", ports=0) == Trace(flows=("cubic",), ports=(0,))
    scenario("cubic").run(out=tmp_path / "run", trace=Trace(flows="cubic"))
    updates = [update.events for update in scenario("cubic").stream(flows="cubic", step_s=0.5)]
    assert sum(map(len, updates)) > 0


def test_rows_of_flows_are_in_the_order_of_start() -> None:
    flows = scenario("reno", {"cca": "cubic"}, "vegas", {"cca": "bic"}).run().flows
    assert list(flows["start_s"]) == sorted(flows["start_s"])
    assert list(flows["cca"]) == ["reno", "cubic", "bic", "vegas"]


def test_names_of_the_package_are_listed_once() -> None:
    assert dir(headgate) == sorted(set(headgate.__all__))
    assert issubclass(headgate.SchemeWarning, headgate.HeadgateWarning)


def test_arguments_of_another_kind_are_named(tmp_path: Path) -> None:
    one = scenario("reno")
    with pytest.raises(HeadgateError, match=r"trace: give a headgate\.Trace"):
        one.run(out=tmp_path / "traced", trace="flows=0")  # type: ignore[arg-type]
    with pytest.raises(HeadgateError, match="draw_results takes results by their names"):
        draw_results(one.run(), "throughput")  # type: ignore[arg-type]
    with pytest.raises(HeadgateError, match="a width with its unit, such as '88 mm'; got 88"):
        PaperSize.of(88)  # type: ignore[arg-type]
    with pytest.raises(HeadgateError, match="network: give a graph of networkx"):
        headgate.graph(3, flows=["reno"])


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [1], None])
def test_a_parameter_of_code_is_a_number_or_a_word(value: object) -> None:
    with pytest.raises(HeadgateError, match="give a number, a word, true or false; got"):
        scenario({"cca": {"source": "./mine.py:Mine", "beta": value}})


def test_an_error_in_a_cell_of_a_notebook_has_its_line(tmp_path: Path) -> None:
    text = (
        "class Mine:\n    def on_ack(self, ack, path, window):\n        window.cwnd = 1 / 0\n"
        "    def on_congestion(self, event, path, window):\n        pass\n"
    )
    cell: dict[str, Any] = {"__name__": "cell"}
    exec(compile(text, str(tmp_path / "ipykernel_1" / "2.py"), "exec"), cell)
    with pytest.raises(HeadgateError, match=r"line 3: ZeroDivisionError"):
        scenario(cell["Mine"]).run()


def test_a_table_that_a_run_lacks_is_named() -> None:
    tables = scenario("reno").run().tables
    with pytest.raises(HeadgateError, match="the run has no table 'flow'; did you mean 'flows'"):
        tables["flow"]
    with pytest.raises(HeadgateError, match="no table 'packets'; tables: flows, ports, series"):
        tables["packets"]
    assert tables.get("packets") is None
    fluid = solve("tcp-red").tables
    with pytest.raises(HeadgateError, match="the run has no table 'flow'; did you mean 'flows'"):
        fluid["flow"]
    assert fluid.get("flow") is None
    with contextlib.closing(scenario("reno").stream()) as updates:
        update = next(updates)
    with pytest.raises(HeadgateError, match="no table 'flows'; tables: series, network, events"):
        update.tables["flows"]


def test_a_table_that_has_no_periods_is_named() -> None:
    of_one = select_period(scenario("reno").run().tables, 1)
    with pytest.raises(HeadgateError, match="period 1 has no table 'ports'; tables: "):
        of_one["ports"]


def test_a_class_is_checked() -> None:
    found = check_cca(Reno)
    assert found.events > 0
