"""The runs at several sizes, and the ratio of each response to that at the largest size.

Counts (segments, flows, sources) are per source, so the ratio of a response that only follows the
size is 1. All values are of the second period, the one with congestion, which the experiments use
too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from headgate import HeadgateError, Result
from headgate.lab import Job, Key, Runs, Setup, key_by_labels
from headgate.stats import LEVEL
from headgate_studies.mesonet import MesoNet
from headgate_studies.nist.responses import TITLES, responses

#: The study's settings; every other setting is MesoNet's.
OF_RUNS = ("sizes", "conditions", "size")
Numbers = NDArray[np.float64]
SECOND = 1
COUNTS = (
    "y1", "y3", "y4", "y6", "y8", "y12", "y13", "y14", "connecting", "falls",
)  # fmt: skip
UTILISATION = "utilisation"
NAMES: Mapping[str, str] = {
    UTILISATION: "utilisation of the backbone",
    **{name: f"{title} per source" if name in COUNTS else title for name, title in TITLES.items()},
}


def jobs(setup: Setup) -> dict[Key, Job]:
    """Make every run; a seed's traffic is the same for every algorithm."""
    own = setup.settings
    common = {name: value for name, value in own.items() if name not in OF_RUNS}
    return key_by_labels(
        Job(
            MesoNet.from_dict(
                {**common, **levels, "size": share(size), "cca": cca, "seed": seed}
            ).scenario(),
            {"condition": name, "size": size, "cca": cca, "seed": seed},
        )
        for seed, (name, levels), size, cca in product(
            setup.seeds, own["conditions"].items(), own["sizes"], setup.ccas
        )
    )


def share(size: Any) -> float:
    """Read a size such as "1/40"; raise HeadgateError with what is allowed."""
    try:
        found = float(Fraction(str(size)))
    except (ValueError, ZeroDivisionError):
        found = 0.0
    if not 0 < found <= 1:
        raise HeadgateError(
            f"sizes: {size!r} is not a fraction above 0 and up to 1, such as '1/20'"
        )
    return found


@dataclass(frozen=True)
class Ratio:
    """A response over the same at the largest size, with the 95 % interval over replicates."""

    value: float
    low: float
    high: float

    def within(self, by: float) -> bool:
        """Say whether the whole interval is this near to 1, up or down by the factor 1 + by."""
        return self.low >= 1 / (1 + by) and self.high <= 1 + by

    def beyond(self, by: float) -> bool:
        """Say whether the whole interval is farther from 1 than that."""
        return self.low > 1 + by or self.high < 1 / (1 + by)


class Sizes(Runs):
    """Runs by condition, size, algorithm and seed."""

    @property
    def sizes(self) -> list[str]:
        """The sizes from the least to the largest."""
        return sorted(self.setup.settings["sizes"], key=share)

    @property
    def conditions(self) -> list[str]:
        """The names of the conditions."""
        return list(self.setup.settings["conditions"])

    @property
    def ccas(self) -> Sequence[str]:
        """The algorithms under each of them."""
        return self.setup.ccas

    @cached_property
    def measured(self) -> Mapping[tuple[str, str, str], Mapping[str, Numbers]]:
        """Every response of a condition, size and algorithm: one value a seed."""
        return {
            (condition, size, cca): self._measure(condition, size, cca)
            for condition in self.conditions
            for size in self.sizes
            for cca in self.ccas
        }

    def _measure(self, condition: str, size: str, cca: str) -> Mapping[str, Numbers]:
        found = [measure(self[condition, size, cca, seed], cca) for seed in self.setup.seeds]
        return {name: np.array([one[name] for one in found]) for name in NAMES}

    def ratio(self, response: str, condition: str, size: str, cca: str | None = None) -> Ratio:
        """Return a response over that at the largest size: under a CCA, or the mean of all."""
        ccas = self.ccas if cca is None else (cca,)
        here, largest = (
            [self._logs(response, condition, each, cca) for cca in ccas]
            for each in (size, self.sizes[-1])
        )
        return difference(here, largest)

    def contrast(self, response: str, condition: str, size: str, cca: str, to: str) -> Ratio:
        """Return one algorithm's response over another's at one size."""
        one, other = (self._logs(response, condition, size, each) for each in (cca, to))
        return difference([one], [other])

    def _logs(self, response: str, condition: str, size: str, cca: str) -> Numbers:
        values = self.measured[condition, size, cca][response]
        return np.log(np.where(values > 0, values, np.nan))


def measure(result: Result, cca: str) -> dict[str, float]:
    """Return every response of a run in the second period, counts per source."""
    found = {name: float(values[SECOND]) for name, values in responses(result, cca).items()}
    sources = float(result.responses["sources"][SECOND])
    listed = {name: found[name] / sources for name in COUNTS}
    return {UTILISATION: backbone(result), **found, **listed}


def backbone(result: Result) -> float:
    """Return the mean utilisation over the links between backbone routers: names of a letter."""
    table = result.tables["links"]
    ends = zip(table["from"], table["to"], table["period"], strict=True)
    own = [len(str(a)) == len(str(b)) == 1 and int(p) == SECOND + 1 for a, b, p in ends]
    return float(np.mean(np.asarray(table["utilisation"], dtype=float)[own]))


def difference(ones: Sequence[Numbers], others: Sequence[Numbers]) -> Ratio:
    """Return the ratio of geometric means over fixed groups of replicates, with its interval.

    Only the spread between replicates makes the width (Welch); a value that is missing or zero in
    either leaves nothing to compare. One replicate alone leaves the interval open.
    """
    mean = float(np.mean([one.mean() for one in ones]) - np.mean([one.mean() for one in others]))
    groups = [*ones, *others]
    if min(map(len, groups)) < 2:
        return Ratio(float(np.exp(mean)), 0.0, np.inf)
    spread = np.array([group.var(ddof=1) / len(group) / len(ones) ** 2 for group in groups])
    error = float(np.sqrt(spread.sum()))
    half = _quantile(spread, [len(group) - 1 for group in groups]) * error if error else 0.0
    return Ratio(*(float(np.exp(mean + step)) for step in (0.0, -half, half)))


def _quantile(spread: Numbers, freedom: Sequence[int]) -> float:
    """Return Student's quantile at the degrees of freedom of Welch and Satterthwaite."""
    together = spread.sum() ** 2 / np.sum(spread**2 / freedom)
    return float(stats.t.ppf(0.5 + LEVEL / 2, together))
