"""Runs of a design that another program made, read from a table with their place in the design."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from headgate.base.errors import AnalysisError
from headgate.design.file import ANALYSED
from headgate.design.generate import MadeDesign
from headgate.design.sheet import CENTRE
from headgate.experiment.designed import SURFACES, DesignAnalysis
from headgate.experiment.responses import Response
from headgate.experiment.tables import MeasuredRuns
from headgate.figures.analysis.frame import Frame

#: The column of the place in the design, as the CSV of a design names it.
PLACE = "standard"
#: Missing runs that a note names before it says how many more there are.
MOST_ABSENT = 8


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
            f"--design: a {kind} design needs no special analysis; give --factors without it"
        )
    for name in lower:
        if name not in responses:
            raise AnalysisError(f"--lower: {name} is none of the responses {', '.join(responses)}")
    frame.require(PLACE, *responses)
    factors, matrix = made.design.factors, np.asarray(made.design.matrix, float)
    places = [_read_place(frame, row, len(matrix)) for row in range(len(frame))]
    centre = np.zeros(len(factors))
    if kind in SURFACES:
        coded = np.array([centre if p == CENTRE else matrix[p - 1] for p in places])
        rows = [[row] for row in range(len(places))]
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
