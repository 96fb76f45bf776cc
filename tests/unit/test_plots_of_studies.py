"""Heat maps, dots, small multiples and legends; the drawn values are read back from the axes."""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from matplotlib import pyplot as plt

from headgate.figures.plots.conditions import ConditionAxis, draw_changes, residuals, roll_up
from headgate.figures.plots.curves import Curve, CurvePanel, draw_curves
from headgate.figures.plots.dots import Dots, draw_dots
from headgate.figures.plots.effects import main_effects
from headgate.figures.plots.heat import Heat, draw_heat
from headgate.figures.plots.style import image
from headgate.figures.spec.selection import find_readable
from headgate.stats.changes import Change
from headgate.stats.effects import FactorEffect, LevelMean
from headgate.stats.outliers import Outlier, Residuals
from headgate_studies.senders.pictures_alone import draw_phases, windows_and_queues

T_S = np.arange(0.0, 10.0)


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    plt.close("all")


def test_a_heat_map_writes_its_numbers_and_leaves_out_missing_runs() -> None:
    values = np.array([[0.5, np.nan], [0.25, 1.0]])
    figure = draw_heat(
        ["a", "b"], [Heat("share", values, ["x", "y"], 0.0, 1.0, scale=100.0)], "columns"
    )
    assert [text.get_text() for text in figure.axes[0].texts] == ["50", "25", "100"]
    assert figure.axes[0].get_xlabel() == "columns"
    low, high = figure.axes[1].get_ylim()
    assert (low, high) == (0, 100)  # the bar shows the unit of the numbers


def test_heat_maps_are_arranged_in_rows() -> None:
    panel = Heat("share", np.eye(2), ["x", "y"], 0.0, 1.0, groups={0: "first", 1: "second"})
    figure = draw_heat(["a", "b"], [panel] * 4, across=2)
    places = [ax.get_subplotspec().get_geometry()[2] for ax in figure.axes[:4]]  # type: ignore[union-attr]
    assert places == [0, 1, 2, 3]
    assert {"first", "second"} <= {text.get_text() for text in figure.axes[0].texts}


def test_dots_keep_one_order_and_show_intervals() -> None:
    measure = {"a": (2.0, 1.0, 3.0), "b": Dots.point(4.0)}
    panels = [Dots("x", "s", {"one": measure}), Dots("y", "s", {"one": measure}, log=True)]
    figure = draw_dots(["a", "b"], panels)
    left, right = figure.axes
    assert list(np.asarray(left.get_lines()[0].get_xdata())) == [2, 4]
    assert left.get_xlim()[0] == 0
    assert left.get_xlim()[1] > 4
    assert right.get_xscale() == "log"
    assert left.yaxis_inverted()


def test_the_level_that_dots_are_compared_with_is_in_the_picture() -> None:
    (panel,) = draw_dots(["a"], [Dots("x", "s", {"one": {"a": Dots.point(0.9)}}, level=1.0)]).axes
    assert panel.get_xlim()[1] > 1


def test_windows_share_one_scale() -> None:
    course = (T_S, np.full(10, 50.0))
    full = (T_S[[0, -1]], np.array([40.0, 40.0]))
    figure = windows_and_queues(dict.fromkeys("abcde", (course, course)), full)
    assert {ax.get_ylim() for ax in figure.axes[:5]} == {(0, 2.3 * 40)}
    assert [ax.get_visible() for ax in figure.axes[5:]] == [False] * 3


def test_phases_are_named() -> None:
    spans = [(0.0, 0.5, "slow start"), (0.5, 9.0, "congestion\navoidance")]
    figure = draw_phases((T_S, T_S), (T_S, T_S), (T_S, T_S), spans)
    texts = {text.get_text(): text.get_rotation() for text in figure.axes[0].texts}
    assert texts == {"slow start": 90, "congestion\navoidance": 0}  # a narrow one is rotated


def test_a_legend_is_no_wider_than_its_figure() -> None:
    names = [f"a name of some length {i}" for i in range(17)]
    drawn = {name: Curve([1, 2], [1, 2]) for name in names}
    figure = draw_curves([CurvePanel("p", "x", "y", drawn)], columns=1, panel_in=(8.2, 4.0))
    figure.canvas.draw()
    assert figure.legends[0].get_window_extent().width <= figure.bbox.width


def test_means_and_residuals_are_in_the_unit_that_people_read() -> None:
    levels = (LevelMean("1", 4, 18e6, 17.5e6, 18.5e6), LevelMean("2", 4, 19e6, 18.5e6, 19.5e6))
    effect = FactorEffect("buffer", levels, ordered=True, p=0.001)
    figure = main_effects({"goodput": [effect]}, {"goodput": "goodput of all (bit/s)"})
    assert figure.axes[0].get_title(loc="left") == "goodput of all (Mbit/s)"
    assert figure.axes[0].get_lines()[1].get_ydata() == pytest.approx([18, 19])
    values = np.array([[-2e6, 1e6, 1e6], [0.0, -1e6, np.nan]])
    data = Residuals(("reno", "cubic", "bbr3"), values, np.zeros(2))
    ax = residuals({"goodput (bit/s)": ("residual", data)}, ConditionAxis(["a", "b"])).axes[0]
    assert ax.get_title(loc="left") == "goodput (Mbit/s)"
    assert sorted(ax.get_lines()[1].get_ydata()) == [-2, 0]


@pytest.mark.parametrize(
    ("title", "figures", "expected"),
    [
        ("delay (s)", [0.02, float("nan")], (1e3, "delay (ms)")),
        ("queue (packets)", [2e6], (1.0, "queue (packets)")),
        ("goodput (bit/s)", [0.0], (1.0, "goodput (bit/s)")),
        ("share", [0.5], (1.0, "share")),
    ],
)
def test_a_unit_is_made_readable(
    title: str, figures: list[float], expected: tuple[float, str]
) -> None:
    factor, said = find_readable(title, figures)
    assert (pytest.approx(factor), said) == expected


@pytest.mark.parametrize("rows", [2, 3, 20])
@pytest.mark.parametrize("in_words", [True, False])
def test_names_of_outliers_leave_every_cell_its_room(rows: int, in_words: bool) -> None:
    """Long names of conditions and responses are whole, apart, and clear of cells and legend."""
    levels = [(buffer, rtt) for rtt in (10, 20, 40, 80) for buffer in (0.5, 1, 2)]
    named = [f"buffer {buffer} BDP, rtt {rtt} ms" for buffer, rtt in levels]
    marked = ConditionAxis(["●\n○\n●"] * 12, ("buffer 2 BDP", "rtt 80 ms", "loss 1 %"))
    axis = ConditionAxis(named) if in_words else marked
    names = [f"mean queue of the busiest link {row} (packets)" for row in range(rows)]
    found = Outlier("cubic", high=True, apart_share=0.2, p=0.01, passes_filter=True)
    figure = roll_up(["reno", "cubic", "bbr3"], axis, {name: [found] * 12 for name in names})
    image(figure, "png")
    cells = figure.axes[0].get_window_extent()
    labels = [label.get_window_extent() for label in figure.axes[0].get_yticklabels()]
    assert cells.height >= rows * 0.22 * figure.dpi
    assert all(a.y0 >= b.y1 for a, b in itertools.pairwise(labels))
    assert min(label.x0 for label in labels) >= 0
    assert figure.legends[0].get_window_extent().y1 <= cells.y0
    top = [label.get_window_extent().y1 for label in figure.axes[0].get_xticklabels()]
    assert max(top) <= figure.bbox.height


@pytest.mark.parametrize("conditions", [1, 8, 16, 17, 64])
def test_changes_of_many_conditions_are_one_above_the_other(conditions: int) -> None:
    """At most 48 columns are drawn side by side."""
    rows = {name: [Change(0.2, significant=True)] * conditions for name in ("goodput", "delay")}
    axis = ConditionAxis([f"condition {number}" for number in range(conditions)])
    grids = {"scalable": rows, "ctcp": rows, "fast": rows}
    figure = draw_changes(grids, axis, {"delay": 1}, by_congestion=False)
    image(figure, "png")
    panels = [ax.get_window_extent() for ax in figure.axes[:3]]
    assert len({round(panel.x0) for panel in panels}) == (3 if conditions <= 16 else 1)
    assert len({round(panel.y0) for panel in panels}) == (1 if conditions <= 16 else 3)
    below = panels[-1]
    labels = [label.get_window_extent() for label in figure.axes[2].get_xticklabels()]
    assert len(labels) == conditions
    assert max(label.y1 for label in labels) <= below.y0
    assert min(label.y0 for label in labels) >= 0


def test_a_short_logarithmic_axis_has_several_labels() -> None:
    curves = {"one": Curve([1, 8], [1, 3]), "other": Curve([2, 6], [1, 2])}
    figure = draw_curves([CurvePanel("two", "x (ms)", "y (ms)", curves, log="xy")])
    for axis in (figure.axes[0].xaxis, figure.axes[0].yaxis):
        low, high = axis.get_view_interval()
        labels = [
            axis.get_major_formatter()(at) for at in axis.get_majorticklocs() if low <= at <= high
        ]
        assert {"1", "2"} <= set(labels)
