"""The heat map names what it leaves out, says a shared word once, and sums up many algorithms."""

import re
from html import unescape
from itertools import product

import numpy as np
import pytest

from headgate.figures.analysis.roles import Roles
from headgate.figures.analysis.whole import TableAnalysis, analyse_table
from headgate.figures.report.heat import _place, _without_shared, heat


def found(
    ccas: tuple[str, ...], bad: tuple[str, ...], congestion: str | None = "loss"
) -> TableAnalysis:
    """Make loss three times as large under the bad CCAs if the network is slow; delay never."""
    roles = Roles(
        responses=("loss", "delay"),
        factors=("speed",),
        cca="cca",
        before="reno",
        congestion=congestion,
        titles={"loss": "loss rate", "delay": "queueing delay (s)"},
        worse={"loss": "more", "delay": "more"},
    )
    rows = list(product(("1 Mbit/s", "10 Mbit/s", "100 Mbit/s"), ("reno", *ccas), (1, 2, 3)))
    columns: dict[str, list[object]] = {
        "speed": [speed for speed, _, _ in rows],
        "cca": [cca for _, cca, _ in rows],
        "loss": [
            (1 + 0.001 * seed) * (6.0 if cca in bad else 2.0) if speed == "1 Mbit/s" else 1.0
            for speed, cca, seed in rows
        ],
        "delay": [1.0 for _ in rows],
    }
    return analyse_table(columns, roles)


def text(html: str) -> str:
    inline = re.sub(r"</?a\b[^>]*>", "", html)
    return unescape(re.sub(r"<[^>]+>", " ", inline))


def test_algorithms_and_measures_without_a_change_are_named_and_not_drawn() -> None:
    drawn = heat(found(("fast", "ctcp"), bad=("fast",)))
    assert drawn.count("<table") == 1
    assert "<caption>FAST TCP</caption>" in drawn
    assert "Compound TCP changes no measure by 10 % or more under any condition." in text(drawn)
    assert "Changed by none of them: queueing delay." in text(drawn)
    assert drawn.count('<td class="w4">\N{MULTIPLICATION SIGN}3</td>') == 1


def test_where_nothing_changes_a_sentence_says_so() -> None:
    drawn = heat(found(("fast", "ctcp"), bad=()))
    assert "<table" not in drawn
    assert "FAST TCP and Compound TCP change no measure" in text(drawn)


def test_an_algorithm_whose_intervals_leave_a_change_open_is_not_said_to_change_nothing() -> None:
    made = found(("fast", "ctcp"), bad=("fast",))
    delay = np.array(made.frame.columns["delay"], dtype=float)
    rows = np.flatnonzero(made.frame.columns["cca"] == "ctcp")
    delay[rows] = np.tile([0.2, 1.0, 4.0], len(rows) // 3)
    drawn = text(heat(analyse_table({**made.frame.columns, "delay": delay}, made.roles)))
    assert "With Compound TCP no change of 10 % or more is shown in any measure." in drawn
    assert "No change is shown in: queueing delay." in drawn


def test_of_many_algorithms_the_means_come_first_and_the_panels_are_folded() -> None:
    ccas = ("fast", "ctcp", "scalable", "bic", "hstcp")
    drawn = heat(found(ccas, bad=ccas))
    first, folded = drawn.split("<details>")
    assert re.findall("<caption>(.*?)</caption>", first) == [
        "Under heavy congestion",
        "Under light congestion",
    ]
    assert first.count("\N{MULTIPLICATION SIGN}3</td>") == len(ccas)
    assert folded.count("<caption>") == len(ccas)


def test_conditions_that_nothing_orders_are_not_said_to_be_ordered() -> None:
    assert "congestion \N{RIGHTWARDS ARROW}" in heat(found(("fast",), bad=("fast",)))
    unordered = heat(found(("fast",), bad=("fast",), congestion=None))
    assert "congestion" not in text(unordered)
    assert ">condition</th>" in unordered


@pytest.mark.parametrize(
    ("phrases", "said"),
    [
        (["slow network", "fast network"], ["slow", "fast network"]),
        (["rtt 10 ms", "rtt 20 ms", "rtt 80 ms"], ["rtt 10", "20", "80 ms"]),
        (["low patience", "high patience"], ["low", "high patience"]),
        (["drop-tail", "RED"], ["drop-tail", "RED"]),
        (["one level"], ["one level"]),
    ],
)
def test_a_part_shared_by_levels_is_written_once(phrases: list[str], said: list[str]) -> None:
    assert _without_shared(phrases) == said


def test_a_level_lies_between_the_lowest_and_the_highest() -> None:
    assert [_place(("a", "b", "c"), level) for level in "abc"] == [0.0, 0.5, 1.0]
