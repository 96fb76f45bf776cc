"""Draws a figure at the size at which a paper prints it: every text in the given size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from textwrap import fill
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.axis import XAxis
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator, LogLocator, MaxNLocator
from matplotlib.transforms import Bbox

from headgate.base.errors import HeadgateError
from headgate.figures.paper.maps import draw_map
from headgate.figures.paper.size import PAGE_IN, PT_PER_IN, PaperSize
from headgate.figures.plots.panels import WARMUP, Pen, draw_panel
from headgate.figures.plots.style import PALE, collect_handles
from headgate.figures.spec.drawing import NOT_RUN, Drawing, Map, Panel, Picture
from headgate.figures.spec.looks import GREY

PRINT = Pen(line=1.0, thin=0.5, mark=3.6, cloud=1.4, rug=5.0, cap=1.6, apart=3.0)
#: Height over width of a lone panel, of one column and of two; limits of one of several (inches).
ALONE, ALONE_WIDE, WIDE_IN = 0.62, 0.42, 5.0
PANEL, LEAST_IN, MOST_IN = 0.72, 0.62, 1.75
#: The largest height of a panel that is several rows high (inches).
TALLEST_IN = 2.5
#: The mean width of a letter, and the height of a line, over the size of the text.
LETTER, LINE = 0.46, 1.25
#: The distance of lines of one text, over that of the font.
SPACING = 0.95
#: The share of a figure that its axes fill.
FILLED = 0.95
#: The width of a label of an axis in letters, and a bound of attempts to make them fit.
NUMBER, ATTEMPTS = 5, 4

_RC: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": "#444444",
    "axes.grid": True,
    "axes.labelpad": 2.0,
    "axes.linewidth": 0.5,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "center",
    "axes.titlepad": 3.0,
    "figure.constrained_layout.h_pad": 0.015,
    "figure.constrained_layout.hspace": 0.02,
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.w_pad": 0.015,
    "figure.constrained_layout.wspace": 0.02,
    "figure.dpi": 288,  # text is measured as it prints, not as a screen rounds it
    "grid.alpha": 0.6,
    "grid.color": PALE,
    "grid.linewidth": 0.4,
    "legend.borderaxespad": 0.1,
    "legend.borderpad": 0.1,
    "legend.columnspacing": 1.0,
    "legend.frameon": False,
    "legend.handlelength": 2.2,
    "legend.handletextpad": 0.4,
    "legend.labelspacing": 0.2,
    "pdf.fonttype": 42,
    "savefig.bbox": None,
    "svg.fonttype": "none",
    "svg.hashsalt": "headgate",
    "text.hinting": "none",
    "text.parse_math": False,
    "text.usetex": False,
    "xtick.major.pad": 1.5,
    "xtick.major.size": 2.0,
    "xtick.major.width": 0.5,
    "ytick.major.pad": 1.5,
    "ytick.major.size": 2.0,
    "ytick.major.width": 0.5,
}
_SIZES = ("axes.labelsize", "axes.titlesize", "figure.labelsize", "figure.titlesize", "font.size",
          "legend.fontsize", "xtick.labelsize", "ytick.labelsize")  # fmt: skip


@contextmanager
def use_paper(size: PaperSize) -> Iterator[None]:
    """Draw with the look of papers, regardless of the user's settings."""
    sizes = dict.fromkeys(_SIZES, size.font_pt)
    with mpl.rc_context():
        mpl.rcdefaults()
        settings: dict[Any, Any] = _RC | sizes | {"font.family": [size.font, "DejaVu Sans"]}
        mpl.rcParams.update(settings)
        yield


def draw_figure(drawing: Drawing, size: PaperSize, name: str = "figure") -> Figure:
    """Draw a picture or a map without title and caption. Raises HeadgateError if it cannot fit."""
    with use_paper(size):
        if isinstance(drawing, Map):
            return draw_map(drawing, size)
        return _draw_picture(drawing, size, name)


def _draw_picture(picture: Picture, size: PaperSize, name: str) -> Figure:
    count = len(picture.panels)
    across = picture.columns if picture.is_grid or size.width_in >= WIDE_IN else 1
    rows = -(-count // across)
    tall = [panel.tall for panel in picture.panels[::across]]
    figure, every = plt.subplots(
        rows, across, squeeze=False, figsize=(size.width_in, size.height_in or 1.0),
        gridspec_kw={"height_ratios": tall},
    )  # fmt: skip
    axes = list(every.flat)
    for unused in axes[count:]:
        unused.set_visible(False)
    axes = axes[:count]
    letters = int(size.width_in / across / (LETTER * size.font_pt / PT_PER_IN))
    for ax, panel in zip(axes, picture.panels, strict=True):
        draw_panel(ax, panel, PRINT)
        _draw_levels(ax, panel)
        if not panel.lines:
            ax.text(0.5, 0.5, NOT_RUN, transform=ax.transAxes, ha="center", va="center", color=GREY)
        ax.set(xlabel=panel.x, ylabel=panel.y)
        if count > 1 and not picture.is_grid:
            ax.set_title(fill(panel.title, letters), loc="left")
    _share_axes(picture, figure, axes, across)
    legend = _draw_legend(figure, axes)
    if size.height_in is None:
        figure.set_figheight(_choose_height(picture, size, across, sum(tall), legend, name))
    if picture.is_grid:
        _name_grid(picture, figure, axes, across, size)
    _fit_labels(figure, axes, size)
    return figure


def _draw_levels(ax: Axes, panel: Panel) -> None:
    for level in panel.levels:
        ax.step(level.x, level.y, where="post", color="black", linestyle=":", linewidth=0.9,
                zorder=4, label=level.name)  # fmt: skip


def _share_axes(picture: Picture, figure: Figure, axes: Sequence[Axes], across: int) -> None:
    """Write titles of axes once, and give panels side by side the same limits and labels."""
    panels = picture.panels
    same_x = len({panel.x for panel in panels}) == 1
    if len(axes) > 1 and same_x:
        figure.supxlabel(panels[0].x)
        _clear(axes, "x")
    if len(axes) > 1 and len({panel.y for panel in panels}) == 1:
        figure.supylabel(panels[0].y)
        _clear(axes, "y")
    if not picture.is_grid and across == 1:
        return
    _clear([ax for place, ax in enumerate(axes) if place % across], "y")
    if not panels[0].reverse_x:  # such panels have separate limits
        _share_limits(axes, panels, across, same_x=same_x)


def _clear(axes: Sequence[Axes], side: str) -> None:
    for ax in axes:
        ax.set(**{f"{side}label": ""})


def _share_limits(
    axes: Sequence[Axes], panels: Sequence[Panel], across: int, *, same_x: bool
) -> None:
    """Give all panels one range of x, and panels of a row one range of y; label the outer ones."""
    filled = [ax for ax, panel in zip(axes, panels, strict=True) if panel.lines]
    left, right = zip(*(ax.get_xlim() for ax in filled), strict=True)
    for place, ax in enumerate(axes):
        ax.set_xlim(min(left), max(right))
        row = axes[place - place % across :][:across]
        own = [one.get_ylim() for one in row if one in filled]
        if own:
            low, high = zip(*own, strict=True)
            ax.set_ylim(min(low), max(high))
        ax.tick_params(labelleft=place % across == 0)
        ax.tick_params(labelbottom=not same_x or place + across >= len(axes))


def _draw_legend(figure: Figure, axes: Sequence[Axes]) -> Legend | None:
    """Draw one legend above all panels, as wide as the figure."""
    found = collect_handles(axes)
    handles = {name: found[name] for name in sorted(found, key=lambda name: name == WARMUP)}
    if not handles:
        return None
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    for rows in range(1, len(handles) + 1):
        columns = -(-len(handles) // rows)
        legend = figure.legend(
            list(handles.values()), list(handles), loc="outside upper center", ncols=columns
        )
        if columns == 1 or legend.get_window_extent(renderer).width <= 0.99 * figure.bbox.width:
            break
        legend.remove()
    for handle in legend.legend_handles:
        if isinstance(handle, Line2D):  # faint or tiny in the picture
            handle.set(alpha=1, linewidth=max(PRINT.line, handle.get_linewidth()),
                       markersize=max(PRINT.mark, handle.get_markersize()))  # fmt: skip
    return legend


def _choose_height(  # noqa: PLR0913, PLR0917 - all that takes height
    picture: Picture, size: PaperSize, across: int, rows: float, legend: Legend | None, name: str
) -> float:
    """Return the height in inches: of the panels, and of the text around them."""
    line_in = LINE * size.font_pt / PT_PER_IN
    legend_in = 0.0
    if legend is not None:
        columns = max(1, legend._ncols)  # type: ignore[attr-defined]
        legend_in = line_in * -(-len(legend.get_texts()) // columns)
    if len(picture.panels) == 1:
        alone = ALONE if size.width_in < WIDE_IN else ALONE_WIDE
        return alone * size.width_in + legend_in
    tallest = max(panel.tall for panel in picture.panels)
    most_in = min(MOST_IN, TALLEST_IN / tallest)
    panel_in = min(max(PANEL * size.width_in / across, LEAST_IN), most_in)
    around_in = legend_in + 3.0 * line_in
    between_in = 0.0 if picture.is_grid else rows * 2.2 * line_in
    fitting_in = (PAGE_IN - around_in - between_in) / rows
    if fitting_in < LEAST_IN:
        raise HeadgateError(
            f"plot {name}: {rows:g} rows of panels do not fit on a page; put fewer factors into"
            " --facet-rows, or draw a part of the folder's runs"
        )
    return rows * min(panel_in, fitting_in) + around_in + between_in


def _name_grid(
    picture: Picture, figure: Figure, axes: Sequence[Axes], across: int, size: PaperSize
) -> None:
    """Name columns above the grid, and rows at its right."""
    letter_in = LETTER * size.font_pt / PT_PER_IN
    rows = len(picture.row_names)
    for ax, text in zip(axes[:across], picture.column_names, strict=True):
        ax.set_title(_wrap(text, max(6, int(0.85 * size.width_in / across / letter_in))))
    height_in = 0.75 * float(figure.get_figheight()) / rows
    for ax, text in zip(axes[across - 1 :: across], picture.row_names, strict=True):
        ax.annotate(
            _wrap(text, max(6, int(height_in / letter_in))), (1, 0.5), xytext=(3, 0),
            xycoords="axes fraction", textcoords="offset points", rotation=270, ha="left",
            va="center", annotation_clip=False,
        )  # fmt: skip


def _wrap_titles(figure: Figure, axes: Sequence[Axes]) -> None:
    """Break titles of axes that are longer than their axis."""
    for ax in axes:
        box = ax.get_window_extent()
        _break_if_longer(ax.xaxis.label, box.width, upright=False)
        _break_if_longer(ax.yaxis.label, box.height, upright=True)
    page = figure.bbox
    for name, room in (("_supxlabel", page.width), ("_supylabel", page.height)):
        text = getattr(figure, name, None)
        if text is not None:
            _break_if_longer(text, FILLED * room, upright=name == "_supylabel")
    for text in figure.findobj(Text):
        text.set_linespacing(SPACING)


def _break_if_longer(text: Text, room: float, *, upright: bool) -> None:
    box = text.get_window_extent()
    length = box.height if upright else box.width
    if length > room:
        letters = int(len(text.get_text()) * room / length)
        text.set_text(fill(text.get_text(), max(8, letters)))


def _measure_in(ax: Axes) -> Bbox:
    """Return the box of axes, in inches."""
    return ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())


def _wrap(text: str, letters: int) -> str:
    """Break a name of a row or column between factors, and only if need be within."""
    if len(text) <= letters:
        return text
    return "\n".join(fill(part, letters, break_on_hyphens=False) for part in text.split(", "))


def _fit_labels(figure: Figure, axes: Sequence[Axes], size: PaperSize) -> None:
    """Choose as many labels of axes as have room, and lay the figure out for good."""
    _lay_out(figure)
    _wrap_titles(figure, axes)
    for _ in range(ATTEMPTS):
        _lay_out(figure)
        crowded = [ax for ax in axes if _is_crowded(ax, size)]
        unsettled = [ax for ax in axes if not _set_steps(ax, size)]
        if not crowded and not unsettled:
            break
        for ax in axes if crowded else ():
            _thin_labels(ax.xaxis)
    _lay_out(figure)
    figure.set_layout_engine("none")


def _lay_out(figure: Figure) -> None:
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)


def _set_steps(ax: Axes, size: PaperSize) -> bool:
    """Choose the number of labels by the size of the axes; return whether it was chosen so."""
    box = _measure_in(ax)
    em_in = size.font_pt / PT_PER_IN
    room = {
        ax.xaxis: box.width / (NUMBER * LETTER * em_in * 1.3),
        ax.yaxis: box.height / (2 * em_in),
    }
    settled = True
    for axis, most in room.items():
        locator = axis.get_major_locator()
        if isinstance(locator, LogLocator | FixedLocator):
            continue
        steps = min(max(2, int(most)), 6)
        if getattr(locator, "_headgate_steps", None) != steps:
            chosen = MaxNLocator(nbins=steps, steps=[1, 2, 2.5, 5, 10], min_n_ticks=2)
            chosen._headgate_steps = steps  # type: ignore[attr-defined]
            axis.set_major_locator(chosen)
            settled = False
    return settled


def _is_crowded(ax: Axes, size: PaperSize) -> bool:
    """Return whether neighbouring labels of x touch."""
    labels = [text for text in ax.get_xticklabels() if text.get_visible() and text.get_text()]
    low, high = sorted(ax.get_xlim())
    boxes = sorted(
        (text.get_window_extent() for text in labels if low <= text.get_position()[0] <= high),
        key=lambda box: box.x0,
    )
    gap = 0.25 * size.font_pt / PT_PER_IN * float(ax.figure.dpi)
    return any(b.x0 < a.x1 + gap for a, b in pairwise(boxes))


def _thin_labels(axis: XAxis) -> None:
    """Turn labels of given places; write only decades on a logarithmic axis."""
    locator = axis.get_major_locator()
    if isinstance(locator, FixedLocator):
        axis.set_tick_params(labelrotation=90)
    elif isinstance(locator, LogLocator):
        axis.set_major_locator(LogLocator(subs=(1,), numticks=4))
