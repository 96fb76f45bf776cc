"""No average is printed over a reversal: both ways are, with the factor that separates them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from headgate.experiment.effect_sentences import Side, find_sides
from headgate.experiment.findings import sentences
from headgate.figures.analysis.answer import CcaAnswer, answer_each_cca, find_reversal
from headgate.figures.analysis.roles import Roles
from headgate.figures.analysis.whole import TableAnalysis, analyse_table
from headgate.figures.report.about import About
from headgate.figures.report.first import answer
from headgate.figures.report.heat import heat
from headgate.figures.report.html import Codes
from headgate.stats.changes import compute_mean_ratio_change
from headgate.stats.reversals import Direction

from .planted_experiment import measured

RTTS, RATES, QUEUES = ("10 ms", "40 ms", "100 ms"), ("5 Mbit/s", "50 Mbit/s", "1 Gbit/s"), (
    "drop_tail", "fq-codel",
)  # fmt: skip
ROLES = Roles(
    responses=("queue_packets", "loss"),
    factors=("rtt", "rate", "queue"),
    cca="cca",
    replicate="seed",
    before="cubic",
    titles={"queue_packets": "mean queue (packets)"},
    worse={"queue_packets": "more"},
    order={"rtt": RTTS, "rate": RATES, "queue": QUEUES, "cca": ("cubic", "bbr3")},
)


def table(
    ratio: Callable[[str, str, str], float], roles: Roles = ROLES, seeds: int = 3
) -> TableAnalysis:
    """Queues from 4 packets (fq-codel) to 4,000 (drop-tail); bbr3 has `ratio` times as many."""
    rows: list[tuple[object, ...]] = []
    for queue, rate, rtt, cca, seed in product(
        QUEUES, RATES, RTTS, ("cubic", "bbr3"), range(1, seeds + 1)
    ):
        size = 4.0 if queue == "fq-codel" else 40.0 * 10 ** RATES.index(rate)
        factor = ratio(queue, rtt, rate) if cca == "bbr3" else 1.0
        loss = 0.12 if cca == "cubic" else 0.21
        noise = 1 + 0.01 * seed
        rows.append((rtt, rate, queue, cca, seed, size * factor * noise, loss * noise))
    names = ("rtt", "rate", "queue", "cca", "seed", "queue_packets", "loss")
    columns = {name: np.array(of) for name, of in zip(names, zip(*rows, strict=True), strict=True)}
    return analyse_table(columns, roles)


def only(found: TableAnalysis) -> CcaAnswer:
    (one,) = answer_each_cca(found.focus)
    return one


def grows_in_seven_of_nine(queue: str, rtt: str, rate: str) -> float:
    """Fewer packets with drop-tail; with fq-codel 2.6 to 7 times as many in seven of nine."""
    if queue == "drop_tail":
        return 0.7
    if rtt == "10 ms" and rate != "1 Gbit/s":
        return 1.02
    return {"10 ms": 2.6, "40 ms": 4.0, "100 ms": 7.0}[rtt]


def test_both_ways_are_said_with_the_factor_that_separates_them() -> None:
    one = only(table(grows_in_seven_of_nine))
    assert one.sentence == (
        "If everyone used BBR v3 instead of CUBIC, 1 of 1 measures would be worse in some"
        " conditions and better in others (mean queue \N{MULTIPLICATION SIGN}2.6 to"
        " \N{MULTIPLICATION SIGN}7 in 7 of 9 conditions with queue fq-codel, \N{MINUS SIGN}30 % in"
        " 9 of 9 conditions with queue drop_tail); 1 of 1 measures without a better way change by"
        " 10 % or more (loss +75 %)."
    )
    assert one.changes == {"on average": {}}
    assert one.worse == 1


def test_what_no_factor_separates_is_said_with_counts() -> None:
    def one_of_each(queue: str, rtt: str, rate: str) -> float:
        return 2.0 if (RTTS.index(rtt) + RATES.index(rate)) % 3 == 0 else 0.5

    part = table(one_of_each).focus
    found = find_reversal(part, "bbr3", part.order, "queue_packets")
    assert found is not None
    assert found.factor == ""
    assert found.write() == (
        "\N{MULTIPLICATION SIGN}2 in 6 of 18 conditions, \N{MINUS SIGN}50 % in 12 of 18 conditions"
    )


def test_a_factor_that_separates_in_part_counts_the_others() -> None:
    def mostly(queue: str, rtt: str, rate: str) -> float:
        return 3.0 if queue == "fq-codel" or (rtt, rate) == ("10 ms", "5 Mbit/s") else 0.5

    part = table(mostly).focus
    found = find_reversal(part, "bbr3", part.order, "queue_packets")
    assert found is not None
    assert [side.way for side in found.sides] == [
        Direction(("queue fq-codel",), 9, 9, 1), Direction(("queue drop_tail",), 8, 9, 0),
    ]  # fmt: skip


def test_levels_are_grouped_by_the_way_in_which_they_change() -> None:
    part = table(lambda _queue, rtt, _rate: 2.0 if rtt == "100 ms" else 0.5).focus
    found = find_reversal(part, "bbr3", part.order, "queue_packets")
    assert found is not None
    assert found.sides[1].way.levels == ("rtt 10 ms", "rtt 40 ms")
    assert found.sides[1].write() == (
        "\N{MINUS SIGN}50 % in 12 of 12 conditions with rtt 10 ms or rtt 40 ms"
    )


def test_ratios_are_averaged_and_no_packets() -> None:
    """One condition with 4,000 packets does not outweigh seventeen with fewer."""
    part = table(lambda queue, *_: 0.9 if queue == "drop_tail" else 4.0).focus
    found = part.changes.compare_mean("bbr3", part.order, "queue_packets")
    assert found.share == pytest.approx((0.9 * 4.0) ** 0.5 - 1)
    assert found.significant


def test_one_run_of_each_is_judged_by_its_size() -> None:
    assert "worse in some conditions" in only(table(grows_in_seven_of_nine, seeds=1)).sentence


def test_the_mean_ratio_by_hand() -> None:
    """The geometric mean of ratios 2 and 8 is 4; replicates differ by -10, 0, 10 % of the new."""
    old = np.ones((2, 3)) * [[1.0], [10.0]]
    new = np.array([[2.0], [80.0]]) * [0.9, 1.0, 1.1]
    found = compute_mean_ratio_change(old, new)
    assert found is not None
    assert found.share == pytest.approx(3)
    # half-width of the logarithm: t(0.975, 2) sd / sqrt(3) = 4.30265 * 0.1 / 1.73205
    assert found.low == pytest.approx(4 * np.exp(-4.30265 * 0.1 / 3**0.5) - 1, rel=1e-4)
    assert found.high == pytest.approx(4 * np.exp(4.30265 * 0.1 / 3**0.5) - 1, rel=1e-4)


def test_zeros_of_both_are_no_change_and_of_one_have_no_ratio() -> None:
    old = np.array([[0.0, 0.0], [1.0, 1.0]])
    found = compute_mean_ratio_change(old, np.array([[0.0, 0.0], [4.0, 4.0]]))
    assert found is not None
    assert found.share == pytest.approx(1)  # the geometric mean of 1 and 4, less 1
    assert compute_mean_ratio_change(old, old + 1) is None
    assert compute_mean_ratio_change(old - 1, old) is None


def test_intervals_of_mean_ratios_hold_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(1)
    kept = 0
    for _ in range(2000):
        old = np.array([[4.0], [400.0], [4000.0]]) * rng.normal(1, 0.05, (3, 5))
        new = np.array([[8.0], [400.0], [8000.0]]) * rng.normal(1, 0.05, (3, 5))
        found = compute_mean_ratio_change(old, new)
        assert found is not None
        kept += found.low <= 4 ** (1 / 3) - 1 <= found.high
    assert 0.93 <= kept / 2000 <= 0.97


def test_the_page_says_both_ways_and_no_mean() -> None:
    found = table(grows_in_seven_of_nine)
    said = answer(About(title="t"), found, [], Codes.of(found))
    text = re.sub(r"<[^>]+>", "", said)
    assert "worse in some conditions and better in others" in text
    assert "\N{MINUS SIGN}21" not in text
    assert "mean queue" in heat(found)


def planted_effect(levels: Mapping[str, object], replicate: int) -> float:
    """From cubic to bbr3 the queue falls by 30 packets with drop-tail and grows by 6 with codel."""
    start = 10.0 if levels["queue"] == "fq-codel" else 100.0
    change = {"fq-codel": 6.0, "drop_tail": -30.0}[str(levels["queue"])]
    return start + change * (levels["cca"] == "bbr3") + 0.1 * replicate


def test_an_effect_of_an_experiment_is_no_average_over_a_reversal() -> None:
    levels = {"rtt": RTTS, "queue": ("fq-codel", "drop_tail"), "cca": ("cubic", "bbr3")}
    found = measured(levels, {"queue_packets": (planted_effect, "lower")})
    cca = next(e for e in found.effects_by_response["queue_packets"] if e.factors == ("cca",))
    assert cca.effect == pytest.approx(-12)
    assert cca.size == pytest.approx(18)
    sides = find_sides(found, "queue_packets", cca)
    assert [(round(s.least), round(s.most), s.place) for s in sides] == [
        (6, 6, "in 3 of 3 pairs with queue fq-codel"),
        (-30, -30, "in 3 of 3 pairs with queue drop_tail"),
    ]
    only_cca = measured(
        {"cca": levels["cca"], "queue": levels["queue"]},
        {"y": (lambda of, k: planted_effect(of, k) - 90 * (of["queue"] == "drop_tail"), "lower")},
    )
    said = next(one for one in sentences(only_cca) if "moved most" in one)
    assert (
        "moved most by cca, and not one way: from cubic to bbr3 it changes by +6 in 1 of 1" in said
    )
    assert "-12" not in said


@pytest.mark.parametrize("paired", [True, False])
def test_changes_below_10_percent_make_no_reversal_of_an_effect(paired: bool) -> None:
    """As in the answer: 9 % or 12 % more with fq-codel, and 50 % less with drop-tail."""

    def plant(rise: float) -> list[Side]:
        def y(levels: Mapping[str, object], replicate: int) -> float:
            change = {"fq-codel": rise, "drop_tail": -50.0}[str(levels["queue"])]
            return 100 + change * (levels["cca"] == "bbr3") + 0.01 * replicate * len(str(levels))

        queues = {"queue": ("fq-codel", "drop_tail"), "cca": ("cubic", "bbr3"), "a": (0, 10)}
        found = replace(measured(queues, {"y": (y, "lower")}), paired=paired)
        cca = next(e for e in found.effects_by_response["y"] if e.factors == ("cca",))
        return find_sides(found, "y", cca)

    assert not plant(9)
    assert [round(side.least) for side in plant(12)] == [12, -50]


def test_an_effect_of_a_model_is_no_average_over_a_reversal() -> None:
    """Half of the combinations: y = -12 cca + 18 cca queue, in steps from low to high."""
    found = measured(
        {"cca": ("cubic", "bbr3"), "queue": ("drop_tail", "fq-codel"), "a": (0, 1), "b": (0, 1)},
        {"y": (lambda of, k: planted_effect(of, k) + int(str(of["a"])) * 3.0, "lower")},
    )
    model = replace(found, paired=False)
    cca = next(e for e in model.effects_by_response["y"] if e.factors == ("cca",))
    assert not cca.pairs
    assert [(round(s.least), s.place) for s in find_sides(model, "y", cca)] == [
        (6, "with queue fq-codel"), (-30, "with queue drop_tail"),
    ]  # fmt: skip
