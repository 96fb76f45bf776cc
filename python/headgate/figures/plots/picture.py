"""Draws the pictures of a run: panels with lines, levels and the warm-up, and maps."""

from __future__ import annotations

import textwrap

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke

from headgate.figures.plots.panels import draw_panel
from headgate.figures.plots.style import collect_handles, make_axes, use_style
from headgate.figures.spec.drawing import NOT_RUN, Level, Panel, Picture
from headgate.figures.spec.looks import GREY

WIDTH_IN, ALONE_IN, ROW_IN, LEGEND_IN, TITLE_IN = 8.2, 3.9, 2.0, 0.6, 0.3
#: The width of an entry of the legend: its symbol and gaps, and each of its letters.
SYMBOL_IN, LETTER_IN = 0.6, 0.068
#: The width of a letter of a panel's title, and the space around it.
TITLE_LETTER_IN = 0.085
#: Letters of a caption on one line of a figure of this width.
LETTERS = 124
HALO = [withStroke(linewidth=2.5, foreground="white")]


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
        _name_panels(picture, axes)
        _share(picture, figure, axes)
        _head(figure, picture.title, axes)
        if caption:
            figure.supxlabel("\n".join(caption), x=0.01, ha="left", fontsize=8.5, color="#444444")
        return figure


def _draw_panel(ax: Axes, panel: Panel) -> None:
    draw_panel(ax, panel)
    for level in panel.levels:
        _draw_level(ax, level)
    ax.set(xlabel=panel.x, ylabel=panel.y)
    if not panel.lines:
        ax.text(0.5, 0.5, NOT_RUN, transform=ax.transAxes, ha="center", va="center", color=GREY)


def _name_panels(picture: Picture, axes: list[Axes]) -> None:
    """Write titles of panels; in a grid by factors, of columns above and of rows at the right."""
    letters = int(WIDTH_IN / picture.columns / TITLE_LETTER_IN)
    if not picture.is_grid:
        for ax, panel in zip(axes, picture.panels, strict=True):
            ax.set_title(textwrap.fill(panel.title, letters), fontsize=9.5)
        return
    for ax, panel in zip(axes, picture.panels, strict=True):
        ax.set_xlabel(textwrap.fill(panel.x, letters))
    for ax, text in zip(axes, picture.column_names, strict=False):
        ax.set_title(textwrap.fill(text, letters), fontsize=9.5, loc="center")
    for ax, text in zip(
        axes[picture.columns - 1 :: picture.columns], picture.row_names, strict=False
    ):
        ax.annotate(
            text.replace(", ", "\n"), (1, 0.5), xytext=(4, 0), xycoords="axes fraction",
            textcoords="offset points", rotation=270, ha="left", va="center", fontsize=9.5,
            annotation_clip=False,
        )  # fmt: skip


def _draw_level(ax: Axes, level: Level) -> None:
    ax.step(level.x, level.y, where="post", color="black", linestyle=":", linewidth=1.2, zorder=4)
    ax.annotate(level.name, (level.x[-1], level.y[-1]), xytext=(0, 3), textcoords="offset points",
                ha="right", fontsize=8, path_effects=HALO, zorder=6)  # fmt: skip


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
