"""Completion times by size, over the replicates of a case: the input of findings and pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from headgate import Result, fluid
from headgate.lab import Runs
from headgate_studies.fct.jobs import cases, packets_per_s, rtt_s
from headgate_studies.fct.keep import divide

Values = NDArray[np.float64]
#: Edges of the bins of sizes, packets: 1, 2, 5 in each decade.
EDGES = (1, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
#: The largest short flow, and the largest flow of the figures with a linear axis.
SHORT, SHOWN = 200, 2_000

#: Column of times -> column that counts the flows it is a mean of.
COUNTS = {
    "sender_s": "finished",
    "receiver_s": "finished",
    "established_s": "finished",
    "rtt_s": "finished",
    "paired_sharing_s": "finished",
    "clean_sender_s": "clean",
    "early_sender_s": "early",
    "sharing_s": "shared",
}


class Totals(dict[str, Values]):
    """Totals of columns by size, each added up when it is asked for: the others are not read."""

    def __init__(self, add_up: Callable[[str], Values]) -> None:
        super().__init__()
        self._add_up = add_up

    def __missing__(self, name: str) -> Values:
        self[name] = self._add_up(name)
        return self[name]


@dataclass(frozen=True)
class Times:
    """Flows of one case and protocol by size, all replicates together."""

    sizes: Values
    counts: dict[str, Values]
    sums: dict[str, Values]
    packets_per_s: float
    load: float
    rtt_s: float

    @classmethod
    def of(cls, runs: Runs, case: str, protocol: str) -> Times:
        """Put the replicates together."""
        tables = [run.tables["sizes"] for run in runs.replicates(case, protocol)]
        sizes, of = np.unique(
            np.concatenate([table["size_packets"] for table in tables]), return_inverse=True
        )

        def total(name: str, weight: str | None = None) -> Values:
            values = [
                np.nan_to_num(table[name]) * (table[weight] if weight else 1.0) for table in tables
            ]
            return np.bincount(of, np.concatenate(values), len(sizes)).astype(float)

        about = cases(runs.setup)[case]
        return cls(
            sizes,
            Totals(total),
            Totals(lambda name: total(name, COUNTS[name])),
            packets_per_s(about),
            float(about["load"]),
            rtt_s(about),
        )

    def between(self, low: float, high: float) -> NDArray[np.bool_]:
        """Say which sizes are of a bin."""
        return (self.sizes >= low) & (self.sizes < high)

    def by_size(self, name: str) -> Values:
        """Mean of a column for each size; NaN without a flow of that size."""
        return divide(self.sums[name], self.counts[COUNTS[name]])

    def mean(self, name: str, low: float = 0, high: float = np.inf) -> float:
        """Mean of a column over the flows of a bin; NaN if there are none."""
        rows = self.between(low, high)
        count = self.counts[COUNTS[name]][rows].sum()
        return float(self.sums[name][rows].sum() / count) if count else np.nan

    def expect(self, formula: Values, name: str, low: float, high: float) -> float:
        """Mean of a formula over the very flows of a bin whose column is compared with it."""
        rows = self.between(low, high)
        weights = self.counts[COUNTS[name]][rows]
        return float((formula[rows] * weights).sum() / weights.sum()) if weights.sum() else np.nan

    @cached_property
    def formula_s(self) -> Values:
        """Processor sharing at the nominal load, for each size."""
        return fluid.compute_processor_sharing(
            self.sizes, self.packets_per_s, self.load, self.rtt_s
        )

    @cached_property
    def slow_start_line_s(self) -> Values:
        """Slow start as the source draws it, for each size."""
        return fluid.compute_slow_start(self.sizes, self.packets_per_s, self.rtt_s)

    @cached_property
    def slow_start_s(self) -> Values:
        """Slow start as ns-2 counts it, for each size."""
        return fluid.compute_slow_start_ns2(self.sizes, self.packets_per_s, self.rtt_s)

    @cached_property
    def slow_start_own_s(self) -> Values:
        """The same at the mean round trip of the flows of a size; NaN if none finished."""
        longer_s = fluid.compute_slow_start_ns2(self.sizes, self.packets_per_s, 2 * self.rtt_s)
        rounds = (longer_s - self.slow_start_s) / self.rtt_s
        return self.slow_start_s + rounds * (self.by_size("rtt_s") - self.rtt_s)

    def over_sharing(self, name: str, low: float, high: float) -> float:
        """AFCT of a bin over processor sharing at the nominal load."""
        return self.mean(name, low, high) / self.expect(self.formula_s, name, low, high)

    def count_packets(self, low: float = 0, high: float = np.inf) -> float:
        """Packets of the flows of a bin."""
        rows = self.between(low, high)
        return float((self.sizes * self.counts["flows"])[rows].sum())

    def count_flows(self, low: float = 0, high: float = np.inf) -> float:
        """Count the flows of a bin."""
        return float(self.counts["flows"][self.between(low, high)].sum())


def bins(low: float, high: float) -> Iterator[tuple[int, int]]:
    """Give the bins from one edge to another."""
    for left, right in pairwise(EDGES):
        if left >= low and right <= high:
            yield left, right


def of_bin(left: int, right: int) -> str:
    """Name a bin."""
    return f"{left:,}-{right:,}"


def by_bin(times: Times, name: str, low: float = 1, high: float = 100_000) -> tuple[Values, Values]:
    """Return mean size and mean of a column for every bin that has flows."""
    found = []
    for left, right in bins(low, high):
        value = times.mean(name, left, right)
        if np.isfinite(value):
            found.append((times.expect(times.sizes, name, left, right), value))
    return np.array([x for x, _ in found]), np.array([y for _, y in found])


def total(result: Result, name: str) -> float:
    """Read a run's totals."""
    return float(result.tables["totals"][name][0])


def mean_total(runs: Runs, case: str, protocol: str, name: str) -> float:
    """Mean of a total over the replicates."""
    return float(np.mean([total(run, name) for run in runs.replicates(case, protocol)]))


def mean_port(runs: Runs, case: str, protocol: str, name: str) -> float:
    """Mean of a column of the bottleneck over the replicates."""
    return float(np.mean([run.ports[name][0] for run in runs.replicates(case, protocol)]))


def gap_s(times: Times, name: str = "sender_s") -> float:
    """Mean over the sizes of the plot of AFCT, at the sender, less processor sharing."""
    rows = times.between(1, SHOWN + 1)
    return float(np.nanmean((times.by_size(name) - times.formula_s)[rows]))


#: The parts by which the sender's completion time exceeds the formula, in drawing order.
PARTS = (
    "way of the last ACK",
    "queue met by the SYN",
    "queue met by the data",
    "rate below the fair share",
    "load realised, start and end",
)


def parts_s(times: Times, low: float, high: float) -> dict[str, float]:
    """Take the gap of a bin apart: the parts add up to it."""
    sender, receiver = times.mean("sender_s", low, high), times.mean("receiver_s", low, high)
    exact = times.mean("paired_sharing_s", low, high)
    syn = times.mean("established_s", low, high) - times.rtt_s
    data = times.mean("rtt_s", low, high) - times.rtt_s
    formula = times.expect(times.formula_s, "sender_s", low, high)
    values = (sender - receiver, syn, data, receiver - exact - syn - data, exact - formula)
    return dict(zip(PARTS, values, strict=True))
