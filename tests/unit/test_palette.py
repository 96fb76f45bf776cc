"""A palette means the same in every picture, and an algorithm keeps its colour everywhere."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex, to_rgb

from headgate.base import catalog
from headgate.base.level_order import LevelOrder
from headgate.data.tables import Table, Words
from headgate.figures.analysis.changes import compute_changes
from headgate.figures.analysis.roles import Roles
from headgate.figures.analysis.whole import TableAnalysis, analyse_table
from headgate.figures.plots.palette import SIGNED, VERDICT
from headgate.figures.plots.style import colours
from headgate.figures.report.heat import NUMBERS, heat
from headgate.figures.spec.flows import look_ccas
from headgate.figures.spec.looks import CCAS as CCA_LOOKS
from headgate.figures.spec.looks import LINES, OWN, find_looks, look_at
from headgate.figures.spec.run import Run
from headgate.figures.vega.ccas import apart, changes
from headgate.figures.vega.looks import DASHES, SHAPES
from headgate.figures.vega.style import cca_colour

CCAS = ("reno", "cubic", "bbr3")
RESPONSES = ("loss", "rate", "flows")


def table(conditions: int = 6, congestion: str | None = None) -> TableAnalysis:
    """Under bbr3 loss doubles, the rate halves, and there are half more flows."""
    rows = [
        (f"c{c}", cca, seed, *(of * (1 + 0.001 * seed) for of in (
            2.0 if cca == "bbr3" else 1.0, 0.5 if cca == "bbr3" else 1.0,
            1.5 if cca == "bbr3" else 1.0,
        )))
        for c, cca, seed in product(range(conditions), CCAS, (1, 2, 3))
    ]  # fmt: skip
    names = ("place", "cca", "seed", *RESPONSES)
    columns = {n: np.array(of) for n, of in zip(names, zip(*rows, strict=True), strict=True)}
    roles = Roles(
        responses=RESPONSES, factors=("place",), cca="cca", replicate="seed", before="reno",
        worse={"loss": "more", "rate": "less"}, congestion=congestion,
        order={"cca": CCAS, "place": tuple(f"c{c}" for c in range(conditions))},
    )  # fmt: skip
    return analyse_table(columns, roles)


def test_an_algorithm_has_one_colour_in_figures_charts_and_pictures_of_runs() -> None:
    figures = colours(CCAS)
    charts = cca_colour(CCAS).to_dict()["scale"]
    assert charts["range"] == [figures[cca] for cca in CCAS]
    flows = Table("flows", {"cca": Words.of(["bbr3"])})
    alone = Run("r", {"flows": flows}, {}, order=LevelOrder({"cca": CCAS}))
    assert look_ccas([alone])["bbr3"].colour == figures["bbr3"] == CCA_LOOKS["bbr3"].colour


def test_algorithms_that_share_a_colour_have_other_marks_and_dashes() -> None:
    for place in range(16):
        one, other = look_at(place), look_at(place + len(LINES))
        assert one.colour == other.colour
        assert one.mark != other.mark
        assert one.dash != other.dash


def is_orange(colour: tuple[float, ...]) -> bool:
    red, green, blue = colour[:3]
    return red > green > blue


def test_changes_are_coloured_as_worse_and_better_or_as_more_and_less() -> None:
    part = table().focus
    figure = compute_changes(part.cells, "reno", part.order).figures(worse=part.roles.worse)[
        "changes-bbr3"
    ]
    ax, *bars = figure.axes
    faces = {to_hex(colour) for colour in ax.collections[0].get_facecolors()}
    worse = [VERDICT.colour(1.0), VERDICT.colour(0.5)]  # loss +100 %, rate -50 %
    assert all(map(is_orange, worse))
    assert faces == {*map(to_hex, worse), to_hex(SIGNED.colour(0.5))}
    said = [bar.get_ylabel() for bar in bars]
    assert said == ["better \N{LEFTWARDS ARROW} change \N{RIGHTWARDS ARROW} worse",
                    "less \N{LEFTWARDS ARROW} change \N{RIGHTWARDS ARROW} more"]  # fmt: skip
    plt.close(figure)


def test_the_first_screen_and_the_picture_have_the_same_side_in_orange() -> None:
    page = heat(table())
    assert page.count('<td class="w') == 12  # loss and rate, worse under six conditions
    assert '<td class="b' not in page


def test_the_two_palettes_are_distinguished() -> None:
    ends = [np.array(to_rgb(one)) for p in (VERDICT, SIGNED) for one in (p.light[2], p.light[-3])]
    assert min(np.abs(a - b).max() for i, a in enumerate(ends) for b in ends[:i]) > 0.2


@pytest.mark.parametrize("congestion", [None, "loss"])
def test_congestion_is_named_only_where_something_measures_it(congestion: str | None) -> None:
    found = table(congestion=congestion)
    part = found.focus
    made = next(one for one in found.made if one.kind.name == "changes")
    figure = dict(made.figures())["changes-bbr3"]
    labels = [ax.get_xlabel() for ax in figure.axes]
    assert ("congestion" in " ".join(labels)) == (congestion is not None)
    assert "condition" in labels[0]
    for chart in (changes, apart):
        assert ("congest" in str(chart(found))) == (congestion is not None)
    assert part.order == list(range(6))
    plt.close(figure)


def test_numbers_are_explained_only_where_they_are_drawn() -> None:
    assert "Numbers are changes in %" in heat(table(24))
    many = heat(table(25))
    assert "Numbers are changes in %" not in many
    assert 'class="heat dense"' in many
    assert "<span>5</span>" in many
    assert '<span class="hidden">6</span>' in many
    assert 'title="\N{MULTIPLICATION SIGN}2"' in many
    assert NUMBERS.format(narrow="wide-only") in heat(table(9))


def test_looks_are_those_of_algorithms_and_no_two_are_alike() -> None:
    assert set(CCA_LOOKS) <= {cca.name for cca in catalog.ccas()}
    assert {look.mark for look in CCA_LOOKS.values()} <= set(SHAPES)
    assert {look.dash for look in CCA_LOOKS.values()} <= set(DASHES)
    looks = list(CCA_LOOKS.values())
    assert len({(look.colour, look.mark) for look in looks}) == len(looks)
    assert len({(look.colour, look.dash) for look in looks}) == len(looks)


@pytest.mark.parametrize(
    "together",
    [
        ("bic", "ctcp", "fast", "fast-at", "hstcp", "htcp", "scalable", "reno"),
        ("reno", "cubic", "bbr", "bbr3", "dctcp", "fast", "vegas", "ledbat"),
        ("reno", "xcp", "rcp", "vcp"),
        ("reno", "xcp", "rcp", "dctcp"),
    ],
)
def test_algorithms_that_are_compared_differ_in_colour_and_mark(together: tuple[str, ...]) -> None:
    looks = find_looks(together)
    assert len({look.colour for look in looks.values()}) == len(together)
    assert len({look.mark for look in looks.values()}) == len(together)


def test_a_look_depends_on_the_name_alone() -> None:
    for others in (CCAS, CCAS[::-1], ("bbr3",), (*CCAS, "Mine", "Gentle")):
        looks = find_looks([*others, "Gentle"])
        assert all(looks[name] == CCA_LOOKS[name] for name in others if name in CCA_LOOKS)
        assert looks["Gentle"] == find_looks(["Gentle"], are_ccas=True)["Gentle"]
    assert find_looks(["bic (1 BIC)", "TCP", "./x.py:Cubic", "cubic"])["TCP"] == CCA_LOOKS["reno"]


def test_user_defined_algorithms_have_colours_of_their_range() -> None:
    names = [f"Mine{number}" for number in range(4)]
    looks = find_looks([*CCAS, *names])
    assert {looks[name].colour for name in names} == set(OWN)
    assert len({looks[name].mark for name in names}) == 4
    many = find_looks([f"Mine{number}" for number in range(12)], are_ccas=True)
    assert len({look.colour for look in many.values()}) == 12
    same = find_looks(["cubic", "Cubic"])
    assert same["cubic"] == CCA_LOOKS["cubic"]
    assert same["Cubic"].colour in OWN


def test_levels_of_other_factors_have_looks_in_their_order() -> None:
    looks = find_looks(["0.5 BDP", "1 BDP", "2 BDP"])
    assert [look.colour for look in looks.values()] == list(LINES[:3])
