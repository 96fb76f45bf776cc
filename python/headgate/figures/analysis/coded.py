"""A table as numbers: the levels of its factors, its responses, groups and replicates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import AnalysisError
from headgate.figures.analysis.frame import Frame, Levels

Labels = tuple[str, ...]


@dataclass(frozen=True)
class Coded:
    """A table as numbers: levels of factors, responses, and the rows of each group.

    `blocks` are labels of rows that met the same chance, such as seeds; -1 if there is none.
    """

    levels: Mapping[str, Levels]
    responses: Mapping[str, NDArray[np.float64]]
    groups: Mapping[Labels, NDArray[np.intp]]
    blocks: NDArray[np.int64] | None = None

    def factors(self, rows: NDArray[np.intp]) -> dict[str, NDArray[np.float64]]:
        """Return the coded levels of those rows."""
        return {name: levels.coded[rows] for name, levels in self.levels.items()}


def code_factors(
    frame: Frame,
    factors: Sequence[str],
    responses: Sequence[str],
    by: Sequence[str],
    replicate: str | None,
) -> Coded:
    """Read factors, responses, groups and replicates of a table. Raises AnalysisError."""
    _check(frame, factors, responses, by)
    numbers = {name: frame.numbers(name) for name in responses}
    for name, values in numbers.items():
        if np.isnan(values).all():
            raise AnalysisError(f"{frame.name}: {name} has no number in any row")
    levels = {name: frame.levels(name) for name in factors}
    coded = Coded(levels, numbers, frame.groups(by), _blocks(frame, replicate))
    if replicate is not None:
        _refuse_nested(coded, frame.name, replicate)
    return coded


def _blocks(frame: Frame, replicate: str | None) -> NDArray[np.int64] | None:
    """Return the number of each row's replicate; each row without a label is one by itself."""
    if replicate is None:
        return None
    labels = frame.labels(replicate)
    alone = [label or f"\0{row}" for row, label in enumerate(labels)]
    return np.unique(np.array(alone), return_inverse=True)[1].astype(np.int64)


def _refuse_nested(coded: Coded, table: str, replicate: str) -> None:
    """Raise AnalysisError if replicates of several rows lie within one level of a factor.

    Their rows are no independent runs, such as samples of one run: the variation between
    replicates is then the error of this factor.
    """
    assert coded.blocks is not None
    for rows in coded.groups.values():
        blocks = coded.blocks[rows]
        for name, levels in coded.levels.items():
            if _is_nested(blocks, levels.places[rows]):
                raise AnalysisError(
                    f"{table}: several rows share a label of {replicate}, and each label occurs"
                    f" with one level of {name} only, so rows of one label cannot be compared. If"
                    " they are samples of one run, average them first; if they are independent"
                    " runs, give no replicate"
                )


def _is_nested(blocks: NDArray[np.int64], places: NDArray[np.int64]) -> bool:
    """Return whether a factor varies, but not within blocks of several rows."""
    labels = len(np.unique(blocks))
    pairs = len(np.unique(np.column_stack([blocks, places]), axis=0))
    return bool(labels < len(blocks) and len(np.unique(places)) > 1 and pairs == labels)


def _check(
    frame: Frame, factors: Sequence[str], responses: Sequence[str], by: Sequence[str]
) -> None:
    for what, names in (("factor", factors), ("response", responses)):
        if not names:
            raise AnalysisError(f"{frame.name}: name one {what} at least")
    frame.require(*factors, *responses, *by)
