"""Tables with a known truth in them: laws by responses by conditions, with noise of one sigma."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

LAWS = ("bic", "ctcp", "fast", "hstcp", "htcp", "scalable", "reno")


@dataclass
class Planted:
    """Noise of one sigma about each condition's mean; what is planted is added in sigmas."""

    conditions: int = 32
    responses: int = 45
    replicates: int = 3
    seed: int = 1
    sigma: float = 1.0
    shifts: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        self.shifts = np.zeros((self.conditions, len(LAWS), self.responses))

    @property
    def names(self) -> list[str]:
        return [f"y{i + 1}" for i in range(self.responses)]

    def table(self) -> dict[str, NDArray[np.generic]]:
        """Return one row a run: condition, law, seed, responses."""
        rng = np.random.default_rng(self.seed)
        level = rng.uniform(50, 150, (self.conditions, 1, 1, self.responses))
        shape = (self.conditions, len(LAWS), self.replicates, self.responses)
        values = level + self.sigma * (self.shifts[:, :, None] + rng.normal(size=shape))
        c, law, seed = (axis.ravel() for axis in np.indices(shape[:3]))
        flat = values.reshape(-1, self.responses)
        labels = {"condition": np.char.add("c", (c + 1).astype(str)), "law": np.array(LAWS)[law]}
        return labels | {"seed": seed} | dict(zip(self.names, flat.T, strict=True))
