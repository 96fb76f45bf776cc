"""Draws a network: links coloured by utilisation, as wide as their loss."""

from __future__ import annotations

import textwrap

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from headgate.figures.pictures.drawing import LOSS_WIDTHS, LOSS_WORDS, Map, Span, classify_loss
from headgate.figures.pictures.places import ROW_LIMITS
from headgate.figures.plots.network import FULL, MAP, colour_bar, write
from headgate.figures.plots.palette import EDGE
from headgate.figures.plots.picture import LETTERS, TITLE_IN, WIDTH_IN
from headgate.figures.plots.style import make_axes, use_style

HEIGHT_IN, ROW_IN = 5.2, 2.6
FEW_SPANS = 12


def draw_map(drawn: Map) -> Figure:
    """Draw a map in the house style."""
    with use_style():
        figure, (ax,) = make_axes(1, 1, (WIDTH_IN, ROW_IN if drawn.is_row else HEIGHT_IN))
        _draw_spans(ax, drawn)
        few = len(drawn.spans) <= FEW_SPANS
        for x, y in drawn.routers.values():
            ax.plot(x, y, "o", color="white", markeredgecolor=EDGE, zorder=4,
                    markersize=9 if few else 5)  # fmt: skip
        for text, place in drawn.labels:
            write(ax, text, place, (0, -3), 8.5 if few else 7.5)
        if few:
            _write_values(ax, drawn.spans)
        ax.set_axis_off()
        ax.margins(0.06)
        if drawn.is_row:
            ax.set_ylim(ROW_LIMITS)
        if drawn.aspect:
            ax.set_aspect(drawn.aspect)
        colour_bar(figure, [ax], shrink=0.95 if drawn.is_row else 0.6)
        _legend(figure, drawn)
        figure.suptitle(f"{drawn.title}\n", x=0.01, ha="left", fontsize=12, linespacing=1.35)
        caption = "\n".join(textwrap.wrap(drawn.caption, LETTERS))
        figure.supxlabel(caption, x=0.01, ha="left", fontsize=8.5, color="#444444")
        return figure


def _draw_spans(ax: Axes, drawn: Map) -> None:
    """Draw the links, those that lose most on top, each with an edge to stand out."""
    scale = drawn.thinness
    ranked = sorted(drawn.spans, key=lambda span: (classify_loss(span.loss), span.utilisation))
    widths = scale * np.array([LOSS_WIDTHS[classify_loss(span.loss)][1] for span in ranked])
    colours = MAP(FULL(np.array([span.utilisation for span in ranked])))
    lines = [span.ends for span in ranked]
    ax.add_collection(LineCollection(lines, colors=EDGE, linewidths=widths + 0.8 * scale, zorder=2))
    ax.add_collection(LineCollection(lines, colors=colours, linewidths=widths, zorder=2))
    ax.autoscale_view()


def _write_values(ax: Axes, spans: tuple[Span, ...]) -> None:
    """Write use and loss on each half of a link."""
    for span in spans:
        (x0, y0), (x1, y1) = span.ends
        said = f"{100 * span.utilisation:.1f} %"
        said += f"\nloses {100 * span.loss:.2g} %" * (span.loss > 0)
        write(ax, said, ((x0 + x1) / 2, (y0 + y1) / 2), (0, 8), 8)


def _legend(figure: Figure, drawn: Map) -> None:
    """Say what the widths mean, of the widths that there are."""
    scale = drawn.thinness
    there = sorted({classify_loss(span.loss) for span in drawn.spans})
    handles = [Line2D([], [], color="#777777", linewidth=scale * LOSS_WIDTHS[i][1]) for i in there]
    figure.legend(handles, [LOSS_WORDS[i] for i in there], loc="upper left", ncols=len(there),
                  bbox_to_anchor=(0, 1 - TITLE_IN / figure.get_figheight()),
                  borderaxespad=0.2)  # fmt: skip
