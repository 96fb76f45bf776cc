"""Pictures of the study of sizes."""

from __future__ import annotations

from itertools import product

import numpy as np

from headgate.figures import Curve, CurvePanel, Heat, draw_curves, draw_heat
from headgate.lab import Picture
from headgate_studies.nist_scale.findings import STANDARD
from headgate_studies.nist_scale.jobs import share
from headgate_studies.nist_scale.sizes import NAMES, UTILISATION, Sizes

#: What is drawn over the size, by law: what it is, and its unit.
COURSES = {
    UTILISATION: ("utilisation", ""),
    "y2": ("share of sources transmitting", ""),
    "y10": ("retransmission rate", ""),
    "y16": ("queueing delay", " (s)"),
    "web_DD_fast": ("Web objects, DD, fast", " (packets/s)"),
    "long_DD": ("long-lived flow, DD", " (packets/s)"),
}
CONTRASTS = ("y10", "y16", "web_DD_fast")
LARGEST_CHANGE = np.log(2)


def pictures(of: Sizes) -> tuple[Picture, ...]:
    """Draw every picture."""
    return (_draw_preserved(of), _courses(of), _contrasts(of))


def _draw_preserved(of: Sizes) -> Picture:
    smaller = of.sizes[:-1]
    columns = list(product(of.conditions, smaller))
    values = np.array(
        [[np.log(of.ratio(name, *column).value) for column in columns] for name in NAMES]
    )
    panel = Heat(
        "",
        values,
        [size for _, size in columns],
        -LARGEST_CHANGE,
        LARGEST_CHANGE,
        colours="PuOr",
        scale=100,
        groups={len(smaller) * i: name for i, name in enumerate(of.conditions)},
        label="100 x ln(ratio)",
    )
    return Picture(
        "preserved",
        "What each size keeps",
        f"Second period: 100 times the logarithm of a response over that at {of.sizes[-1]}, mean"
        " over laws; 10 is 10 % more, -69 a half. Counts are per source. Grey: none in some"
        " run.",
        draw_heat(list(NAMES.values()), [panel]),
    )


def _courses(of: Sizes) -> Picture:
    panels = [
        _panel(
            of,
            "".join(COURSES[name]),
            {law: _means(of, name, condition, law) for law in of.laws},
            condition,
        )
        for name, condition in product(COURSES, of.conditions)
    ]
    return Picture(
        "sizes",
        "Six responses over the size of the network",
        "Second period, mean over replicates; one column a condition.",
        draw_curves(panels, columns=len(of.conditions), panel_in=(4.2, 2.7), order=of.laws),
    )


def _contrasts(of: Sizes) -> Picture:
    others = [law for law in of.laws if law != STANDARD]
    panels = [
        _panel(
            of,
            f"{COURSES[name][0]}\nover {STANDARD}",
            {
                law: _means(of, name, condition, law) / _means(of, name, condition, STANDARD)
                for law in others
            },
            condition,
        )
        for name, condition in product(CONTRASTS, of.conditions)
    ]
    return Picture(
        "contrasts",
        "How far laws differ, over the size of the network",
        f"A law's response over that of {STANDARD}, second period: flat where a comparison in"
        " miniature says what a larger one would.",
        draw_curves(panels, columns=len(of.conditions), panel_in=(4.2, 2.7), order=of.laws),
    )


def _means(of: Sizes, response: str, condition: str, law: str) -> np.ndarray:
    return np.array([of.measured[condition, size, law][response].mean() for size in of.sizes])


def _panel(of: Sizes, title: str, by_law: dict[str, np.ndarray], condition: str) -> CurvePanel:
    x = [share(size) for size in of.sizes]
    return CurvePanel(
        condition,
        "size (published = 1)",
        title,
        {law: Curve(x, values, marks=True) for law, values in by_law.items()},
        log="x",
        ticks=dict(zip(x, of.sizes, strict=True)),
    )
