"""The picture of the study of durations."""

from __future__ import annotations

from itertools import product

import numpy as np

from headgate.figures import Heat, draw_heat
from headgate.lab import Picture
from headgate_studies.nist_duration.durations import NAMES, Durations

LARGEST_CHANGE = np.log(2)


def pictures(of: Durations) -> tuple[Picture, ...]:
    """Draw what a short run keeps."""
    columns = list(product(of.experiments, of.laws))
    ratios = np.array([[of.ratio(name, *column) for column in columns] for name in NAMES])
    panel = Heat(
        "",
        np.log(np.where(ratios > 0, ratios, np.nan)),
        [law for _, law in columns],
        -LARGEST_CHANGE,
        LARGEST_CHANGE,
        colours="PuOr",
        scale=100,
        groups={len(of.laws) * i: name for i, name in enumerate(of.experiments)},
        label="100 x ln(ratio)",
    )
    return (
        Picture(
            "preserved",
            "What a short run keeps",
            "Second period: 100 times the logarithm of a response of the short run over that of the"
            " published duration; 10 is 10 % more, -69 a half. Counts are per source and second."
            " Grey: none in some run.",
            draw_heat(list(NAMES.values()), [panel]),
        ),
    )
