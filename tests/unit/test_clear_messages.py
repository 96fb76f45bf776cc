"""Messages name what is there: folders, names and links; wide tables are split, not wrapped."""

from __future__ import annotations

import os
from io import StringIO
from pathlib import Path

import pytest

import headgate
from headgate.base.console import PlainConsole
from headgate.base.errors import HeadgateError, StoreError
from headgate.cli.check import describe_plan
from headgate.cli.options import make_table
from headgate.data.measures.shown import show_run, show_simulated
from headgate.figures.report.html import number
from headgate.lab.view import Watcher

ROWS = [[f"value{column}.{row}" for column in range(12)] for row in range(3)]


def printed(heads: list[str], rows: list[list[str]], width: int) -> list[str]:
    file = StringIO()
    PlainConsole(file=file, width=width).print(make_table("title", heads, rows))
    return file.getvalue().splitlines()


def test_a_table_that_is_too_wide_becomes_several_with_whole_words() -> None:
    lines = printed([f"column_number_{place}" for place in range(12)], ROWS, 100)
    assert all(len(line.rstrip()) <= 100 for line in lines)
    words = [word for line in lines for word in line.split()]
    for text in (*(f"column_number_{place}" for place in range(12)), *ROWS[0], *ROWS[2]):
        assert words.count(text) == 1
    assert words.count("title") == 1
    assert words.count("row") == 3


def test_a_table_that_fits_stays_whole() -> None:
    lines = printed([f"c{place}" for place in range(6)], [row[:6] for row in ROWS], 100)
    assert sum("c0" in line for line in lines) == 1
    assert not any("row" in line for line in lines)


def test_watch_names_the_campaigns_nearby(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError, match="there is none in out/ either"):
        Watcher(Path("out/mine")).look()
    base = headgate.dumbbell(rate="10 Mbit/s", rtt="20 ms", flows=["reno"])
    for place, name in enumerate(("older", "newer")):
        headgate.Experiment(
            base.replaced({"duration": "1 s"}), factors={"cca": ["reno", "cubic"]},
            responses=["goodput_bps"],
        ).run(Path("out") / name)  # fmt: skip
        os.utime(Path("out") / name, (place, place))
    with pytest.raises(StoreError, match="campaigns nearby: out/newer, out/older"):
        Watcher(Path("out/mine")).look()


@pytest.mark.parametrize(
    ("key", "known"), [("trace", "4g, 5g, wifi"), ("course", "leo")], ids=["trace", "course"]
)
def test_a_name_that_is_no_trace_is_answered_with_those_that_are(
    key: str, known: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    network = {"kind": "dumbbell", "rtt": "40 ms", key: "3g"}
    network |= {"rate": "10 Mbit/s"} if key == "course" else {}
    scenario = {
        "duration": "1 s",
        "network": network,
        "traffic": [{"kind": "flows", "cca": "reno"}],
    }
    with pytest.raises(HeadgateError) as refused:
        headgate.Scenario.from_dict(scenario).run("1 s")
    sentence = f"no synthetic {key} is called '3g'; synthetic {key}s: {known}"
    assert sentence in str(refused.value)


def test_all_links_from_a_router_to_itself_are_named_at_once() -> None:
    ends = (("a", "a"), ("a", "b"), ("b", "b"))
    network = {
        "kind": "graph", "rate": "1 Mbit/s", "delay": "1 ms",
        "routers": [{"name": "a"}, {"name": "b"}], "links": [{"ends": pair} for pair in ends],
    }  # fmt: skip
    with pytest.raises(HeadgateError, match="from a router to itself: a-a, b-b"):
        headgate.Scenario.from_dict(
            {"network": network, "traffic": [{"kind": "flows", "cca": "reno"}]}
        )


def test_numbers_of_pages_have_the_minus_sign_of_sentences() -> None:
    assert number(-0.25) == "\N{MINUS SIGN}0.25"
    assert number(-12345.6) == "\N{MINUS SIGN}12,346"
    assert number(1e-7) == "1e\N{MINUS SIGN}07"


def test_simulated_flows_of_a_run_in_real_time_have_a_table() -> None:
    result = headgate.dumbbell(rate="10 Mbit/s", rtt="20 ms", flows=["reno", "cubic"]).run("1 s")
    (table,) = show_simulated(result.tables, result.meta)
    assert table.title == "Flows by algorithm"
    assert [row[0] for row in table.rows] == ["cubic", "reno"]


@pytest.mark.parametrize(
    ("flows", "heading"), [(["reno", "cubic"], "goodput"), (["cubic", "cubic"], "mean goodput")]
)
def test_the_goodput_of_several_flows_is_called_a_mean(flows: list[str], heading: str) -> None:
    result = headgate.dumbbell(rate="10 Mbit/s", rtt="20 ms", flows=flows).run("1 s")
    table = show_run(result.tables, result.meta)[0]
    assert heading in [head.name for head in table.heads]


@pytest.mark.parametrize(("count", "says"), [(1, " 1 single flow, "), (2, " 2 single flows, ")])
def test_a_count_of_one_has_no_plural(count: int, says: str) -> None:
    scenario = headgate.dumbbell(rate="10 Mbit/s", rtt="20 ms", flows=["reno"] * count)
    assert says in describe_plan(*scenario.plan())
