"""How often claims are decided wrongly by looking again and again, and with how many replicates.

`python -m tests.unit.power_sequential` prints the table of docs/reference/power.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from headgate.experiment.claims import Until
from headgate.stats.sequential import Looks, Spending

RULES: tuple[Spending, ...] = ("obrien-fleming", "pocock")
#: How far the truth is from the bound, in deviations of one replicate.
DISTANCES = (0.0, 0.25, 0.5, 1.0, 2.0)
TRIALS = 20_000
Draw = Callable[[np.random.Generator, tuple[int, int]], NDArray[np.float64]]


def draw_normal(random: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float64]:
    return random.normal(size=shape)


def draw_skewed(random: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float64]:
    """A lognormal variable of skewness 1.75, as completion times have, centred and scaled."""
    cca = stats.lognorm(0.5)
    return (random.lognormal(0.0, 0.5, shape) - cca.mean()) / cca.std()


NOISE: dict[str, Draw] = {"normal": draw_normal, "skewed": draw_skewed}


@dataclass(frozen=True)
class Outcome:
    """Shares of trials, and the mean number of replicates."""

    right: float
    wrong: float
    replicates: float


def try_rule(looks: Looks, distance: float, draw: Draw, trials: int, seed: int) -> Outcome:
    """Judge `>= 0` when the true value is `distance`; at 0 either verdict is wrong."""
    values = draw(np.random.default_rng(seed), (trials, looks.sizes[-1])) + distance
    above, below = np.zeros(trials, dtype=bool), np.zeros(trials, dtype=bool)
    used = np.full(trials, looks.sizes[-1])
    for size, level in zip(looks.sizes, looks.levels, strict=True):
        seen = values[:, :size]
        t = seen.mean(axis=1) / (seen.std(axis=1, ddof=1) / np.sqrt(size))
        far = (np.abs(t) > stats.t.isf(level / 2, size - 1)) & ~(above | below)
        used[far] = size
        above |= far & (t > 0)
        below |= far & (t < 0)
    wrong = above | below if distance == 0 else below
    return Outcome(float((above & ~wrong).mean()), float(wrong.mean()), float(used.mean()))


def table(trials: int = TRIALS, seed: int = 1) -> list[str]:
    rows = ["| rule | values | truth from the bound | right | wrong | undecided | replicates |"]
    rows += ["| --- | --- | --- | --- | --- | --- | --- |"]
    for rule in RULES:
        looks = Until(spending=rule).plan()
        for name, draw in NOISE.items():
            for distance in DISTANCES:
                found = try_rule(looks, distance, draw, trials, seed)
                open_ = 1 - found.right - found.wrong
                rows.append(
                    f"| {rule} | {name} | {distance:g} sigma | {found.right:.3f} |"
                    f" {found.wrong:.3f} | {open_:.3f} | {found.replicates:.1f} |"
                )
    return rows


if __name__ == "__main__":
    print("\n".join(table()))
