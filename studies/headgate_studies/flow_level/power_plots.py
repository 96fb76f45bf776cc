"""Powers on double-logarithmic axes: solutions as lines, measurements as marks, exponents."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from headgate.figures import GREY, LINES, MARKS, make_axes, use_style, write_powers_plainly

#: How kinds of measurements are distinguished: filled, open.
FILLS = (True, False)
EXPONENT_STEP = 0.16
#: Above falling lines, for a legend.
ROOM = 3.0


@dataclass(frozen=True)
class PowerEstimate:
    """An exponent with its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Law:
    """One algorithm: its solution as a line, its measurements by kind, its printed formula."""

    solution: tuple[ArrayLike, ArrayLike]
    measured: Mapping[str, tuple[ArrayLike, ArrayLike]]
    printed_exponent: float
    printed: Callable[[float], float]
    exponents: Mapping[str, PowerEstimate] = field(default_factory=dict)


def powers(
    laws: Mapping[str, Law], groups: Sequence[tuple[str, str, str, Sequence[str]]]
) -> Figure:
    """Draw a panel for each group (title, axes, laws), one of exponents, one of what is printed.

    The last divides everything of the first group by what is printed.
    """
    looks = {name: (LINES[i], MARKS[i]) for i, name in enumerate(laws)}
    with use_style():
        figure, axes = make_axes(2, 2, (9.6, 7.4))
        for ax, (title, x, y, names) in zip(axes, groups, strict=False):
            _lines(ax, {name: laws[name] for name in names}, looks)
            ax.set(xlabel=x, ylabel=y, title=title)
        _exponents(axes[2], laws, looks)
        title, x, _, names = groups[0]
        _beside(axes[3], {name: laws[name] for name in names}, looks)
        axes[3].set(
            xlabel=x, ylabel="over the printed formula", title="What is found, over what is printed"
        )
        return figure


def _lines(ax: Axes, laws: Mapping[str, Law], looks: Mapping[str, tuple[str, str]]) -> None:
    for name, law in laws.items():
        ink, mark = looks[name]
        ax.plot(*law.solution, color=ink, label=f"{name}, exponent {law.printed_exponent:g}")
        _marks(ax, law.measured, ink, mark)
    _logarithmic(ax, "xy")
    ax.set_ylim(top=ROOM * ax.get_ylim()[1])
    _legend(ax, max((law.measured for law in laws.values()), key=len))


def _marks(
    ax: Axes, measured: Mapping[str, tuple[ArrayLike, ArrayLike]], ink: str, mark: str
) -> None:
    for (x, y), filled in zip(measured.values(), FILLS, strict=False):
        face = ink if filled else "none"
        ax.plot(x, y, linestyle="", marker=mark, color=ink, markerfacecolor=face)


def _legend(ax: Axes, kinds: Mapping[str, object]) -> None:
    handles, _ = ax.get_legend_handles_labels()
    line = Line2D([], [], color=GREY, label="solution")
    marks = [
        Line2D([], [], color=GREY, linestyle="", marker="o", label=kind,
               markerfacecolor=GREY if filled else "none")
        for kind, filled in zip(kinds, FILLS, strict=False)
    ]  # fmt: skip
    ax.legend(handles=[*handles, line, *marks], fontsize=8, loc="upper right")


def _exponents(ax: Axes, laws: Mapping[str, Law], looks: Mapping[str, tuple[str, str]]) -> None:
    for place, (name, law) in enumerate(laws.items()):
        ink, mark = looks[name]
        first = place - EXPONENT_STEP * (len(law.exponents) - 1) / 2
        for step, (kind, own) in enumerate(law.exponents.items()):
            face = "white" if kind == "random" else ink
            value = own.value - law.printed_exponent
            off = [[own.value - own.low], [own.high - own.value]]
            ax.errorbar(
                first + EXPONENT_STEP * step, value, yerr=off, color=ink, capsize=2,
                marker="_" if kind == "solution" else mark, markerfacecolor=face, markersize=6,
            )  # fmt: skip
    ax.axhline(0, color=GREY, linestyle=":", linewidth=1)
    said = [f"{name}\n{law.printed_exponent:g}" for name, law in laws.items()]
    ax.set_xticks(range(len(laws)), said)
    ax.set(ylabel="exponent less the printed one", title="Exponents, with 95 % intervals")


def _beside(ax: Axes, laws: Mapping[str, Law], looks: Mapping[str, tuple[str, str]]) -> None:
    for name, law in laws.items():
        ink, mark = looks[name]
        over = {kind: _over(law, points) for kind, points in law.measured.items()}
        ax.plot(*_over(law, law.solution), color=ink)
        _marks(ax, over, ink, mark)
    ax.axhline(1, color=GREY, linestyle=":", linewidth=1)
    _logarithmic(ax, "x")


def _over(law: Law, points: tuple[ArrayLike, ArrayLike]) -> tuple[ArrayLike, ArrayLike]:
    x, y = (np.asarray(column, float) for column in points)
    return x, y / np.array([law.printed(float(each)) for each in x])


def _logarithmic(ax: Axes, which: str) -> None:
    if "x" in which:
        ax.set_xscale("log")
        write_powers_plainly(ax.xaxis)
    if "y" in which:
        ax.set_yscale("log")
        write_powers_plainly(ax.yaxis)
