"""Samples of the space of numeric factors: Latin hypercube and Sobol sequence, or plain random."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import HeadgateError
from headgate.base.optional import require
from headgate.design.chance import stream
from headgate.design.factor import Factor
from headgate.design.factorial import Design


def latin_hypercube(factors: Sequence[Factor], runs: int, seed: int = 1) -> Design:
    """Make `runs` points of which each of `runs` equal parts of every factor's range has one.

    Of a few random ones the most even (least centred discrepancy) is taken (McKay, Beckman and
    Conover 1979; SciPy's `random-cd`).
    """
    require("analysis", "a Latin hypercube")
    from scipy.stats import qmc

    _positive("latin hypercube", runs)
    engine = qmc.LatinHypercube(
        len(factors), optimization="random-cd", rng=stream(seed, "latin hypercube")
    )
    return _design(factors, engine.random(runs))


def sobol(factors: Sequence[Factor], runs: int, seed: int = 1) -> Design:
    """Make `runs` points, a power of two, of a scrambled Sobol sequence (Owen 1998)."""
    require("analysis", "a Sobol sequence")
    from scipy.stats import qmc

    _positive("sobol", runs)
    if runs & (runs - 1):
        raise HeadgateError(
            f"runs = {runs}: a Sobol sequence is balanced for powers of two only; "
            f"take {1 << runs.bit_length() - 1} or {1 << runs.bit_length()}"
        )
    engine = qmc.Sobol(len(factors), scramble=True, rng=stream(seed, "sobol"))
    return _design(factors, engine.random(runs))


def uniform(factors: Sequence[Factor], runs: int, seed: int = 1) -> Design:
    """Make `runs` points, each anywhere with the same chance and whatever the others are."""
    _positive("random", runs)
    return _design(factors, stream(seed, "random").random((runs, len(factors))))


def _positive(kind: str, runs: int) -> None:
    if runs < 1:
        raise HeadgateError(f"runs = {runs}: a {kind} design has one run at least")


def _design(factors: Sequence[Factor], points: NDArray[np.float64]) -> Design:
    columns = [_code_shares(f, points[:, i]) for i, f in enumerate(factors)]
    return Design(tuple(factors), np.array(columns).T)


def _code_shares(factor: Factor, shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Code shares of the range from -1 to +1; a factor without numbers takes equal parts of it."""
    if factor.numeric:
        return 2 * shares - 1
    steps = (len(factor.levels) or 2) - 1
    return 2 * np.floor(shares * (steps + 1)) / steps - 1
