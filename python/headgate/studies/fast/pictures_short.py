"""What short buffers leave of FAST, by its three forms."""

from __future__ import annotations

from collections.abc import Callable

from headgate.engine.api import Result
from headgate.experiment.runnable import Picture
from headgate.experiment.runs import Runs
from headgate.figures.plots.curves import Curve, Panel, curves
from headgate.studies.paths import loss_rate, utilisation


def short_buffers(runs: Runs) -> Picture:
    """Draw use and loss of one flow by buffer."""
    return Picture(
        "short-buffers",
        "FAST in buffers of a tenth of the path to all of it",
        "One flow, alpha 200, 1 Gbit/s, 100 ms, from 50 to 100 s. The paper's doubling ends with"
        " the first queue; that of the simple form and of the agent of ns-2 comes back whenever the"
        " queue is empty, and what it overshoots the buffer loses.",
        curves([_panel(runs, "utilisation", utilisation), _panel(runs, "loss rate", loss_rate)]),
    )


def _panel(runs: Runs, label: str, measure: Callable[[Result], float]) -> Panel:
    buffers: list[float] = runs.setup.settings["short_buffers"]
    forms: list[str] = runs.setup.settings["forms"]
    drawn = {
        form: Curve(buffers, [measure(runs["short buffers", form, b]) for b in buffers], marks=True)
        for form in forms
    }
    return Panel(label.capitalize(), "buffer (BDP)", label, drawn)
