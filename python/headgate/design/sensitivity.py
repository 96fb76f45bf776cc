"""Samples for sensitivity analyses: Morris' trajectories and Saltelli's scheme.

The runs of a design are its distinct points; `Design.indices` lists them by trajectory or sample.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import HeadgateError
from headgate.base.optional import require
from headgate.design.external import code_shares
from headgate.design.factor import Factor
from headgate.design.factorial import Design
from headgate.design.sheet import make_stream

Numbers = NDArray[np.float64]


def make_morris(
    factors: Sequence[Factor], trajectories: int, grid_levels: int, seed: int = 1
) -> Design:
    """Draw trajectories on a grid: each changes every factor once, one at a time (Morris 1991).

    A quantity moves by half of the grid's levels, up or down, a name to any other name. In
    `indices`, of shape (trajectory, k + 1), the steps of a trajectory are in their random order.
    """
    if grid_levels % 2:
        raise HeadgateError(f"grid_levels = {grid_levels}: Morris' grid needs an even number")
    if trajectories < 2:
        raise HeadgateError(f"trajectories = {trajectories}: at least 2 are needed for a spread")
    rng = make_stream(seed, "morris")
    points = [_draw_trajectory(rng, factors, grid_levels) for _ in range(trajectories)]
    return _index_points(factors, np.array(points))


def _draw_trajectory(
    rng: np.random.Generator, factors: Sequence[Factor], grid_levels: int
) -> Numbers:
    starts, ends = zip(*(_draw_step(rng, factor, grid_levels) for factor in factors), strict=True)
    points = [np.array(starts)]
    for place in rng.permutation(len(factors)):
        following = points[-1].copy()
        following[place] = ends[place]
        points.append(following)
    return np.array(points)


def _draw_step(rng: np.random.Generator, factor: Factor, grid_levels: int) -> tuple[float, float]:
    """Return the coded start and end of a factor's step."""
    if not factor.numeric:
        count = len(factor.levels) or 2
        first, last = rng.choice(count, 2, replace=False).tolist()
        return 2 * first / (count - 1) - 1, 2 * last / (count - 1) - 1
    half = grid_levels // 2
    low = int(rng.integers(half))
    ends = [2 * place / (grid_levels - 1) - 1 for place in (low, low + half)]
    first, last = ends if rng.random() < 0.5 else ends[::-1]
    return first, last


def make_saltelli(factors: Sequence[Factor], samples: int, seed: int = 1) -> Design:
    """Draw the points of Saltelli's scheme: A, B, and A with each column of B in turn.

    A and B are the halves of a scrambled Sobol sequence (Saltelli et al. 2010). `indices` is of
    shape (sample, k + 2): A, B, then one point per factor.
    """
    require("analysis", "a Saltelli sample")
    from scipy.stats import qmc

    if samples < 2 or samples & (samples - 1):
        raise HeadgateError(
            f"samples = {samples}: a Sobol sequence is balanced only for powers of two; "
            f"write {1 << max(samples.bit_length() - 1, 1)} or {1 << samples.bit_length()}"
        )
    count = len(factors)
    engine = qmc.Sobol(2 * count, scramble=True, rng=make_stream(seed, "saltelli"))
    shares = engine.random(samples)
    columns = [code_shares(f, shares[:, [i, count + i]]) for i, f in enumerate(factors)]
    first, other = np.moveaxis(np.array(columns), 0, 1).transpose(2, 0, 1)
    mixed = np.repeat(first[:, None, :], count, axis=1)
    mixed[:, range(count), range(count)] = other
    return _index_points(factors, np.concatenate([np.stack([first, other], axis=1), mixed], axis=1))


def _index_points(factors: Sequence[Factor], points: Numbers) -> Design:
    """Make the design of the distinct points, in the order in which they occur first."""
    every = points.reshape(-1, len(factors))
    _, firsts, places = np.unique(every.round(12), axis=0, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(firsts))
    indices = rank[places.ravel()].reshape(points.shape[:2])
    return Design(tuple(factors), every[np.sort(firsts)], indices=indices)
