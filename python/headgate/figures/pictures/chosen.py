"""What of a run is shown where there is more than an eye can tell apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.data.tables import Table
from headgate.figures.pictures.drawing import Numbers
from headgate.figures.pictures.run import Run

#: Lines that can be told apart on one pair of axes, and single flows beside the mean of a law's.
MOST_LINES, MOST_OF_LAW = 8, 5
#: Links in colours of their own on one pair of axes, and queues below one another.
MOST_LINKS, MOST_PORTS = 6, 4
#: Zero until the first sample.
POSITIVE = ("srtt_s",)


def name_law(law: str) -> str:
    """Return what a picture of a run calls a law; one of a file by its name there."""
    return law.rpartition(":")[2] or "law not kept"


class Courses:
    """The series of flows, or of ports, by name, in the order of their first rows."""

    def __init__(self, run: Run, kind: str) -> None:
        series = run.tables["series"]
        self.table = series.where(series["of"] == kind)
        names, first, place = np.unique(self.table["name"], return_index=True, return_inverse=True)
        order = np.argsort(place, kind="stable")
        rows = np.split(order, np.searchsorted(place[order], np.arange(1, len(names))))
        by_name = {str(names[i]): rows[i] for i in np.argsort(first)}
        self.rows: dict[str, NDArray[Any]] = by_name

    def __len__(self) -> int:
        return len(self.rows)

    def read(self, name: str, column: str) -> tuple[Numbers, Numbers]:
        """Return times and values of one, where it has any."""
        rows = self.rows[name]
        t_s = np.asarray(self.table["t_s"][rows], np.float64)
        values = np.asarray(self.table[column][rows], np.float64)
        known = np.isfinite(values) & (values > 0 if column in POSITIVE else True)
        return t_s[known], values[known]

    def combine(self, names: Iterable[str], column: str, *, mean: bool) -> tuple[Numbers, Numbers]:
        """Return the mean or the sum of several at each time at which one has a value."""
        parts = [self.read(name, column) for name in names]
        times = np.concatenate([t_s for t_s, _ in parts])
        t_s, place = np.unique(times, return_inverse=True)
        every = np.concatenate([values for _, values in parts])
        total: Numbers = np.bincount(place, every).astype(np.float64)  # of integers if empty
        return t_s, total / np.bincount(place).astype(np.float64) if mean else total

    def list_known(self, column: str) -> list[str]:
        """List those that have a value of a column."""
        if column not in self.table:
            return []
        known = np.isfinite(np.asarray(self.table[column], float))
        return [name for name, rows in self.rows.items() if known[rows].any()]


def group_by_law(run: Run, names: Sequence[str]) -> dict[str, list[str]]:
    """Group flows by law; those of no known law have the law ""."""
    flows = run.tables["flows"]
    law_of = {str(t): str(law) for t, law in zip(flows["traffic"], flows["law"], strict=True)}
    laws: dict[str, list[str]] = {}
    for name in names:
        laws.setdefault(law_of.get(name, ""), []).append(name)
    return laws


def choose_fairly(courses: Courses, names: Sequence[str], most: int) -> list[str]:
    """Choose flows of a law from the one that is given least to the one that is given most.

    Ranks at equal distances, least and most among them, so that neither the first nor the luckiest
    stand for all.
    """
    if len(names) <= most:
        return list(names)
    means = {name: _average(courses.read(name, "throughput_bps")[1]) for name in names}
    ranked = sorted(names, key=lambda name: means[name])
    places = np.round(np.linspace(0, len(ranked) - 1, most)).astype(int)
    kept = {ranked[place] for place in places}
    return [name for name in names if name in kept]


def rank_ports(run: Run, names: Iterable[str]) -> list[str]:
    """Rank ports from the one that drops the greatest share; among equals that which waits most."""

    def key(name: str) -> tuple[float, float]:
        return -compute_loss(run, name), -_replace_nan(run.read_port(name, "mean_wait_s"))

    return sorted(names, key=key)


def compute_loss(run: Run, name: str) -> float:
    """Return the share of packets that a port dropped or its link lost, of those that came."""
    ports = run.tables["ports"]
    return float(compute_losses(ports.where(ports["link"] == name))[0])


def compute_losses(ports: Table) -> Numbers:
    """Return the share of packets lost at each port and on its link; 0 where it is not counted."""
    dropped, lost, sent = (
        np.nan_to_num(np.asarray(ports[c], np.float64)) for c in ("drops", "lost", "departures")
    )
    came = dropped + sent
    shares: Numbers = np.divide(dropped + lost, came, out=np.zeros(len(came)), where=came > 0)
    return shares


def _average(values: Numbers) -> float:
    return float(values.mean()) if len(values) else 0.0


def _replace_nan(value: float) -> float:
    return value if np.isfinite(value) else 0.0
