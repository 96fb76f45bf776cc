"""A run as pictures take it, and what its scenario says of time and rates."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.level_order import LevelOrder
from headgate.base.units import parse_time_ps
from headgate.data.measures.ccas import label_ccas
from headgate.data.tables import Table
from headgate.figures.spec.drawing import Numbers

PS_PER_S = 1e12

Columns = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class TracedFlow:
    """The trace of one connection: events by column, including those at ports.

    `among` is the number of traced connections.
    """

    flow: str
    segment_bytes: int
    events: Columns
    among: int = 1


@dataclass(frozen=True)
class Run:
    """Tables and run.json of one run; `name` is its label among others, `folder` its place.

    `order` is the order of algorithms and levels in its experiment.
    """

    name: str
    tables: Mapping[str, Table]
    meta: Mapping[str, Any]
    folder: Path | None = None
    #: Reads what was traced of one flow.
    trace_one: Callable[[], TracedFlow | None] | None = None
    order: LevelOrder = field(default_factory=LevelOrder)

    @property
    def warmup_s(self) -> float:
        """When the figures of flows and ports begin."""
        if "fluid" in self.meta:
            return float(self.meta["fluid"]["order"]["from_s"])
        measure = self.meta.get("scenario", {}).get("measure", {})
        return parse_time_ps(measure.get("warmup", "0 s")) / PS_PER_S

    def read_port(self, link: str, column: str) -> float:
        """Return one figure of a port; NaN if the run has none."""
        ports = self.tables["ports"]
        at = np.flatnonzero(ports["link"] == link)
        return float(ports[column][at[0]]) if len(at) and column in ports else float("nan")

    def list_rates(self, link: str) -> tuple[Numbers, Numbers]:
        """Return the rates of a link (bit/s) and since when (s); the first since 0."""
        rates = self.meta.get("rates", {}).get(link)
        if rates is None:
            return np.zeros(1), np.array([self.read_port(link, "rate_bps")])
        return np.array(rates["t_s"]), np.array(rates["rate_bps"])

    def list_outages(self, link: str | None = None) -> tuple[tuple[float, float], ...]:
        """Return start and end (s) of the outages of a link, or of all links."""
        of_links = self.meta.get("outages", {})
        names = of_links if link is None else {link} & set(of_links)
        spans = {
            span
            for name in names
            for span in zip(of_links[name]["start_s"], of_links[name]["end_s"], strict=True)
        }
        return tuple(sorted(spans))


def count_conditions(runs: Sequence[Run]) -> int:
    """Count the combinations of network, duration and measure; seed and traffic do not count."""
    keys = ("network", "duration", "measure")
    scenarios = [run.meta.get("scenario", {}) for run in runs]
    return len({json.dumps([scenario.get(key) for key in keys]) for scenario in scenarios})


def find_rates(rates: tuple[Numbers, Numbers], t_s: Numbers) -> Numbers:
    """Return the rate of a link at each time."""
    since_s, bps = rates
    return bps[np.searchsorted(since_s, t_s, side="right") - 1]


def order_ccas(runs: Sequence[Run]) -> list[str]:
    """List all algorithms of an experiment, and after them the other algorithms of the runs.

    The place of an algorithm determines its colour, even in runs that lack some of the algorithms.
    """
    known = dict.fromkeys(cca for run in runs for cca in run.order.levels.get("cca", ()))
    there = {cca.rpartition(":")[2]: cca for cca in list_ccas(runs)}
    return list(dict.fromkeys([*(there.get(cca, cca) for cca in known), *there.values()]))


def list_ccas(runs: Sequence[Run]) -> list[str]:
    """List the CCAs of runs: in the order of their experiment, or in which their flows come."""
    seen: dict[str, None] = {}
    for run in runs:
        ccas = label_ccas(run.tables["flows"])
        _, first = np.unique(ccas, return_index=True)
        seen |= dict.fromkeys(str(cca) for cca in ccas[np.sort(first)])
    known = [cca for run in runs for cca in run.order.levels.get("cca", ())]
    by_name = {cca.rpartition(":")[2]: cca for cca in seen}
    return list(dict.fromkeys([*(by_name[cca] for cca in known if cca in by_name), *seen]))
