"""Horizontal bars side by side: a few measures of many names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from headgate.figures import GREY, ORDER, make_axes, use_style

ROW_IN = 0.27


def bars(
    names: Sequence[str],
    measures: Mapping[str, Sequence[float]],
    high: Mapping[str, float] | None = None,
    levels: Mapping[str, float] | None = None,
) -> Figure:
    """Draw one panel a measure, one bar a name, each with its number; `levels` are dotted."""
    with use_style():
        size_in = (3.4 * len(measures) + 1.2, ROW_IN * len(names) + 1.1)
        figure, axes = make_axes(1, len(measures), size_in, sharey=True)
        for ax, (title, values) in zip(axes, measures.items(), strict=True):
            places = np.arange(len(names))
            ax.barh(places, np.nan_to_num(values), color=ORDER[0], height=0.68)
            top = (high or {}).get(title, 1.12 * max(np.nanmax(values), 1e-12))
            for place, value in enumerate(values):
                text = "not run" if np.isnan(value) else _short(value)
                shown = min(np.nan_to_num(value), top)
                ax.text(shown + 0.01 * top, place, text, va="center", fontsize=8)
            if levels and title in levels:
                ax.axvline(levels[title], color=GREY, linestyle=":", linewidth=1)
            ax.set_xlim(0, 1.12 * top)
            ax.set_title(title, fontsize=10)
            ax.grid(axis="y", visible=False)
        axes[0].set_yticks(range(len(names)), names)
        axes[0].invert_yaxis()
        return figure


def _short(value: float) -> str:
    return f"{value:.2f}" if value >= 0.005 or value == 0 else "< 0.005"
