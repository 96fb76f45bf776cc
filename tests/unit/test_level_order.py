"""Levels, CCAs and panels keep the order of the experiment's file in every output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import headgate
from headgate import Experiment
from headgate.base.errors import AnalysisError
from headgate.base.level_order import LevelOrder
from headgate.cli.main import app
from headgate.experiment import report_roles
from headgate.experiment.conditions import level_name, order_levels
from headgate.experiment.form import read_order
from headgate.figures.analysis.frame import Frame
from headgate.figures.analysis.roles import Roles
from headgate.figures.analysis.whole import TableAnalysis, analyse_table
from headgate.figures.report import about as abouts
from headgate.figures.vega.data import collect_data

from .planted_experiment import measured
from .small_experiment import BASE

#: By the alphabet every one of these comes the other way round, and by size the round trips do.
LEVELS = {
    "queue": ["fq-codel", "drop_tail"],
    "rtt": ["100 ms", "9 ms", "40 ms"],
    "cca": ["reno", "cubic", "bbr"],
}
BITS = {"fq-codel": 0.0, "drop_tail": 331e3, "100 ms": 0.0, "9 ms": 5e5, "40 ms": 1e6,
        "reno": 0.0, "cubic": 1e5, "bbr": 3e5}  # fmt: skip


def goodput(levels: dict[str, object], replicate: int) -> float:
    return 5e6 + sum(BITS[str(level)] for level in levels.values()) + 1e3 * replicate


@pytest.fixture(scope="module")
def found() -> TableAnalysis:
    experiment = measured(LEVELS, {"goodput_bps": (goodput, "higher")})
    roles = report_roles.roles(experiment)
    assert roles is not None
    return analyse_table(experiment.runs, roles)


def test_levels_are_sorted_as_listed_and_others_by_size() -> None:
    order = LevelOrder({"queue": ("fq-codel", "drop_tail")})
    assert order.sort("queue", ["drop_tail", "fq-codel"]) == ["fq-codel", "drop_tail"]
    assert order.sort("rtt", ["10 ms", "100 ms", "40 ms"]) == ["10 ms", "40 ms", "100 ms"]
    assert order.sort("size", ["1 GB", "20 kB"]) == ["20 kB", "1 GB"]
    conditions = [{"queue": q, "seed": s} for s in (10, 9) for q in ("drop_tail", "fq-codel")]
    assert order.places(conditions) == [(1, 1), (1, 0), (0, 1), (0, 0)]


def test_an_effect_has_one_sign_in_the_experiment_and_in_its_analysis(found: TableAnalysis) -> None:
    experiment = measured(LEVELS, {"goodput_bps": (goodput, "higher")})
    own = {
        (effect.factors[0], experiment.ends(effect)): effect.effect
        for effect in experiment.effects_by_response["goodput_bps"]
        if len(effect.factors) == 1
    }
    assert own["queue", ("fq-codel", "drop_tail")] == pytest.approx(331e3)
    rows = {row["factor"]: row for one in found.of("main-effects") for row in one.rows()}
    for factor in ("queue", "rtt"):
        row = rows[factor]
        assert row["effect"] == pytest.approx(own[factor, (row["low"], row["high"])])
    assert rows["queue"]["effect"] == pytest.approx(331e3)


def test_tables_pictures_and_charts_list_levels_and_algorithms_in_order(
    found: TableAnalysis,
) -> None:
    assert found.frame.levels("rtt").names == ("100 ms", "9 ms", "40 ms")
    assert found.frame.levels("queue").order == "given"
    assert found.focus.cells.ccas == ("reno", "cubic", "bbr")
    assert found.roles.before == "reno"
    ccas = collect_data(found)["cells"]["cca"]
    assert isinstance(ccas, dict)
    assert ccas["words"] == ["reno", "cubic", "bbr"]


def test_algorithms_keep_their_order_if_the_first_condition_lacks_one() -> None:
    def keep(levels: dict[str, object]) -> bool:
        return levels["cca"] != "reno" or levels["rtt"] != "100 ms"

    levels = {name: LEVELS[name] for name in ("cca", "rtt")}
    experiment = measured(levels, {"goodput_bps": (goodput, "higher")}, keep=keep)
    assert experiment.labels["cca"][0] == "cubic"
    assert experiment.levels["cca"] == ("reno", "cubic", "bbr")
    roles = report_roles.roles(experiment)
    assert roles is not None
    assert roles.before == "reno"
    assert analyse_table(experiment.runs, roles).focus.cells.ccas == ("reno", "cubic", "bbr")


def test_a_definition_lists_levels_in_file_order_also_if_where_leaves_some_out() -> None:
    factors = {"network.rtt": ["10 ms", "20 ms"], "cca": ["reno", "cubic"]}
    made = Experiment(BASE, factors, where="NOT (rtt_s < 0.015 AND cca = 'reno')").definition
    assert made.conditions[0].labels["rtt"] == "20 ms"
    assert made.levels == {"rtt": ("10 ms", "20 ms"), "cca": ("reno", "cubic")}
    assert made.setup.ccas == ("reno", "cubic")


def test_a_definition_names_the_algorithms_of_all_conditions() -> None:
    """The base's are not run if a factor replaces them, and media has rate controllers."""
    call = {"kind": "media", "name": "call", "rate_controller": "scream", "max_rate": "1 Mbit/s"}
    base = {**BASE, "traffic": [*BASE["traffic"], call]}
    made = Experiment(base, {"traffic.0.cca": ["bbr3", "vegas"], "network.rtt": ["10 ms", "20 ms"]})
    ccas = made.definition.setup.ccas
    others = {item["cca"] for item in BASE["traffic"][1:]}
    assert set(ccas) == {"bbr3", "vegas", "scream"} | others
    assert len(ccas) == len(set(ccas))


def test_numbers_are_one_level_however_they_are_written() -> None:
    roles = Roles(responses=("y",), factors=("load",), order={"load": ("1", "0.5")})
    table = {"load": [0.5, 1.0, 0.5, 1.0], "y": [1.0, 2.0, 1.5, 2.5]}
    assert analyse_table(table, roles).frame.levels("load").names == ("1", "0.5")
    assert order_levels({"load": (1.0, 0.5), "n": (2, 1)}).levels == {
        "load": ("1", "0.5"), "n": ("2", "1"),
    }  # fmt: skip


def test_an_order_that_lacks_a_level_is_refused_with_it() -> None:
    roles = Roles(responses=("y",), factors=("a",), order={"a": ("x",)})
    with pytest.raises(AnalysisError, match=r"order\.a: the table has the level 'z' too"):
        analyse_table({"a": ["x", "z"], "y": [1.0, 2.0]}, roles)
    unknown = Roles(responses=("y",), factors=("a",), order={"b": ("x",)})
    with pytest.raises(AnalysisError, match="'b' is no factor"):
        analyse_table({"a": ["x", "z"], "b": ["x", "x"], "y": [1.0, 2.0]}, unknown)


def test_levels_by_size_are_still_known_to_be_sizes() -> None:
    order = {"rtt": ("9 ms", "10 ms")}
    frame = Frame.of({"rtt": ["10 ms", "9 ms"]}).with_order(order)
    assert frame.levels("rtt").order == "size"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three round trips, which as text are sorted 100, 40, 9, under two algorithms."""
    base = headgate.dumbbell(rate="10 Mbit/s", rtt="20 ms", loss=0.01, flows=["reno"])
    made = Experiment(
        base.replaced({"duration": "1 s"}),
        factors={"network.rtt": ["9 ms", "40 ms", "100 ms"], "cca": ["reno", "cubic"]},
        responses=["goodput_bps"], replicates=1, tables=["flows"],
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("order") / "out"
    made.run(folder, workers=1)
    return folder


def test_panels_of_plot_have_the_order_of_the_file(folder: Path) -> None:
    assert read_order(folder).levels == {
        "rtt": ("9 ms", "40 ms", "100 ms"), "cca": ("reno", "cubic"),
    }  # fmt: skip
    arguments = ["plot", str(folder), "--only", "throughput-delay", "--format", "html"]
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    page = Path(done.stdout.strip()).read_text()
    specs = json.loads(page.split('id="specs">')[1].split("</script>")[0])
    assert [spec["title"] for spec in specs.values()] == ["rtt 9 ms", "rtt 40 ms", "rtt 100 ms"]


def test_the_report_keeps_the_order(folder: Path) -> None:
    roles = abouts.read(folder).roles
    assert roles is not None
    assert roles.order == {"rtt": ("9 ms", "40 ms", "100 ms"), "cca": ("reno", "cubic")}


def test_lists_and_tables_are_named_by_their_keys() -> None:
    pause = {"start": "10 s", "duration": "1 s"}
    assert level_name([pause]) == "start=10 s duration=1 s"
    assert level_name([pause, {"start": "20 s"}]) == "start=10 s duration=1 s, start=20 s"
    assert level_name([]) == "none"
    assert level_name({"preset": "linux", "frto": False}) == "linux(frto=false)"
