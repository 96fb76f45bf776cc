"""Findings that need no run: formulas, and what is known of Pareto's distribution."""

from __future__ import annotations

import numpy as np

from headgate.claims import Estimate
from headgate.experiment.estimates import Makers, makers_by_claim
from headgate.experiment.runs import Runs
from headgate.fluid.completion import processor_sharing, slow_start
from headgate.studies.fct import theory

SHAPES = (1.1, 1.2, 1.4, 1.8, 2.2)
SHAPES_ABOUT_ONE = (0.5, 0.9, 1.0, 1.1, 1.2, 2.2)


def _curve_processor_sharing(_: Runs) -> Estimate:
    return Estimate(
        ours=max(
            abs(float(processor_sharing(size, *_reference(), rtt)) - expected)
            for rtt, table in theory.REFERENCE.items()
            for size, (_, expected) in table.items()
        )
    )


def _curve_slow_start(_: Runs) -> Estimate:
    rate, _load = _reference()
    return Estimate(
        ours=max(
            abs(float(slow_start(size, rate, rtt)) - expected)
            for rtt, table in theory.REFERENCE.items()
            for size, (expected, _) in table.items()
        )
    )


def _reference() -> tuple[float, float]:
    return theory.REFERENCE_PACKETS_PER_S, theory.REFERENCE_LOAD


def _infinite_variance(_: Runs) -> Estimate:
    right = [theory.variance_is_infinite(shape) == (shape >= 2) for shape in SHAPES]
    return Estimate(ours=float(np.mean(right)))


def _infinite_mean(_: Runs) -> Estimate:
    right = [theory.mean_is_infinite(shape) == (shape <= 1) for shape in SHAPES_ABOUT_ONE]
    return Estimate(ours=float(np.mean(right)))


THEORY: Makers = makers_by_claim(
    _curve_processor_sharing, _curve_slow_start, _infinite_variance, _infinite_mean
)
