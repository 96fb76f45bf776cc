"""The picture of the study: by how much each unknown setting moves each finding."""

from __future__ import annotations

import numpy as np

from headgate.experiment.runnable import Picture
from headgate.figures.plots.heat import Heat, heat
from headgate.studies.nist.responses import TITLES
from headgate.studies.nist_unknowns.combinations import Combinations
from headgate.studies.nist_unknowns.sentences import ASKED

#: The largest change that colours tell apart: twice as much, or half.
LARGEST = np.log(2)


def draw_effects(of: Combinations) -> Picture:
    """Draw what the high level of each setting does to a law's response over the others'."""
    rows = [(law, name) for law in ("fast", "fast-at") if law in of.experiment.laws
            for name, *_ in ASKED]  # fmt: skip
    effects = [of.effects(name, law) for law, name in rows]
    values = np.log([list(effect.values()) for effect in effects])
    panel = Heat(
        "", values, list(of.columns), -LARGEST, LARGEST, colours="PuOr", scale=100,
        label="100 x ln(ratio at high over ratio at low)",
    )  # fmt: skip
    return Picture(
        "unknowns",
        "What each unknown setting does to each finding",
        "A law's response over the median of reno, BIC and CTCP, second period: 100 times the"
        " logarithm of that at a setting's high level over that at its low one, mean over the"
        " combinations.",
        heat([f"{law}: {TITLES[name]}" for law, name in rows], [panel]),
    )
