"""How figures look: colours that are seen, and settings that nobody changes from outside."""

import matplotlib as mpl
import numpy as np
from matplotlib.colors import to_rgb

from headgate.figures.plots.palette import LOAD
from headgate.figures.plots.style import image, make_axes, use_style
from headgate.figures.spec.looks import LINES


def luminance(colour: str) -> float:
    """Relative luminance of WCAG 2.1."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return float(np.dot((0.2126, 0.7152, 0.0722), linear))


def test_lines_are_strong_and_use_grows_ever_darker() -> None:
    assert all(1.05 / (luminance(colour) + 0.05) >= 3 for colour in LINES)
    assert sorted(map(luminance, LOAD), reverse=True) == [luminance(c) for c in LOAD]


def test_a_figure_does_not_depend_on_settings_when_it_is_saved() -> None:
    def drawn() -> bytes:
        with use_style():
            figure, axes = make_axes(1, 1, (4.0, 3.0))
            axes[0].plot([1, 10, 100])
            axes[0].set_yscale("log")
        return image(figure, "svg")

    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": None, "grid.color": "#ff0000"}):
        first = drawn()
    assert b"<text" in first
    assert b"#ff0000" not in first
    assert drawn() == first
