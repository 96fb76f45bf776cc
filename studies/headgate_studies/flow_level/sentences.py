"""The answer of the study in plain sentences, each with its numbers."""

from __future__ import annotations

import numpy as np

from headgate.claims import format_values
from headgate.lab import make_possible
from headgate_studies.flow_level import fits, measures, networks, theory
from headgate_studies.flow_level.findings_rests import points
from headgate_studies.flow_level.jobs import DELAYED, LOSSY, NAMES
from headgate_studies.flow_level.solutions import Solutions


def sentences(made: Solutions) -> tuple[str, ...]:
    """Say what was found; what this scale lacks is left out."""
    told = (_exponents, _alphas, _shares, _reno, _theorem, _packets)
    return make_possible(told, made)


def _exponents(made: Solutions) -> str:
    own = [f"{NAMES[law]} {_both(made, law)}" for law in (*LOSSY, *DELAYED)]
    return f"Exponents of the price at rest, by solution and by packets: {', '.join(own)}."


def _both(made: Solutions, law: str) -> str:
    kinds = ("solution", "periodic" if law in LOSSY else "packets")
    found = [fits.power(*points(made, law, kind)).exponent for kind in kinds]
    return f"{found[0]:.3f} and {found[1]:.3f}"


def _alphas(made: Solutions) -> str:
    own = []
    for law in LOSSY:
        exponent, printed = theory.PRINTED[law]
        kinds = ("solution", "periodic", "random")
        found = [fits.constant(*points(made, law, kind), exponent) for kind in kinds]
        each = ", ".join(f"{alpha:.4g}" for alpha in found)
        own.append(f"{NAMES[law]} {each} (printed {printed:g})")
    return f"Alpha by solution, with periodic and with random losses: {'; '.join(own)}."


def _shares(made: Solutions) -> str:
    off = [
        np.abs(measures.by_class(made, name, "fast") / made.fairest[name] - 1).max()
        for name in networks.ROWS
    ]
    return (
        f"Over several bottlenecks FAST's rates by packets are within {100 * max(off):.2g} % of"
        " those with the greatest sum of alpha log x, whatever the round trips."
    )


def _reno(made: Solutions) -> str:
    reno, fast = (
        float(np.mean(measures.ratio(made, law, "near", "far"))) for law in ("reno", "fast")
    )
    return (
        f"Of two flows over one path a round trip of 30 ms gets {fast:.2f} times what one of 120 ms"
        f" gets with FAST, {reno:.1f} times with Reno."
    )


def _theorem(made: Solutions) -> str:
    worst = {
        networks.EVERY[name].title: float(found.worst_ratio.max())
        for name, found in made.convergence.items()
    }
    starts = made.setup.settings["theorem"]["starts"]
    return (
        f"From {starts} starts each update of FAST's map brings windows nearer to rest; greatest"
        f" ratios of distances: {format_values(worst)}."
    )


def _packets(made: Solutions) -> str:
    return (
        f"By packets, four flows that began with windows from 10 to 1000 packets draw together by a"
        f" factor of {measures.factor(made):.3f} an update; linear theory has"
        f" {measures.derived_factor(made.setup):.4f}."
    )
