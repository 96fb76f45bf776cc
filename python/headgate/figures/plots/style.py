"""The look of every figure: colour-blind safe (Okabe and Ito 2008), light grid, open axes."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.path import Path as MplPath
from matplotlib.text import Text
from matplotlib.ticker import LogFormatter
from numpy.typing import ArrayLike, NDArray

from headgate.base.catalog import label
from headgate.base.errors import StoreError, explain_os
from headgate.figures.plots.text_drawing import PngCanvas
from headgate.figures.plots.text_layouts import lay_out_once
from headgate.figures.spec.looks import find_looks

PALE = "#DDDDDD"
FORMATS = ("png", "svg")
#: An SVG without a date is the same bytes each time; a PNG packed less is written sooner.
_OPTIONS: dict[str, Any] = {
    "svg": {"metadata": {"Date": None}},
    "png": {"pil_kwargs": {"compress_level": 3}},
}
_CANVASES = {"png": PngCanvas, "svg": FigureCanvasSVG}
_RAISED = str.maketrans("-0123456789", "\N{SUPERSCRIPT MINUS}⁰¹²³⁴⁵⁶⁷⁸⁹")
_NOT_IN_XML = bytes(set(range(32)) - set(b"\t\n\r"))
#: A PNG is no larger than this on its long side (pixels): beyond it an SVG is looked at.
MOST_PIXELS = 2800

_RC: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": "#444444",
    "axes.grid": True,
    "axes.labelsize": 10,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "figure.constrained_layout.use": True,
    "figure.dpi": 110,
    "figure.max_open_warning": 0,  # a report draws all of its pictures before it writes them
    "figure.titlesize": 12,
    "font.size": 9.5,
    "grid.alpha": 0.6,
    "grid.color": PALE,
    "grid.linewidth": 0.6,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "lines.linewidth": 1.3,
    "lines.markersize": 5,
    "savefig.dpi": 150,
    "svg.fonttype": "none",
    "svg.hashsalt": "headgate",
}

#: Texts that are made while a picture is saved.
_AS_WRITTEN: dict[Any, Any] = {"text.parse_math": False}


@contextmanager
def use_style() -> Iterator[None]:
    """Draw with the house style, regardless of the user's settings."""
    with mpl.rc_context(_RC):
        yield


@contextmanager
def collect_seldom() -> Iterator[None]:
    """Collect garbage seldom while many pictures are drawn.

    Pictures are many small objects, which the collector visits again and again: an eighth of the
    time.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def make_axes(
    rows: int, columns: int, size_in: tuple[float, float], *, count: int = 0, **options: object
) -> tuple[Figure, list[Axes]]:
    """Make a grid of axes and return it as one flat list; `size_in` is (width, height) in inches.

    With a `count`, the axes beyond it are hidden and left out of the list.
    """
    figure, axes = plt.subplots(rows, columns, figsize=size_in, squeeze=False, **options)  # type: ignore[call-overload]
    used = list(axes.flat)[: count or None]
    for unused in list(axes.flat)[len(used) :]:
        unused.set_visible(False)
    if options.get("sharex") and len(used) < axes.size:
        for ax in used[-columns:]:  # no panel below it shows the labels
            ax.tick_params(labelbottom=True)
    return figure, used


def colours(ccas: Iterable[str]) -> dict[str, str]:
    """Return the colour of each algorithm."""
    return {name: look.colour for name, look in find_looks(ccas, are_ccas=True).items()}


def marks(ccas: Iterable[str]) -> dict[str, str]:
    """Return the mark of each algorithm, so that colour never carries a meaning alone."""
    return {name: look.mark for name, look in find_looks(ccas, are_ccas=True).items()}


def cca_handles(ccas: Sequence[str]) -> list[Line2D]:
    """Return the mark of each algorithm for a legend."""
    colour, mark = colours(ccas), marks(ccas)
    return [
        Line2D([], [], linestyle="", marker=mark[cca], color=colour[cca], label=label(cca))
        for cca in ccas
    ]


def collect_handles(axes: Iterable[Axes]) -> dict[str, Any]:
    """Return one handle for each label of several axes."""
    handles: dict[str, Any] = {}
    for ax in axes:
        for handle, name in zip(*ax.get_legend_handles_labels(), strict=True):
            handles.setdefault(name, handle)
    return handles


def draw_tiles(ax: Axes, faces: ArrayLike) -> None:
    """Draw a grid of coloured cells with seams, the first row on top; colours are RGBA."""
    cells = np.asarray(faces, dtype=float)
    down, across = cells.shape[:2]
    colours, which = np.unique(cells.reshape(-1, 4), axis=0, return_inverse=True)
    # One path per colour: thousands of separate patches would take seconds.
    paths = [_squares(np.argwhere(which.reshape(down, across) == i)) for i in range(len(colours))]
    ax.add_collection(PathCollection(paths, facecolors=colours, linewidths=0))
    ax.set(xlim=(0, across), ylim=(down, 0))
    ax.tick_params(length=0)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)


def _squares(places: NDArray[np.intp]) -> MplPath:
    """Return one path of squares at (row, column), with room for a seam."""
    corners = np.array([(0.03, 0.04), (0.97, 0.04), (0.97, 0.96), (0.03, 0.96), (0.03, 0.04)])
    vertices = (places[:, None, ::-1] + corners).reshape(-1, 2)
    codes = [MplPath.MOVETO, *[MplPath.LINETO] * 3, MplPath.CLOSEPOLY] * len(places)
    return MplPath(vertices, codes)


def format_power_of_ten(power: int) -> str:
    """Write a power of ten without a formula."""
    return f"10{str(power).translate(_RAISED)}"


def _list_axes(axes: Iterable[Any]) -> Iterator[Any]:
    """Yield axes and those inside of them, such as second scales."""
    for ax in axes:
        yield ax
        yield from _list_axes(ax.child_axes)


def _take_literally(figure: Figure) -> None:
    """Treat a dollar sign in a name as text; only axes of powers use formulas.

    The texts of ticks that are made later follow `_AS_WRITTEN`.
    """
    every = [axis for ax in _list_axes(figure.axes) for axis in (ax.xaxis, ax.yaxis)]
    powers = [axis for axis in every if isinstance(axis.get_major_formatter(), LogFormatter)]
    formulas: list[Text] = [one for axis in powers for one in axis.get_ticklabels(which="both")]
    for text in figure.findobj(Text):
        text.set_parse_math(False)
    for text in formulas:
        text.set_parse_math(True)


def image(figure: Figure, kind: str) -> bytes:
    """Draw a figure as PNG or SVG, with every name as it is.

    Ticks, fonts of an SVG and its identifiers are looked up only now: in the house style too.
    """
    with use_style(), mpl.rc_context(_AS_WRITTEN), lay_out_once():
        _prepare(figure)
        return _print(figure, kind)


def _prepare(figure: Figure) -> None:
    """Read names literally, and lay the axes out; `Figure.savefig` would draw all for that."""
    PngCanvas(figure)
    figure.set_dpi(_choose_dpi(figure))
    _take_literally(figure)
    _place_empty_labels(figure)
    if engine := figure.get_layout_engine():
        engine.execute(figure)
        figure.set_layout_engine("none")


def _place_empty_labels(figure: Figure) -> None:
    """Give empty labels and titles a place.

    To find one, Matplotlib would measure all labels of ticks several times, for nothing.
    """
    for ax in _list_axes(figure.axes):
        is_plain = isinstance(ax, Axes)  # a second scale takes no title
        if is_plain and not any(map(ax.get_title, ("left", "center", "right"))):
            ax.set_title("", y=1.0)
        for axis in (ax.xaxis, ax.yaxis):
            if not axis.label.get_text():
                axis.set_label_coords(0.0, 0.0)


def _print(figure: Figure, kind: str) -> bytes:
    """Draw a prepared figure."""
    canvas = _CANVASES[kind](figure)
    figure.set_dpi(_choose_dpi(figure))  # to draw an SVG changes it
    with BytesIO() as file:
        getattr(canvas, f"print_{kind}")(file, **_OPTIONS[kind])
        drawn = file.getvalue()
    # XML cannot express most control characters, and a reader refuses a file that holds one.
    return drawn.translate(None, _NOT_IN_XML) if kind == "svg" else drawn


def _choose_dpi(figure: Figure) -> float:
    return float(min(_RC["savefig.dpi"], MOST_PIXELS / max(figure.get_size_inches())))


def _write_whole(path: Path, data: bytes) -> None:
    """Write a file; remove it if the disk is full."""
    try:
        path.write_bytes(data)
    except OSError:
        with suppress(OSError):
            path.unlink()
        raise


def save_figure(
    figure: Figure, folder: Path, name: str, formats: Sequence[str] = FORMATS
) -> list[Path]:
    """Write the figure as PNG and SVG, or as one of them, close it, and return the paths."""
    paths = [folder / f"{name}.{kind}" for kind in formats]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with use_style(), mpl.rc_context(_AS_WRITTEN), lay_out_once():
            _prepare(figure)
            for path, kind in zip(paths, formats, strict=True):
                _write_whole(path, _print(figure, kind))
    except OSError as error:
        raise StoreError(
            f"{folder}: the figure {name} cannot be written ({explain_os(error)})"
        ) from None
    finally:
        plt.close(figure)
    return paths
