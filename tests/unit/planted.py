"""Tables with a known truth in them: periods by conditions by algorithms by responses.

Noise is normal with a deviation of one sigma a run; planted effects are added in sigmas.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from headgate.design.named import make_named_design

CCAS = ("bic", "ctcp", "fast", "hstcp", "htcp", "scalable", "reno")
PLAN = "2^(6-1)"
FACTORS = ("X1", "X2", "X3", "X4", "X5", "X6")


@dataclass
class Planted:
    """Noise of one sigma about each condition's mean, which differs by response within `level`.

    The shape of `shifts` is (period, condition, algorithm, response). With 32 conditions these are
    the runs of a 2^(6-1), whose factors are columns too.
    """

    conditions: int = 32
    responses: int = 45
    replicates: int = 3
    periods: int = 1
    seed: int = 1
    sigma: float = 1.0
    level: tuple[float, float] = (50.0, 150.0)
    shifts: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        self.shifts = np.zeros((self.periods, self.conditions, len(CCAS), self.responses))

    @property
    def names(self) -> list[str]:
        return [f"y{i + 1}" for i in range(self.responses)]

    @property
    def factors(self) -> NDArray[np.float64]:
        """Coded levels, conditions by factors."""
        return make_named_design(PLAN)[0].matrix.astype(float)

    def move(self, factor: int, response: int, size: float) -> None:
        """Plant a main effect: the mean changes by `size` from the low level to the high one."""
        self.shifts[..., response] += size / 2 * self.factors[:, factor][None, :, None]

    def table(self) -> dict[str, NDArray[np.generic]]:
        """Return one row a run: period, condition, algorithm, seed, factors, responses."""
        rng = np.random.default_rng(self.seed)
        level = rng.uniform(*self.level, (self.periods, self.conditions, 1, 1, self.responses))
        shape = (self.periods, self.conditions, len(CCAS), self.replicates, self.responses)
        noise = rng.normal(size=shape)
        values = level + self.sigma * (self.shifts[:, :, :, None] + noise)
        period, c, cca, seed = (axis.ravel() for axis in np.indices(shape[:4]))
        labels = {
            "period": period + 1,
            "condition": np.char.add("c", (c + 1).astype(str)),
            "cca": np.array(CCAS)[cca],
            "seed": seed,
        }
        if self.conditions == len(self.factors):
            labels |= {name: self.factors[c, i] for i, name in enumerate(FACTORS)}
        flat = values.reshape(-1, self.responses)
        return labels | dict(zip(self.names, flat.T, strict=True))
