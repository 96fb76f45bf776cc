"""An experiment: its table, analyses and sentences, and which conditions are congested."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from headgate import Result, Table
from headgate.figures import Roles, TableAnalysis, analyse_table, analysis
from headgate.lab import NotRunError
from headgate_studies.designed import Designed, Measure
from headgate_studies.nist.responses import BEFORE
from headgate_studies.nist.size import describe_preserved

QUARTER = 0.25
#: Algorithms whose means differ by less, relative to the others, are alike.
ALIKE = 0.10
#: The unit of an interval with one value for each condition.
CONDITIONS = "conditions"
#: Place of the period with spatiotemporal congestion, the second of three.
CONGESTED = 1
#: The algorithms that use delay and know no TCP mode: the two that the source sets apart.
DELAY_CCAS = ("fast", "fast-at")
#: MesoNet's key of the factor that sets how large buffers are.
BUFFERS = "buffer_provisioning"
COUNTED = {
    "packets": "data packets: sent = arrived + dropped + under way",
    "flows": "flows: started = over + under way",
}
WAITS = "waiting at all ports: sampled queue x time = sum of waits"
#: Waiting, in packets x seconds, below which samples of the queues are too few to measure it: one a
#: 0.2 s finds 500 packets in all.
TELLING = 100.0


@dataclass(frozen=True)
class Experiment:
    """Finished runs, and what was measured of each."""

    runs: Designed
    roles: Roles
    measure: Measure
    control: Mapping[str, float] | None = None
    """TCP's retransmission rate by condition, of runs that are none of the algorithms compared."""

    @cached_property
    def table(self) -> Table:
        """One row a run and period."""
        return self.runs.tidy(self.measure)

    @cached_property
    def found(self) -> TableAnalysis:
        """Every analysis of the table."""
        return analyse_table(self.table, self.roles)

    @property
    def congested(self) -> analysis.PeriodAnalysis:
        """The period with spatiotemporal congestion: the second of three."""
        return self.found.focus

    @property
    def ccas(self) -> tuple[str, ...]:
        """The algorithms that are compared."""
        return self.congested.cells.ccas

    @property
    def loss_ccas(self) -> tuple[str, ...]:
        """The algorithms other than FAST and FAST-AT."""
        return tuple(cca for cca in self.ccas if cca not in DELAY_CCAS)

    @cached_property
    def congestion(self) -> Mapping[str, float]:
        """How congested each condition is in that period: the retransmission rate of standard TCP.

        Any other algorithm would select conditions by its own faults: BIC resends most on paths
        that are fast and lose nothing under TCP.
        """
        names = self.congested.cells.conditions
        return self.control or {name: self.mean("y10", BEFORE, name) for name in names}

    @cached_property
    def order(self) -> list[str]:
        """Conditions from the least to the most congested in that period.

        A condition that lacks a rate is left out.
        """
        known = {name: rate for name, rate in self.congestion.items() if np.isfinite(rate)}
        return sorted(known, key=known.__getitem__)

    @property
    def light(self) -> Sequence[str]:
        """The least congested quarter of the conditions."""
        return self.order[: self._quarter]

    @property
    def lightly(self) -> Sequence[str]:
        """The quarter of the conditions that is next to the least congested one."""
        return self.order[self._quarter : 2 * self._quarter]

    @property
    def heavy(self) -> Sequence[str]:
        """The most congested quarter of the conditions."""
        return self.order[-self._quarter :]

    @property
    def short_of_buffers(self) -> list[str]:
        """The heavily congested conditions with the smaller buffers; NotRunError without any.

        The source's cautions on FAST and FAST-AT are of high congestion "where there were
        insufficient buffers".
        """
        small = {
            self.runs.design.label(run)
            for factor in self.runs.design.factors
            if factor.setting == BUFFERS
            for run in np.flatnonzero(self.runs.design.column(factor.name) < 0).tolist()
        }
        found = [name for name in self.heavy if name in small]
        if not found:
            raise NotRunError("no heavily congested condition uses the smaller of two buffers")
        return found

    @property
    def _quarter(self) -> int:
        return max(1, round(QUARTER * len(self.order)))

    def outliers(self, conditions: Sequence[str]) -> list[tuple[str, analysis.OutlierTest | None]]:
        """Return, for each cell of some conditions, the outlier by Grubbs and 10 %, if any."""
        apart = self.congested.outliers.outliers(ALIKE)
        return [
            (response, apart.get((condition, response)))
            for condition in conditions
            for response in self.congested.cells.responses
            if (condition, response) in self.congested.outliers.tests
        ]

    def mean(self, response: str, cca: str, condition: str) -> float:
        """Return a mean over replicates in the congested period."""
        cells = self.congested.cells
        row, column = cells.conditions.index(condition), self.ccas.index(cca)
        return float(cells.of(response)[row, column])

    def others(self, response: str, condition: str) -> float:
        """Return the mean over the algorithms other than FAST and FAST-AT."""
        return float(np.mean([self.mean(response, cca, condition) for cca in self.loss_ccas]))

    def typical(self, condition: str, *responses: str) -> float:
        """Return the median over the CCAs other than FAST and FAST-AT, of a product of responses.

        A mean would follow one algorithm: BIC resends twice as much as Reno.
        """
        return float(
            np.median([self.product(condition, cca, *responses) for cca in self.loss_ccas])
        )

    def product(self, condition: str, cca: str, *responses: str) -> float:
        """Return the product of an algorithm's responses, such as falls and packets a fall."""
        return float(np.prod([self.mean(name, cca, condition) for name in responses]))

    def sent_again(self, conditions: Sequence[str]) -> str:
        """Say which share of the packets TCP retransmits, the mean over conditions."""
        shares = [self.congestion[name] for name in conditions]
        return f"{100 * np.mean(shares):.2g} %"

    def tree(self, condition: str) -> analysis.ClusterTree:
        """Return the dendrogram of a condition in the congested period."""
        return self.congested.clusters.trees[condition]


def sentences(of: Experiment) -> tuple[str, ...]:
    """Say how congested the conditions are, and how well what is counted adds up."""
    least, most = of.order[0], of.order[-1]
    return (
        f"Under TCP alone, {of.sent_again(of.light)} of the packets are retransmitted in the least"
        f" congested quarter of the conditions and {of.sent_again(of.heavy)} in the most congested"
        f" one; the least is {least}, the most {most} (second period).",
        balance(of.runs.results.values()),
        *describe_preserved(of.runs.settings),
    )


def balance(results: Iterable[Result]) -> str:
    """Say whether packets and flows add up in every run, and how far both counts of waits agree."""
    checks = [result.tables["checks"] for result in results]
    off = [listed for what, check in COUNTED.items() if (listed := _off(what, check, checks))]
    waits = [
        abs(_of(table, WAITS, "relative_error")) for table in checks if _has_enough_waits(table)
    ]
    return f"{_count_cut(off, len(checks))}; {_compare_waits(waits, len(checks) - len(waits))}."


def _compare_waits(apart: list[float], quiet: int) -> str:
    if not apart:
        return "almost nothing waits in any run, so Little's law cannot be checked"
    left_out = f" (runs in which next to nothing waits are left out: {quiet})" if quiet else ""
    return (
        f"waiting by Little's law differs from samples by {100 * max(apart):.1f} % at most over a"
        f" whole network{left_out}"
    )


def _has_enough_waits(table: Table) -> bool:
    """Return whether enough packets wait in a run for samples of the queues to measure them."""
    return max(_of(table, WAITS, side) for side in ("left", "right")) >= TELLING


def _count_cut(off: list[str], runs: int) -> str:
    if off:
        return f"Of {runs} runs, {' and '.join(off)}"
    return f"Packets and flows add up exactly in all {runs} runs"


def _off(what: str, check: str, checks: list[Table]) -> str:
    """Say in how many runs both counts differ, and by how much; nothing if they never do."""
    apart = np.abs([_of(t, check, "left") - _of(t, check, "right") for t in checks])
    runs = int((apart != 0).sum())
    return f"{what} do not add up in {runs} (by {apart.max():,.0f} at most)" if runs else ""


def _of(table: Table, check: str, column: str) -> float:
    (row,) = np.flatnonzero(table["check"] == check)
    return float(table[column][row])
