"""The answers to the five questions: laws by questions, a word in each cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from headgate.base.catalog import label
from headgate.figures.plots.style import draw_tiles, make_axes, use_style

GOOD, BAD, NEITHER, NONE = "#56B4E9", "#E69F00", "#DDDDDD", "#F8F8F8"


def answers(
    laws: Sequence[str], words: Mapping[str, Mapping[str, str]], tones: Mapping[str, int]
) -> Figure:
    """Draw a row a law, a column a question; `tones` says which words are good (1) and bad (-1)."""
    faces = [[_face(of.get(law), tones) for of in words.values()] for law in laws]
    with use_style():
        figure, axes = make_axes(1, 1, (1.6 + 1.9 * len(words), 1.3 + 0.36 * len(laws)))
        ax = axes[0]
        draw_tiles(ax, faces)
        for row, law in enumerate(laws):
            for column, of in enumerate(words.values()):
                word = of.get(law, "\N{EN DASH}")
                ax.text(column + 0.5, row + 0.5, word, ha="center", va="center", fontsize=8.5)
        ax.set_xticks(np.arange(len(words)) + 0.5, [name.partition(":")[0] for name in words])
        ax.set_yticks(np.arange(len(laws)) + 0.5, [label(law) for law in laws])
        ax.xaxis.tick_top()
        return figure


def _face(word: str | None, tones: Mapping[str, int]) -> tuple[float, ...]:
    if word is None:
        return to_rgba(NONE)
    return to_rgba({1: GOOD, -1: BAD}.get(tones.get(word, 0), NEITHER))
