"""Linear equations with delays: their characteristic roots, Nyquist curve, and margins.

`z'(t) = A z(t) + sum of B_k z(t - tau_k)` has the solutions `e^(s t)` with `det M(s) = 0`, and
`M(s) = s - A - sum of B_k e^(-s tau_k)`. There are infinitely many roots, but finitely many right
of any vertical line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.optional import require

Numbers = NDArray[np.float64]
Complex = NDArray[np.complexfloating[Any, Any]]

#: Nodes of a polynomial over the longest delay, and the greatest size of the resulting matrix.
NODES = 24
LEAST_NODES = 10
MOST_SIZE = 2400
#: Roots to refine, and Newton steps for each.
ROOTS = 20
NEWTON = 30
#: Tolerance of a root, relative to the longest delay.
EXACT = 1e-12
#: Two roots closer than this are the same.
SAME = 1e-7
#: Frequencies at which a curve is evaluated, in units of one over the longest delay.
LOWEST, HIGHEST, LOOKS = 1e-4, 1e3, 20_000
#: Greatest turn of the argument between two frequencies when roots are counted. Larger steps are
#: halved, at most HALVINGS times.
TURN = 0.3
HALVINGS = 40
#: Singular values below this share of the greatest are rounding errors.
RANK = 1e-9


@dataclass(frozen=True)
class Margins:
    """Distance of a loop from instability; infinite if its curve never reaches that point."""

    #: Degrees by which the phase may fall, at this frequency (rad/s).
    phase_deg: float
    phase_at_rad_s: float
    #: The factor by which the gain may change.
    gain: float
    gain_at_rad_s: float


@dataclass(frozen=True)
class Delayed:
    """A linear system with delays."""

    now: Numbers
    then: tuple[Numbers, ...]
    delays_s: Numbers

    @classmethod
    def of(cls, now: Numbers, then: Sequence[Numbers], delays_s: Numbers) -> Delayed:
        """Sum the matrices of each delay; parts without a delay belong to the present."""
        parts: dict[float, Numbers] = {}
        present = np.array(now, dtype=float)
        for matrix, delay_s in zip(then, delays_s, strict=True):
            if delay_s == 0.0:
                present = present + matrix
            elif np.any(matrix):
                parts[float(delay_s)] = parts.get(float(delay_s), 0.0) + matrix
        return cls(present, tuple(parts.values()), np.array(list(parts), dtype=float))

    @property
    def time_s(self) -> float:
        """The unit of time: the longest delay, else one over the fastest coefficient."""
        if len(self.delays_s):
            return float(self.delays_s.max())
        fastest = np.abs(self.now).max(initial=0.0)
        return float(1.0 / fastest) if fastest > 0.0 else 1.0

    def scaled(self, sizes: Numbers) -> Delayed:
        """Express each component of the state in its own unit."""
        parts = [part * sizes[None, :] / sizes[:, None] for part in (self.now, *self.then)]
        return Delayed(parts[0], tuple(parts[1:]), self.delays_s)

    def free(self) -> Numbers:
        """Return an orthonormal basis of the changes that preserve all conserved quantities.

        If some sum of all slopes is always zero (arrivals that are the sum of rates), the quantity
        that it counts is constant, and its zero root is excluded.
        """
        left, sizes, _ = np.linalg.svd(np.hstack((self.now, *self.then)))
        return np.asarray(left[:, : int((sizes > RANK * sizes[0]).sum())])

    def within(self, basis: Numbers) -> Delayed:
        """Project the system onto a basis."""
        parts = [basis.T @ part @ basis for part in (self.now, *self.then)]
        return Delayed(parts[0], tuple(parts[1:]), self.delays_s)

    def matrix(self, roots: Complex) -> Complex:
        """Return M at many `s`."""
        late = np.exp(-np.multiply.outer(roots, self.delays_s))
        unit = np.eye(len(self.now))
        past = sum(late[..., k, None, None] * part for k, part in enumerate(self.then))
        return np.asarray(roots[..., None, None] * unit - self.now - past)

    def slope(self, root: complex) -> Complex:
        """Return dM/ds."""
        parts = zip(self.delays_s, self.then, strict=True)
        past = sum((delay * np.exp(-root * delay) * part for delay, part in parts), 0.0)
        return np.asarray(np.eye(len(self.now)) + past)

    def roots(self) -> Complex:
        """Return the rightmost characteristic roots, 1/s, from the right."""
        guesses = self._guess_roots()
        guesses = guesses[np.argsort(-guesses.real)][:ROOTS]
        found = [self._refine_root(guess) for guess in guesses if guess.imag >= 0.0]
        kept: list[complex] = []
        for root in found:
            if root is not None and all(abs(root - other) > SAME / self.time_s for other in kept):
                kept.append(root)
        pairs = [[root, root.conjugate()] if root.imag > 0.0 else [root] for root in kept]
        flat = np.array([root for pair in pairs for root in pair], dtype=complex)
        return np.asarray(flat[np.argsort(-flat.real, kind="stable")])

    def _guess_roots(self) -> Complex:
        """Guess roots as eigenvalues of the solution operator's generator on Chebyshev nodes.

        The slope holds at the nodes of the past, and the equation at the present (Breda, Maset,
        Vermiglio 2005).
        """
        if not len(self.delays_s):
            return np.asarray(np.linalg.eigvals(self.now), dtype=complex)
        size = len(self.now)
        count = int(np.clip(MOST_SIZE // size - 1, LEAST_NODES, NODES))
        nodes, slopes = chebyshev(count)
        generator = np.kron(slopes, np.eye(size))
        generator[:size] = 0.0
        generator[:size, :size] = self.now * self.time_s
        for delay_s, part in zip(self.delays_s, self.then, strict=True):
            weights = interpolation_weights(nodes, -delay_s / self.time_s)
            generator[:size] += np.kron(weights, part * self.time_s)
        return np.asarray(np.linalg.eigvals(generator) / self.time_s, dtype=complex)

    def _refine_root(self, guess: complex) -> complex | None:
        root = guess
        for _ in range(NEWTON):
            left, sizes, right = np.linalg.svd(self.matrix(np.array(root)))
            change = left[:, -1].conj() @ self.slope(root) @ right[-1].conj()
            step = sizes[-1] / change if change else np.inf
            root = root - step
            if not np.isfinite(root) or abs(root - guess) * self.time_s > 1.0:
                return None
            if abs(step) * self.time_s <= EXACT * (1.0 + abs(root) * self.time_s):
                break
        if abs(root.imag) * self.time_s <= SAME:
            root = complex(root.real, 0.0)
        return complex(root)

    def loop(self, rad_s: Numbers) -> Complex:
        """Return the loop opened at the delayed input, `det M/det(s - A) - 1`, at frequencies.

        The system is stable if this curve encircles -1 as often as the open loop has unstable roots
        (Nyquist). If the past enters as one number, the curve is the gain of that loop.
        """
        at = 1j * rad_s
        opened = at[:, None, None] * np.eye(len(self.now)) - self.now
        return np.asarray(np.linalg.det(self.matrix(at)) / np.linalg.det(opened) - 1.0)

    def is_one_loop(self) -> bool:
        """Return whether the past enters by one number, or as one."""
        if not self.then:
            return False
        return any(
            np.linalg.matrix_rank(stack(self.then), rtol=RANK) == 1
            for stack in (np.hstack, np.vstack)
        )

    def margins(self) -> Margins | None:
        """Return the margins, if there is exactly one loop."""
        if not self.is_one_loop():
            return None
        rad_s = np.geomspace(LOWEST, HIGHEST, LOOKS) / self.time_s

        def at(log_rad_s: float) -> complex:
            return complex(self.loop(np.exp(np.array([log_rad_s])))[0])

        curve = self.loop(rad_s)
        even = _crossings(np.log(rad_s), np.abs(curve) - 1.0, lambda x: abs(at(x)) - 1.0)
        # degrees before -180
        phases = [(float(np.degrees(np.angle(-at(x)))), float(np.exp(x))) for x in even]
        real = _crossings(np.log(rad_s), curve.imag, lambda x: at(x).imag)
        gains = [(-1.0 / at(x).real, float(np.exp(x))) for x in real if at(x).real < 0.0]
        phase = min(phases, key=lambda pair: abs(pair[0]), default=(np.inf, np.nan))
        gain = min(gains, key=lambda pair: abs(np.log(pair[0])), default=(np.inf, np.nan))
        return Margins(*phase, *gain)

    def unstable(self) -> int | None:
        """Count the roots right of the axis from the turn of `det M(i w)` as w rises from 0.

        A system of n numbers turns by `(n/2 - roots) pi` (argument principle). The count is None if
        there is a root at zero.
        """
        size = len(self.now)
        norm = float(sum(np.linalg.norm(part, 2) for part in (self.now, *self.then)))
        if np.linalg.svd(self.matrix(np.array(0j)))[1][-1] <= RANK * norm:
            return None
        # Beyond `last`, `det M = s^n det(1 - B/s)` with a B/s of at most a half. The remaining turn
        # is the sum of the angles of the second factor's eigenvalues, each at most 30 degrees.
        last = 2.0 * norm
        count = int(last * (self.time_s + 1.0 / norm) / TURN) + 2
        left = np.linalg.eigvals(self.matrix(np.array(1j * last)) / (1j * last))
        turned = self._measure_turn(np.linspace(0.0, last, count)) - np.angle(left).sum()
        return round(float(size / 2.0 - turned / np.pi))

    def _measure_turn(self, rad_s: Numbers) -> float:
        """Return the turn of `det M(i w)`, with more frequencies if it turns fast."""
        curve = self._direction(rad_s)
        for _ in range(HALVINGS):
            turns = np.angle(curve[1:] / curve[:-1])
            fast = np.flatnonzero(np.abs(turns) > TURN)
            if not len(fast):
                break
            between = (rad_s[fast] + rad_s[fast + 1]) / 2.0
            rad_s = np.insert(rad_s, fast + 1, between)
            curve = np.insert(curve, fast + 1, self._direction(between))
        return float(turns.sum())

    def _direction(self, rad_s: Numbers) -> Complex:
        """Return `det M(i w)` divided by its size, which prevents overflow."""
        return np.asarray(np.linalg.slogdet(self.matrix(1j * rad_s))[0])


def chebyshev(count: int) -> tuple[Numbers, Numbers]:
    """Return `count + 1` nodes from 0 to -1, and the matrix of slopes at them (Trefethen 2000)."""
    places = np.arange(count + 1)
    nodes = np.cos(np.pi * places / count)
    ends = np.where((places == 0) | (places == count), 2.0, 1.0) * (-1.0) ** places
    apart = nodes[:, None] - nodes[None, :] + np.eye(count + 1)
    slopes = np.outer(ends, 1.0 / ends) / apart
    slopes -= np.diag(slopes.sum(axis=1))
    return (nodes - 1.0) / 2.0, 2.0 * slopes


def interpolation_weights(nodes: Numbers, place: float) -> Numbers:
    """Return the weights of values at Chebyshev nodes for interpolation at a place."""
    apart = place - nodes
    if (at := np.abs(apart) < 1e-14).any():
        return at.astype(float)
    weights = np.power(-1.0, np.arange(len(nodes)))
    weights[[0, -1]] /= 2.0
    weights = weights / apart
    return np.asarray(weights / weights.sum())


def _crossings(
    places: Numbers, values: NDArray[np.floating[Any]], exact: Callable[[float], float]
) -> list[float]:
    """Return the exact places at which values change their sign."""
    require("analysis", "stability")
    from scipy import optimize

    found = []
    for turn in np.flatnonzero(np.signbit(values[:-1]) != np.signbit(values[1:])):
        low, high = float(places[turn]), float(places[turn + 1])
        ends = exact(low), exact(high)
        if ends[0] * ends[1] < 0.0:
            found.append(float(optimize.brentq(exact, low, high, xtol=1e-14)))
        else:  # one of the two is zero but for rounding
            found.append(low if abs(ends[0]) < abs(ends[1]) else high)
    return found
