"""Measures of the parts of a network in one run: of each link, and of each pair of routers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from headgate.data.tables import Table, Words
from headgate.engine.api import Result

Kind = Literal["links", "pairs"]
#: The key of a run's `run.json`: measures by kind, measure and name. Former runs contain `parts`,
#: in which completion times include flows that ended before the warm-up did.
PARTS = "parts_after_warmup"
Measured = Mapping[str, Mapping[str, Mapping[str, float | None]]]


@dataclass(frozen=True)
class PartMeasure:
    """A measure of each part: the column of its table, unit and words."""

    column: str
    unit: str
    title: str


MEASURES: dict[Kind, tuple[PartMeasure, ...]] = {
    "links": (
        PartMeasure("utilisation", "1", "utilisation"),
        PartMeasure("loss_rate", "1", "share of packets dropped"),
        PartMeasure("mean_wait_s", "s", "mean wait in the queue"),
    ),
    "pairs": (
        PartMeasure("goodput_bps", "bit/s", "mean goodput of a flow"),
        PartMeasure("fct_receiver_s", "s", "mean completion time"),
    ),
}
#: The table that the measures of a kind come from.
TABLES: dict[Kind, str] = {"links": "ports", "pairs": "flows"}


def measure_parts(result: Result, kinds: Sequence[Kind]) -> Measured:
    """Measure the parts of a run that contains their tables."""
    return {kind: _MAKERS[kind](result.tables[TABLES[kind]]) for kind in kinds}


def _measure_links(ports: Table) -> Mapping[str, Mapping[str, float | None]]:
    names = ports["link"].tolist()
    return {
        one.column: dict(zip(names, map(_plain, ports[one.column].tolist()), strict=True))
        for one in MEASURES["links"]
    }


def _measure_pairs(flows: Table) -> Mapping[str, Mapping[str, float | None]]:
    """Return the means over the flows of each pair that were active after the warm-up.

    Missing values do not count.
    """
    source, receiver = (flows.data[column] for column in ("source", "receiver"))
    assert isinstance(source, Words)
    assert isinstance(receiver, Words)
    width = len(receiver.words) or 1
    codes = source.codes.astype(np.int64) * width + receiver.codes
    pairs, group = np.unique(codes, return_inverse=True)
    names = [
        f"{source.words[pair // width]} to {receiver.words[pair % width]}"
        for pair in pairs.tolist()
    ]
    found = {}
    for one in MEASURES["pairs"]:
        values = np.asarray(flows[one.column], np.float64)
        known = np.isfinite(values) & (np.asarray(flows["active_s"], np.float64) > 0)
        count = np.bincount(group[known], minlength=len(pairs))
        total = np.bincount(group[known], values[known], minlength=len(pairs))
        means = np.full(len(pairs), np.nan)
        means[count > 0] = total[count > 0] / count[count > 0]
        found[one.column] = dict(zip(names, map(_plain, means.tolist()), strict=True))
    return found


_MAKERS = {"links": _measure_links, "pairs": _measure_pairs}


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None
