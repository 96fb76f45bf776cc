"""Throughputs of an algorithm's flows and the TCP flows beside them, by file, path and interface.

A throughput is packets delivered over the time that flows were under way, those not finished among
them: at a small size few large files end within a period, and those that do are the fast ones.
Paths are named after the slower of a pair's ends: *very fast* between two D routers (the source's
word), *fast* without an N router, *typical* with one (ours).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from headgate import Result, Scenario
from headgate.forms import FourTier
from headgate.lab import Key
from headgate_studies.mesonet.model import STANDARD
from headgate_studies.nist.responses import INTERFACES, NUMBERED, ratio
from headgate_studies.nist.variants import CONTROL, label

Numbers = NDArray[np.float64]

FILES = ("web object", "document", "service pack", "movie")
#: Their names in the tables of a run; single files of given size are movies here.
FILE_OF = {**dict(zip(FILES, FILES, strict=True)), "file": "movie"}
PATHS = ("very fast", "fast", "typical")
PATH_OF = {
    "DD": "very fast", "DF": "fast", "FF": "fast", "DN": "typical", "FN": "typical",
    "NN": "typical",
}  # fmt: skip
SIDES = ("own", "tcp")
SHAPE = (len(FILES), len(PATHS), len(INTERFACES), len(SIDES))
#: Of a pair's ends the one that binds.
SLOWER = {"very fast": "D", "fast": "F", "typical": "N"}
#: Logarithms of throughputs that are no farther apart are of the same condition: a thousandth.
SAME = 1e-3
#: 80 packets/ms are 960 Mbit/s (second-hand).
PACKET_BITS = 12_000
LETTERS = {"web object": "W", "document": "D", "service pack": "P", "movie": "M"}
PLURAL = ("Web objects", "documents", "service packs", "movies")


def column(file: str, path: str, interface: str, side: str) -> str:
    """Return the name of a throughput's column, such as own_MVf: movies, very fast, fast."""
    return f"{side}_{LETTERS[file]}{path[0].upper()}{interface[0]}"


def title(file: str, path: str, interface: str) -> str:
    """Say what kind of flows these are."""
    return f"{PLURAL[FILES.index(file)]} over {path} paths with {interface} interfaces"


CELLS = tuple(product(FILES, PATHS, INTERFACES))
COLUMNS: Mapping[str, str] = {
    column(file, path, interface, side): (
        f"{PLURAL[FILES.index(file)]}, {path}/{interface}: {said} (packets/s)"
    )
    for side, said in zip(SIDES, ("own", "TCP"), strict=True)
    for file, path, interface in CELLS
}
AVAILABLE = {
    (path, interface): f"available_{path[0].upper()}{interface[0]}"
    for path, interface in product(PATHS, INTERFACES)
}


def tally(result: Result, cca: str) -> tuple[Numbers, Numbers]:
    """Return packets delivered and seconds under way: (period, file, path, interface, side)."""
    table = result.tables["classes"]
    shape = (len(result.responses["start_s"]), *SHAPE)
    delivered, active_s = np.zeros(shape), np.zeros(shape)
    sides = {label(cca): 0, STANDARD: 1}
    names = ("file", "class", "interface", "cca")
    labels = zip(*(np.asarray(table[name]).tolist() for name in names), strict=True)
    for row, (file, pair, interface, own) in enumerate(labels):
        if file in FILE_OF and pair in PATH_OF and own in sides:
            place = (
                int(table["period"][row]) - 1,
                FILES.index(FILE_OF[file]),
                PATHS.index(PATH_OF[pair]),
                INTERFACES.index(interface),
                sides[own],
            )
            delivered[place] += table["delivered_packets"][row]
            active_s[place] += table["active_s"][row]
    return delivered, active_s


def columns(result: Result, cca: str) -> dict[str, Numbers]:
    """Return what is tabled of a run, one value a period."""
    found = {name: np.asarray(result.responses[name], dtype=float) for name in NUMBERED}
    rates = ratio(*tally(result, cca))
    for (f, file), (p, path), (i, interface), (s, side) in product(
        *map(enumerate, (FILES, PATHS, INTERFACES, SIDES))
    ):
        found[column(file, path, interface, side)] = rates[:, f, p, i, s]
    given = available(result.scenario)
    return found | {AVAILABLE[key]: np.full(len(rates), rate) for key, rate in given.items()}


def available(scenario: Scenario) -> dict[tuple[str, str], float]:
    """Return the rate that binds a flow alone, in packets/s: its interface or its access link."""
    network = scenario.network
    assert isinstance(network, FourTier)
    interfaces = {"fast": network.fast_rate, "normal": network.normal_rate}
    return {
        (path, interface): min(
            interfaces[interface],
            network.rate * getattr(network.ratios, SLOWER[path]) / network.ratios.backbone,
        )
        / PACKET_BITS
        for path, interface in AVAILABLE
    }


def measure_resent(results: Mapping[Key, Result], condition: str, cca: str) -> float:
    """Return what TCP's flows beside a CCA sent again, over what they delivered, all replicates."""
    own = [one for key, one in results.items() if key[:2] == (condition, cca)]
    tables = [one.tables["classes"] for one in own]
    tcp = [np.asarray(table["cca"]) == STANDARD for table in tables]
    again, delivered = (
        sum(float(table[name][rows].sum()) for table, rows in zip(tables, tcp, strict=True))
        for name in ("retransmissions", "delivered_packets")
    )
    return again / delivered


@dataclass(frozen=True)
class Rates:
    """Logarithms of throughputs over all periods and replicates, NaN without a flow."""

    conditions: Sequence[str]
    ccas: Sequence[str]
    logs: Numbers
    """Of shape (condition, algorithm, file, path, interface, side)."""
    control: Numbers
    """The same of the control, as a single algorithm."""

    @classmethod
    def of(
        cls, results: Mapping[Key, Result], conditions: Sequence[str], ccas: Sequence[str]
    ) -> Rates:
        """Add up the runs of each condition, CCA and the control; a key begins with these two."""
        every = [*ccas, CONTROL]
        sums = np.zeros((2, len(conditions), len(every), *SHAPE))
        for (condition, cca, *_), result in results.items():
            place = conditions.index(str(condition)), every.index(str(cca))
            for total, each in zip(sums, tally(result, str(cca)), strict=True):
                total[place] += each.sum(axis=0)
        with np.errstate(divide="ignore"):
            logs = np.log(ratio(*sums))
        known = np.where(np.isfinite(logs), logs, np.nan)
        return cls(conditions, ccas, known[:, :-1], known[:, -1:])

    def only(
        self,
        conditions: Sequence[str],
        files: Sequence[str] = FILES,
        paths: Sequence[str] = PATHS,
        interfaces: Sequence[str] = INTERFACES,
    ) -> Rates:
        """Return some of the conditions, kinds of file, paths and interfaces."""
        places = {
            0: [self.conditions.index(name) for name in conditions],
            2: [FILES.index(file) for file in files],
            3: [PATHS.index(path) for path in paths],
            4: [INTERFACES.index(interface) for interface in interfaces],
        }
        logs, control = self.logs, self.control
        for axis, chosen in places.items():
            logs, control = logs.take(chosen, axis), control.take(chosen, axis)
        return Rates(list(conditions), self.ccas, logs, control)

    def distinct(self) -> Rates:
        """Return the conditions with those that are the same one for these flows merged."""
        groups = group_same([self])
        first = [self.conditions[group[0]] for group in groups]
        logs, control = (merge(table, groups) for table in (self.logs, self.control))
        return Rates(first, self.ccas, logs, control)

    def ahead(self) -> Numbers:
        """Return log of own over TCP beside it, over the same of the control: (condition, CCA).

        Each is the mean of its cells; a cell counts if all four throughputs are known.
        """
        own, tcp = _cells(self.logs)
        control_own, control_tcp = _cells(self.control)
        return mean_known((own - tcp) - (control_own - control_tcp))

    def left_to_tcp(self) -> Numbers:
        """Return log of what TCP gets beside an algorithm, over what it gets beside itself.

        That is beside the control, which replaces the algorithm: (condition, algorithm).
        """
        tcp = SIDES.index("tcp")
        return mean_known(_cells(self.logs)[tcp] - _cells(self.control)[tcp])

    def beside(self, side: str) -> Numbers:
        """Return log of a side's throughput over its mean over all CCAs, by condition and CCA.

        Cells without a flow of some algorithm are left out.
        """
        cells = self.common(side)
        return mean_known(cells - cells.mean(axis=1, keepdims=True))

    def common(self, side: str) -> Numbers:
        """Return a side's cells (condition, CCA, cell), NaN unless known for every algorithm."""
        cells = _cells(self.logs)[SIDES.index(side)]
        known = np.isfinite(cells).all(axis=1, keepdims=True)
        return np.where(known, cells, np.nan)


def group_same(several: Sequence[Rates]) -> list[list[int]]:
    """Group the conditions with the same throughputs of every algorithm and the control.

    The factors by which such conditions differ change nothing for these flows: a buffer that never
    fills, or a distribution of sources that a path without a loss does not feel. They are one
    condition, seen several times.
    """
    tables = [table for one in several for table in (one.logs, one.control)]
    rows = np.concatenate([table.reshape(len(table), -1) for table in tables], axis=1)
    groups: list[list[int]] = []
    for place, row in enumerate(rows):
        same = (g for g in groups if np.allclose(rows[g[0]], row, 0, SAME, equal_nan=True))
        group = next(same, None)
        if group is None:
            groups.append([place])
        else:
            group.append(place)
    return groups


def merge(table: Numbers, groups: Sequence[Sequence[int]]) -> Numbers:
    """Return the mean of each group of conditions; the first axis is of conditions."""
    return np.array([table[list(group)].mean(axis=0) for group in groups])


def _cells(logs: Numbers) -> Numbers:
    """Return a table as (side, condition, algorithm, cell)."""
    return np.moveaxis(logs, -1, 0).reshape(logs.shape[-1], *logs.shape[:2], -1)


def mean_known(cells: Numbers) -> Numbers:
    """Return means of the known values over the last axis; NaN if none is known."""
    known = np.isfinite(cells)
    return ratio(np.where(known, cells, 0.0).sum(axis=-1), known.sum(axis=-1).astype(float))
