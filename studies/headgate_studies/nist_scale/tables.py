"""The tables of the report, and the data behind it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headgate import Table, Words
from headgate.lab import Listing
from headgate_studies.nist_scale.sizes import NAMES, Ratio, Sizes


def tables(of: Sizes) -> tuple[Listing, ...]:
    """Return one table a condition: every response at every size over that at the largest."""
    return tuple(_condition(of, name) for name in of.conditions)


def _condition(of: Sizes, condition: str) -> Listing:
    smaller = of.sizes[:-1]
    rows: list[tuple[Any, ...]] = [
        (title, *(_format_ratio(of.ratio(name, condition, size)) for size in smaller))
        for name, title in NAMES.items()
    ]
    return Listing(
        condition,
        f"Second period, over the same at {of.sizes[-1]}: geometric mean over laws, and its 95 %"
        " interval over replicates.",
        ("response", *(f"size {size}" for size in smaller)),
        rows,
    )


def _format_ratio(ratio: Ratio) -> str:
    if not np.isfinite(ratio.value):
        return "none in some run"
    return f"{ratio.value:.2f} ({ratio.low:.2f} to {ratio.high:.2f})"


def data(of: Sizes) -> Table:
    """Return one row a run: its labels and every response."""
    rows = list(_rows(of))
    columns = dict(zip(("condition", "size", "law", "seed"), zip(*rows, strict=True), strict=True))
    words = {name: Words.of(columns[name]) for name in ("condition", "size", "law")}
    keys = list(dict.fromkeys(row[:3] for row in rows))
    found = {name: np.concatenate([of.measured[key][name] for key in keys]) for name in NAMES}
    return Table("responses", {**words, "seed": np.array(columns["seed"]), **found})


def _rows(of: Sizes) -> Iterator[tuple[str, str, str, int]]:
    for key in of.measured:
        for seed in of.setup.seeds:
            yield (*key, seed)
