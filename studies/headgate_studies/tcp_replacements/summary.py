"""The summary of the runs: effects, outliers of each condition and response, residuals, roles."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from headgate.figures import Roles
from headgate.lab import NotRunError
from headgate.stats import (
    Change,
    Effect,
    Outlier,
    Residuals,
    compute_change,
    compute_main_effect,
    compute_psi,
    compute_residuals,
    find_outlier,
)
from headgate_studies.designed import Designed
from headgate_studies.nist.responses import LOSSES, NUMBERED, of_design

BEFORE, FAST = "reno", "fast"
SENSITIVITY_CCAS = ("reno", "ctcp")  # the two of the source's sensitivity analysis
SECOND_PERIOD = 1
HEAVY_SHARE = 0.25
#: The setting of the factor that sets how large buffers are.
BUFFERS = "buffer"
CONNECTING = "connecting_sum"  # all periods contain the same number of samples
#: Packets by which windows fall in all, of the flows of every class.
FALLEN = "fallen_packets"
# The 22 responses of the source, with their axis titles.
RESPONSES = {name: f"{name} {title}" for name, title in NUMBERED.items()}
THROUGHPUTS = ("y17", "y18", "y19", "y20", "y21", "y22")
#: The events of each period.
PERIODS = dict.fromkeys(("1", "2", "3"), "equal parts of the measured time, with the same traffic")
#: Responses that harm a network, and the harmful direction.
WORSE = {
    **dict.fromkeys((*LOSSES, "y8", "y9", "y15", "y16"), "more"),
    **dict.fromkeys(("y6", "y7", *THROUGHPUTS), "less"),
}


@dataclass(frozen=True)
class Summary:
    """Everything that claims, pictures and sentences are made from."""

    runs: Designed

    @cached_property
    def cubes(self) -> dict[str, NDArray[np.float64]]:
        """Each response by (condition, algorithm, replicate), the mean over the periods."""
        own = {name: _over_periods(self.runs.response(name)) for name in (*RESPONSES, CONNECTING)}
        return own | {FALLEN: self._fallen()}

    def _fallen(self) -> NDArray[np.float64]:
        """Return by how many packets windows fall in a run, by (condition, CCA, replicate)."""
        runs = self.runs

        def fallen(condition: int, cca: str, seed: int) -> float:
            classes = runs.result(condition, cca, seed).tables["classes"]
            return float(np.asarray(classes[FALLEN], dtype=float).sum())

        return np.array(
            [
                [[fallen(c, cca, seed) for seed in runs.seeds] for cca in runs.ccas]
                for c in range(len(runs.design))
            ]
        )

    @property
    def numbered(self) -> list[NDArray[np.float64]]:
        """The source's 22 responses by (condition, algorithm, replicate)."""
        return [self.cubes[name] for name in RESPONSES]

    @cached_property
    def effects(self) -> dict[str, list[Effect]]:
        """Main effects on each response in the second period, over reno's and ctcp's runs."""
        chosen = [i for i, cca in enumerate(self.runs.ccas) if cca in SENSITIVITY_CCAS]
        return {
            name: self._effects(self.runs.response(name)[..., SECOND_PERIOD][:, chosen])
            for name in RESPONSES
        }

    @cached_property
    def grid(self) -> dict[str, list[Outlier | None]]:
        """The outlier of each response under each condition."""
        ccas, conditions = self.runs.ccas, range(len(self.runs.design))
        return {n: [find_outlier(ccas, self.cubes[n][c]) for c in conditions] for n in RESPONSES}

    @cached_property
    def congestion(self) -> NDArray[np.float64]:
        """How congested each condition is: the retransmission rate of standard TCP."""
        tcp = self.cubes["y10"][:, self.runs.ccas.index(BEFORE)]
        return np.asarray(tcp.mean(axis=1), dtype=float)

    @cached_property
    def heavy(self) -> list[int]:
        """The heavily congested quarter of the conditions, the worst last."""
        return self._by_congestion[-self._quarter :]

    @property
    def short_of_buffers(self) -> list[int]:
        """The heavily congested conditions with the smaller buffers; NotRunError without any."""
        design = self.runs.design
        small = {
            run
            for factor in design.factors
            if factor.setting == BUFFERS
            for run in np.flatnonzero(design.column(factor.name) < 0).tolist()
        }
        found = [run for run in self.heavy if run in small]
        if not found:
            raise NotRunError("no heavily congested condition uses the smaller of two buffers")
        return found

    @cached_property
    def light(self) -> list[int]:
        """The least congested quarter of the conditions."""
        return self._by_congestion[: self._quarter]

    @cached_property
    def middle(self) -> list[int]:
        """The conditions that are neither."""
        return self._by_congestion[self._quarter : -self._quarter]

    @property
    def by_congestion(self) -> list[int]:
        """All conditions, the least congested first."""
        return [*self.light, *self.middle, *self.heavy]

    @property
    def fast(self) -> int:
        """The place of FAST among the algorithms."""
        return self.runs.ccas.index(FAST)

    def change(self, cca: str, name: str, conditions: Sequence[int]) -> Change:
        """Change of a response, the mean over conditions, if a CCA replaces everyone's TCP."""
        means = self.cubes[name][list(conditions)].mean(axis=0)
        return compute_change(*(means[self.runs.ccas.index(chosen)] for chosen in (BEFORE, cca)))

    def residuals(self, name: str) -> Residuals:
        """Residuals of a response about each condition's mean."""
        return compute_residuals(self.runs.ccas, self.cubes[name])

    def psi_of(self, factor: str) -> float:
        """Psi of a factor over all responses."""
        return compute_psi([e for row in self.effects.values() for e in row if e.factor == factor])

    def factors(self) -> list[str]:
        """Return the names of the factors."""
        return [factor.name for factor in self.runs.design.factors]

    def effect(self, response: str, factor: str) -> Effect:
        """Return the main effect of one factor on one response."""
        return next(e for e in self.effects[response] if e.factor == factor)

    def _effects(self, values: NDArray[np.float64]) -> list[Effect]:
        each = values.reshape(len(values), -1)
        columns = self.runs.design.matrix.T
        return [
            compute_main_effect(f.name, np.repeat(column, each.shape[1]), each.ravel())
            for f, column in zip(self.runs.design.factors, columns, strict=True)
        ]

    @cached_property
    def _by_congestion(self) -> list[int]:
        return [int(c) for c in np.argsort(self.congestion, kind="stable")]

    @property
    def _quarter(self) -> int:
        return max(1, round(HEAVY_SHARE * len(self.runs.design)))


def _over_periods(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean over the periods; a response that no period had stays missing."""
    known = np.isfinite(values)
    count = known.sum(axis=-1)
    total = np.where(known, values, 0.0).sum(axis=-1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def roles(summary: Summary) -> Roles:
    """Return the roles of the study's table."""
    questions = {
        "increase": THROUGHPUTS,
        "recovery": LOSSES,
        "utility": THROUGHPUTS,
        "safety": tuple(WORSE),
    }
    return of_design(summary.runs.design, RESPONSES, WORSE, questions, PERIODS)
