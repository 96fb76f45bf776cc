"""Reference values of the theory of completion times, and findings that need no run."""

from __future__ import annotations

import numpy as np

from headgate import fluid
from headgate.claims import Estimate
from headgate.lab import Runs

#: Reference values of both formulas at 2.4 Gbit/s, packets of 1000 B and a load of 0.9:
#: round trip -> packets -> slow start, processor sharing (s).
REFERENCE = {
    0.1: {
        1: (0.150, 0.150), 10: (0.396, 0.150), 100: (0.716, 0.153), 500: (0.949, 0.167),
        1_000: (1.050, 0.183), 2_000: (1.153, 0.217), 10_000: (1.412, 0.483),
        100_000: (2.044, 3.483),
    },
    0.05: {
        1: (0.075, 0.075), 10: (0.198, 0.075), 100: (0.358, 0.078), 500: (0.475, 0.092),
        1_000: (0.527, 0.108), 2_000: (0.580, 0.142), 10_000: (0.723, 0.408),
        100_000: (1.189, 3.408),
    },
    0.2: {
        1: (0.300, 0.300), 10: (0.792, 0.300), 100: (1.432, 0.303), 500: (1.895, 0.317),
        1_000: (2.097, 0.333), 2_000: (2.300, 0.367), 10_000: (2.791, 0.633),
        100_000: (3.755, 3.633),
    },
}  # fmt: skip
REFERENCE_PACKETS_PER_S, REFERENCE_LOAD = 300_000.0, 0.9
#: RCP (gains 0.1 and 1) as a fluid, flow by flow, six seeds: lower edge of a bin of sizes -> AFCT
#: at the sender (s). The upper edges are those of `measures.EDGES`.
FLUID = {
    "base": {
        100: 0.211, 200: 0.220, 500: 0.242, 1_000: 0.281, 2_000: 0.369, 5_000: 0.60, 10_000: 0.97,
    },
    "rtt 50 ms": {100: 0.110, 200: 0.120, 500: 0.145, 1_000: 0.189},
    "rtt 200 ms": {100: 0.412, 200: 0.420, 500: 0.439, 1_000: 0.472},
    "shape 2.2": {100: 0.211, 200: 0.222, 500: 0.249, 1_000: 0.293},
}  # fmt: skip
FLUID_SHAPES = {1.1: 0.236, 1.4: 0.380, 1.8: 0.344}
SHAPES = (1.1, 1.2, 1.4, 1.8, 2.2)
SHAPES_ABOUT_ONE = (0.5, 0.9, 1.0, 1.1, 1.2, 2.2)


def variance_is_infinite(shape: float) -> bool:
    """Whether the variance of a Pareto distribution is infinite."""
    return shape <= 2


def mean_is_infinite(shape: float) -> bool:
    """Whether the mean of a Pareto distribution is infinite."""
    return shape <= 1


def packets_of_sizes_up_to(size: float, mean: float, shape: float) -> float:
    """Part of the packets that flows of at most this size have, by Pareto's distribution."""
    least = mean * (shape - 1) / shape
    return float(1 - (least / size) ** (shape - 1))


def sharing_error(_: Runs) -> Estimate:
    """Find the largest distance of processor sharing from the reference."""
    return Estimate(
        ours=max(
            abs(float(fluid.compute_processor_sharing(size, *_reference(), rtt)) - expected)
            for rtt, table in REFERENCE.items()
            for size, (_, expected) in table.items()
        )
    )


def slow_start_error(_: Runs) -> Estimate:
    """Find the largest distance of slow start from the reference."""
    rate, _load = _reference()
    return Estimate(
        ours=max(
            abs(float(fluid.compute_slow_start(size, rate, rtt)) - expected)
            for rtt, table in REFERENCE.items()
            for size, (expected, _) in table.items()
        )
    )


def _reference() -> tuple[float, float]:
    return REFERENCE_PACKETS_PER_S, REFERENCE_LOAD


def infinite_variance(_: Runs) -> Estimate:
    """Count the shapes at which the variance is infinite from 2 up only."""
    right = [variance_is_infinite(shape) == (shape >= 2) for shape in SHAPES]
    return Estimate(ours=float(np.mean(right)))


def infinite_mean(_: Runs) -> Estimate:
    """Count the shapes at which the mean is infinite up to 1 only."""
    right = [mean_is_infinite(shape) == (shape <= 1) for shape in SHAPES_ABOUT_ONE]
    return Estimate(ours=float(np.mean(right)))
