"""Runs of a design that another program made, read from a table with their place in the design."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import AnalysisError
from headgate.design.factor import Factor
from headgate.design.file import ANALYSED
from headgate.design.generate import MadeDesign
from headgate.design.sheet import CENTRE
from headgate.experiment.designed import SURFACES, DesignAnalysis
from headgate.experiment.responses import Response
from headgate.experiment.tables import MeasuredRuns
from headgate.figures.analysis.frame import Frame
from headgate.stats.intervals import Numbers

#: The column of the place in the design, as the CSV of a design names it.
PLACE = "standard"
#: Missing runs that a note names before it says how many more there are.
MOST_ABSENT = 8
#: The largest difference by rounding of a level from that of the design, as part of the range.
ROUNDING = 1e-3
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def read_design_runs(
    made: MadeDesign, frame: Frame, responses: Sequence[str], lower: Sequence[str] = ()
) -> MeasuredRuns:
    """Join the rows of a table to the runs of a design. Raises AnalysisError.

    Runs of other programs share no traffic. A surface is therefore fitted to all runs; a screening
    or sensitivity analysis uses the means of the runs at each point, and their spread.
    """
    kind = made.file.kind
    if kind not in ANALYSED:
        raise AnalysisError(
            f"a {kind} design needs no special analysis; name the factors in place of the design"
        )
    for name in lower:
        if name not in responses:
            raise AnalysisError(f"lower: {name} is none of the responses {', '.join(responses)}")
    frame.require(PLACE, *responses)
    factors, matrix = made.design.factors, np.asarray(made.design.matrix, float)
    places = [_read_place(frame, row, len(matrix)) for row in range(len(frame))]
    centre = np.zeros(len(factors))
    by_row = np.array([centre if p == CENTRE else matrix[p - 1] for p in places])
    _compare_levels(made, frame, by_row)
    if kind in SURFACES:
        coded, rows = by_row, [[row] for row in range(len(places))]
    else:
        if CENTRE in places:
            matrix = np.vstack([matrix, centre])
        coded = matrix
        rows = [[] for _ in matrix]
        for row, place in enumerate(places):
            rows[place - 1].append(row)
    count = max(map(len, rows))
    known = [Response(name, better="lower" if name in lower else "") for name in responses]
    values = {}
    for name in responses:
        column = frame.numbers(name)
        values[name] = np.full((len(coded), count), np.nan)
        for point, of in enumerate(rows):
            values[name][point, : len(of)] = column[of]
    digests = np.array([
        [f"{point} {k}" if k < len(of) else "" for k in range(count)]
        for point, of in enumerate(rows)
    ])  # fmt: skip
    return MeasuredRuns(
        factors, coded, tuple(range(1, count + 1)), tuple(known), values, digests, paired=False,
        design=DesignAnalysis(made),
    )  # fmt: skip


def _compare_levels(made: MadeDesign, frame: Frame, coded: Numbers) -> None:
    """Compare the factors' columns of a table, if it contains them, with the runs of the design.

    A column contains coded levels, as in the CSV file of the design, or levels as in the design
    file. Raises AnalysisError for the first row that differs, such as in a table of another seed.
    """
    wrong = [
        (row, factor, level)
        for factor, levels in zip(made.design.factors, coded.T, strict=True)
        if factor.name in frame.columns
        for row, level in _find_difference(factor, frame.columns[factor.name], levels)
    ]
    if wrong:
        row, factor, level = min(wrong, key=lambda one: one[0])
        place = f"line {frame.lines[row]}" if frame.lines else f"row {row + 1}"
        raise AnalysisError(
            f"{frame.name}: {place}: {factor.name} is {frame.columns[factor.name][row]}, and"
            f" {PLACE} {frame.columns[PLACE][row]} of the design means {level:.6g}"
            f" ({factor.describe(level)}); give the design that made the table, or mend the column"
        )


def _find_difference(
    factor: Factor, cells: NDArray[Any], levels: Numbers
) -> Iterator[tuple[int, float]]:
    """Yield the first row with another level than that of the design; empty cells are none."""
    texts = [str(cell).strip() for cell in cells]
    named = [str(factor.level(level)) for level in levels.tolist()]
    is_coded = _are_near(texts, levels, 2.0)
    is_level = np.array(texts) == np.array(named)
    if factor.numeric:
        low, high = factor.numbers_at(np.array([-1.0, 1.0]))
        is_level |= _are_near(texts, factor.numbers_at(levels), high - low)
    found = max((is_coded, is_level), key=np.count_nonzero) | (np.array(texts) == "")
    yield from ((int(row), float(levels[row])) for row in np.flatnonzero(~found)[:1])


def _are_near(texts: Sequence[str], numbers: Numbers, reach: float) -> NDArray[np.bool_]:
    """Return which texts are the numbers, apart from rounding; units are ignored."""
    known = [_NUMBER.match(text) for text in texts]
    read = np.array([float(found[0]) if found else np.nan for found in known])
    return np.asarray(np.abs(read - numbers) <= ROUNDING * abs(reach))


def find_missing_runs(made: MadeDesign, frame: Frame) -> list[str]:
    """Return a note on the runs of the design that the table lacks, if it lacks any."""
    planned = Counter(row.standard for row in made.sheet.rows)
    found = Counter(_read_place(frame, row, len(made.design.matrix)) for row in range(len(frame)))
    absent = [str(place) for place in sorted((planned - found).elements())]
    if not absent:
        return []
    named = ", ".join(absent[:MOST_ABSENT])
    more = f" and {len(absent) - MOST_ABSENT} more" if len(absent) > MOST_ABSENT else ""
    return [
        f"{len(absent)} of {planned.total()} runs of the design"
        f" {'is' if len(absent) == 1 else 'are'} not in the table: {PLACE} {named}{more}."
    ]


def _read_place(frame: Frame, row: int, runs: int) -> int:
    text = str(frame.columns[PLACE][row]).strip()
    try:
        place = int(float(text))
    except ValueError:
        place = -1
    if not CENTRE <= place <= runs or str(place) not in (text, text.removesuffix(".0")):
        raise AnalysisError(
            f"{frame.name}: {PLACE} {text!r} is no run of the design; it must be 1 to {runs}, or 0"
            " for a centre point, as in the CSV file of the design"
        )
    return place
