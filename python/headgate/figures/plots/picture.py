"""Draws the pictures of a run: panels with lines, levels and the warm-up, and maps."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from numpy.typing import ArrayLike

from headgate.figures.plots.palette import (
    BAND_OPACITY,
    CLOUD_OPACITY,
    OUTAGE,
    OUTAGE_OPACITY,
    WARMUP,
    WARMUP_OPACITY,
    choose_ink,
)
from headgate.figures.plots.style import collect_handles, dash_of, make_axes, mark_of, use_style
from headgate.figures.spec.drawing import Level, Line, Panel, Picture

WIDTH_IN, ALONE_IN, ROW_IN, LEGEND_IN, TITLE_IN = 8.2, 3.9, 2.0, 0.6, 0.3
#: The width of an entry of the legend: its symbol and gaps, and each of its letters.
SYMBOL_IN, LETTER_IN = 0.6, 0.068
#: Letters of a caption on one line of a figure of this width.
LETTERS = 124
HALO = [withStroke(linewidth=2.5, foreground="white")]
LEAST_SPAN, MANY_DECADES = 4.0, 1000.0
#: Width of an outage's rim, points, so that a short one is visible.
OUTAGE_RIM = 0.8


def draw_picture(picture: Picture) -> Figure:
    """Draw a picture in the house style."""
    with use_style():
        rows = -(-len(picture.panels) // picture.columns)
        caption = textwrap.wrap(picture.caption, LETTERS)
        tall = [panel.tall for panel in picture.panels[:: picture.columns]]
        own_in = ALONE_IN if rows == 1 else ROW_IN * sum(tall) + 0.3
        height_in = own_in + LEGEND_IN + 0.17 * len(caption)
        figure, axes = make_axes(rows, picture.columns, (WIDTH_IN, height_in),
                                count=len(picture.panels),
                                gridspec_kw={"height_ratios": tall})  # fmt: skip
        for ax, panel in zip(axes, picture.panels, strict=True):
            _draw_panel(ax, panel)
        _share(picture, figure, axes)
        _head(figure, picture.title, axes)
        if caption:
            figure.supxlabel("\n".join(caption), x=0.01, ha="left", fontsize=8.5, color="#444444")
        return figure


def _draw_panel(ax: Axes, panel: Panel) -> None:
    if panel.warmup_s:
        ax.axvspan(
            0, panel.warmup_s, color=WARMUP, alpha=WARMUP_OPACITY, linewidth=0, label="warm-up"
        )
    if panel.outages:
        spans = [(start_s, end_s - start_s) for start_s, end_s in panel.outages]
        ax.broken_barh(
            spans, (0, 1), transform=ax.get_xaxis_transform(), color=OUTAGE, alpha=OUTAGE_OPACITY,
            linewidth=OUTAGE_RIM, zorder=0.5, label="outage",
        )  # fmt: skip
    for place, line in enumerate(panel.lines):
        _draw_line(ax, line, place)
    _scale(ax, panel)
    for level in panel.levels:
        _draw_level(ax, level)
    ax.set(xlabel=panel.x, ylabel=panel.y)
    ax.set_title(panel.title, fontsize=9.5)
    if panel.right:
        _second_scale(ax, *panel.right)


def _draw_line(ax: Axes, line: Line, place: int) -> None:
    dash = dash_of(line.dash)
    style: dict[str, Any] = {"color": choose_ink(line), "label": line.name if line.listed else None}
    if line.style == "points":
        mark = mark_of(line.colour or 0)
        cloud = line.is_cloud
        ax.plot(line.x, line.y, "." if cloud else mark, linestyle="", rasterized=cloud, zorder=3,
                markersize=2.5 if cloud else 5, alpha=CLOUD_OPACITY if cloud else 1,
                **style)  # fmt: skip
    elif line.style == "rug":
        ax.plot(line.x, line.y, "|", linestyle="", markersize=8, clip_on=False, zorder=5, **style)
    elif line.style == "step":
        ax.step(line.x, line.y, where="post", linestyle=dash, linewidth=1.4, **style)
    else:
        thin = line.style == "thin"
        ax.plot(line.x, line.y, linestyle=dash, linewidth=0.6 if thin else 1.4,
                alpha=0.55 if thin else 1, zorder=2 + 0.01 * place, **style)  # fmt: skip
    if line.band:
        ax.fill_between(line.x, *line.band, color=choose_ink(line), alpha=BAND_OPACITY, linewidth=0)


def _draw_level(ax: Axes, level: Level) -> None:
    ax.step(level.x, level.y, where="post", color="black", linestyle=":", linewidth=1.2, zorder=4)
    ax.annotate(level.name, (level.x[-1], level.y[-1]), xytext=(0, 3), textcoords="offset points",
                ha="right", fontsize=8, path_effects=HALO, zorder=6)  # fmt: skip


def _scale(ax: Axes, panel: Panel) -> None:
    ax.margins(x=0.01)
    if "x" in panel.log:
        ax.set_xscale("log")
    if "y" in panel.log:
        ax.set_yscale("log")
    if panel.y_range:
        ax.set_ylim(panel.y_range)
    if panel.x_range:
        ax.set_xlim(panel.x_range)
    if panel.reverse_x:
        ax.invert_xaxis()
    for axis, name in ((ax.xaxis, "x"), (ax.yaxis, "y")):
        if name in panel.log:
            write_plain_numbers(axis)


def write_plain_numbers(axis: Axis) -> None:
    """Label a logarithmic axis with plain numbers; values that are all alike get room."""
    low, high = axis.get_view_interval()
    if high < LEAST_SPAN * low:
        middle = np.sqrt(low * high)
        low, high = middle / np.sqrt(LEAST_SPAN), middle * np.sqrt(LEAST_SPAN)
        axis.set_view_interval(low, high, ignore=True)
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < MANY_DECADES * low else (1,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    axis.set_minor_formatter(NullFormatter())


def _second_scale(ax: Axes, title: str, factor: float) -> None:
    """Add a second scale for the same lines at the right."""

    def to_right(y: ArrayLike) -> Any:
        return factor * np.asarray(y)

    def to_left(y: ArrayLike) -> Any:
        return np.asarray(y) / factor

    second = ax.secondary_yaxis("right", functions=(to_right, to_left))
    second.set_ylabel(title)


def _share(picture: Picture, figure: Figure, axes: list[Axes]) -> None:
    """Give compared distributions the same time range; label shared axes once."""
    if picture.columns > 1 and not picture.panels[0].reverse_x:
        limits = [ax.get_xlim() for ax in axes]
        for ax in axes:
            ax.set_xlim(min(low for low, _ in limits), max(high for _, high in limits))
    for ax in axes[: -picture.columns]:
        ax.set_xlabel("")
    if len(axes) > 1 and len({panel.y for panel in picture.panels}) == 1:
        figure.supylabel(picture.panels[0].y, fontsize=10)
        for ax in axes:
            ax.set_ylabel("")


def _head(figure: Figure, title: str, axes: list[Axes]) -> None:
    """Write the title, and below it one legend of all panels.

    The title's empty lines reserve the space of the legend.
    """
    handles = collect_handles(axes)
    longest = max(map(len, handles), default=0)
    columns = max(1, int(WIDTH_IN / (SYMBOL_IN + LETTER_IN * longest)))
    rows = -(-len(handles) // columns)
    figure.suptitle(title + "\n" * rows, x=0.01, ha="left", fontsize=12, linespacing=1.35)
    if handles:
        top = 1 - TITLE_IN / figure.get_figheight()
        legend = figure.legend(
            list(handles.values()), list(handles), loc="upper left", ncols=columns,
            bbox_to_anchor=(0, top), borderaxespad=0.2,
        )  # fmt: skip
        for shown in legend.legend_handles:
            _make_plain(shown)


def _make_plain(handle: Artist | None) -> None:
    """Make thin or faint lines visible in the legend."""
    if isinstance(handle, Line2D):
        handle.set(
            alpha=1,
            linewidth=max(1.2, handle.get_linewidth()),
            markersize=max(5, handle.get_markersize()),
        )
