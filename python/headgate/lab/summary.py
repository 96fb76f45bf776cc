"""What `headgate watch` shows of a finished run, in a small file beside its tables.

Ten thousand runs are looked at in a second by it. Nothing else counts on it: where it is missing or
damaged, the same is read from the tables.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import FiniteFloat, NonNegativeInt, TypeAdapter, ValidationError

from headgate.base.errors import StoreError
from headgate.base.files import flush
from headgate.data.folder import read_meta, read_table
from headgate.data.tables import Table

SUMMARY_FILE = "summary.json"
#: Responses whose means over runs and periods are shown, by what they are.
FIGURES = {
    "y1": "sources sending",
    "y6": "flows per interval",
    "y5": "loss rate",
    "y10": "sent again",
    "y15": "round trip, s",
}


@dataclass(frozen=True)
class Summary:
    """What a run cost, its labels, and of each figure the sum over periods and their number."""

    packet_hops: NonNegativeInt
    cpu_s: FiniteFloat
    labels: dict[str, str | int | float]
    figures: dict[str, tuple[FiniteFloat, NonNegativeInt]]

    @classmethod
    def of(cls, tables: Mapping[str, Table], meta: Mapping[str, Any]) -> Summary:
        """Sum a run up."""
        responses: Mapping[str, Any] | Table = tables.get("responses", {})
        known = {name: _drop_missing(responses[name]) for name in FIGURES if name in responses}
        own = {name: np.array([value], float) for name, value in meta.get("figures", {}).items()}
        known = {name: _drop_missing(values) for name, values in own.items()} or known
        return cls(
            meta.get("packet_hops", 0),
            meta.get("cpu_s", 0.0),
            dict(meta.get("labels", {})),
            {name: (float(values.sum()), len(values)) for name, values in known.items()},
        )

    def write(self, path: Path) -> None:
        """Write it with its checksum."""
        text = json.dumps(asdict(self))
        path.write_text(f"{_checksum(text)}\n{text}\n", encoding="utf-8")
        flush(path)


NOTHING = Summary(0, 0.0, {}, {})
_SHAPE = TypeAdapter(Summary)


def summary(run: Path) -> Summary:
    """Read the summary of a run's folder, or make it of what else is there."""
    try:
        checksum, _, text = (run / SUMMARY_FILE).read_text(encoding="utf-8").strip().partition("\n")
        if checksum == _checksum(text):
            return _SHAPE.validate_json(text)
    except (OSError, ValueError):
        pass
    return _make_summary(run)


def _make_summary(run: Path) -> Summary:
    try:
        meta = read_meta(run) or {}
        return _SHAPE.validate_python(Summary.of({"responses": read_table(run, "responses")}, meta))
    except (StoreError, ValidationError):  # damaged: whoever reads it next makes it again
        return NOTHING


def _drop_missing(values: Any) -> Any:
    return values[np.isfinite(values)]


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
