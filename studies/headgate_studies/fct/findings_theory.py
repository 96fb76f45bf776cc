"""Findings that need no run: formulas, and what is known of Pareto's distribution."""

from __future__ import annotations

import numpy as np

from headgate import fluid
from headgate.claims import Estimate
from headgate.lab import Runs
from headgate_studies.fct import theory

SHAPES = (1.1, 1.2, 1.4, 1.8, 2.2)
SHAPES_ABOUT_ONE = (0.5, 0.9, 1.0, 1.1, 1.2, 2.2)


def sharing_error(_: Runs) -> Estimate:
    """Find the largest distance of processor sharing from the reference."""
    return Estimate(
        ours=max(
            abs(float(fluid.compute_processor_sharing(size, *_reference(), rtt)) - expected)
            for rtt, table in theory.REFERENCE.items()
            for size, (_, expected) in table.items()
        )
    )


def slow_start_error(_: Runs) -> Estimate:
    """Find the largest distance of slow start from the reference."""
    rate, _load = _reference()
    return Estimate(
        ours=max(
            abs(float(fluid.compute_slow_start(size, rate, rtt)) - expected)
            for rtt, table in theory.REFERENCE.items()
            for size, (expected, _) in table.items()
        )
    )


def _reference() -> tuple[float, float]:
    return theory.REFERENCE_PACKETS_PER_S, theory.REFERENCE_LOAD


def infinite_variance(_: Runs) -> Estimate:
    """Count the shapes at which the variance is infinite from 2 up only."""
    right = [theory.variance_is_infinite(shape) == (shape >= 2) for shape in SHAPES]
    return Estimate(ours=float(np.mean(right)))


def infinite_mean(_: Runs) -> Estimate:
    """Count the shapes at which the mean is infinite up to 1 only."""
    right = [theory.mean_is_infinite(shape) == (shape <= 1) for shape in SHAPES_ABOUT_ONE]
    return Estimate(ours=float(np.mean(right)))
