"""Pictures of linear theory with delays: characteristic roots, Nyquist's curve, boundaries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from headgate.figures.plots.palette import ORDER
from headgate.figures.plots.style import PALE, make_axes, use_style
from headgate.figures.spec.looks import DASHES, GREY, MARKS

#: Roots that are drawn; roots further left decay at once.
MOST_ROOTS = 7

Complex = NDArray[np.complexfloating[Any, Any]]
Points = tuple[NDArray[np.float64], NDArray[np.float64]]

#: How far from zero a loop is drawn, on either side.
FAR = 3.0


def draw_stability(title: str, roots: Complex, loop: Complex, phase_deg: float | None) -> Figure:
    """Draw the rightmost roots of a model at rest, and its loop round -1 with its phase margin."""
    with use_style():
        figure, axes = make_axes(1, 2, (9.2, 4.0))
        _draw_roots(axes[0], roots)
        _draw_loop(axes[1], loop, phase_deg)
        figure.suptitle(title)
        return figure


def _draw_roots(ax: Axes, roots: Complex) -> None:
    least = roots.real[:MOST_ROOTS][-1]
    shown = roots[roots.real >= least - 1e-9 * abs(least)]  # both of a pair
    right = shown.real >= 0.0
    for chosen, mark, colour, word in (
        (~right, MARKS[0], ORDER[0], "falls"),
        (right, MARKS[3], ORDER[3], "grows"),
    ):
        if chosen.any():
            some = shown[chosen]
            ax.plot(some.real, some.imag, mark, color=colour, linestyle="none", label=word)
    ax.axvline(0.0, color=GREY, linewidth=1.0)
    ax.set(xlabel="growth (1/s)", ylabel="frequency (rad/s)", title="Characteristic roots")
    ax.legend()


def _draw_loop(ax: Axes, loop: Complex, phase_deg: float | None) -> None:
    """Draw the loop over rising frequencies, with the circle of gain 1."""
    turn = np.linspace(0.0, 2.0 * np.pi, 200)
    ax.plot(np.cos(turn), np.sin(turn), color=GREY, linestyle=DASHES[2], label="gain 1")
    ax.plot(loop.real, loop.imag, color=ORDER[0], label="loop")
    ax.plot([-1.0], [0.0], MARKS[6], color=ORDER[3], linestyle="none", label="-1")
    ax.set(xlim=(-FAR, FAR), ylim=(-FAR, FAR), aspect="equal")
    margin = "" if phase_deg is None else f", phase margin {phase_deg:z.1f} degrees"
    ax.set(xlabel="real part", ylabel="imaginary part", title=f"Nyquist curve{margin}")
    ax.legend(loc="upper right")


def draw_boundaries(curves: Mapping[str, Points], marks: Mapping[str, Points]) -> Figure:
    """Draw the greatest gain beta that is stable over alpha, as curves and as single points.

    The first curve is that of theory, and what lies below it is shaded.
    """
    with use_style():
        figure, axes = make_axes(1, 1, (6.4, 4.6))
        ax = axes[0]
        for (name, (alpha, beta)), dash, colour in zip(curves.items(), DASHES, ORDER, strict=False):
            ax.plot(alpha, beta, dash, color=colour, label=name)
        for (name, (alpha, beta)), mark, colour in zip(
            marks.items(), MARKS, ORDER[len(curves) :], strict=False
        ):
            ax.plot(alpha, beta, mark, color=colour, linestyle="none", label=name)
        alpha, beta = next(iter(curves.values()))
        ax.fill_between(alpha, 0.0, beta, color=PALE)
        ax.set(xlabel="alpha, gain of spare rate", ylabel="beta, gain of the queue")
        ax.set_ylim(bottom=0.0)
        ax.legend(loc="upper right")
        return figure
