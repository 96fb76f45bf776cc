"""Streams of real-time media over time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from headgate.figures.spec.drawing import Line, Numbers
from headgate.figures.spec.looks import look_at
from headgate.figures.spec.run import Run

#: The table of samples of streams; a run without such traffic lacks it.
STREAMS = "media_series"
#: Place of the first stream among the looks, after those of the usual algorithms.
FIRST_LOOK = 5


def list_streams(run: Run) -> list[str]:
    """List the streams that have samples."""
    if STREAMS not in run.tables:
        return []
    return list(dict.fromkeys(map(str, run.tables[STREAMS]["name"])))


def draw_streams(
    run: Run, shape: Callable[[Numbers, Numbers], tuple[Numbers, Numbers]]
) -> list[Line]:
    """Return a line per stream: the rate of its packets that arrive, in the unit of `shape`."""
    lines = []
    for place, name in enumerate(list_streams(run)):
        series = run.tables[STREAMS]
        rows = series["name"] == name
        t_s, bps = (np.asarray(series[column][rows], float) for column in ("t_s", "received_bps"))
        known = np.isfinite(bps)
        look = look_at(FIRST_LOOK + place, dash=2)
        lines.append(Line(f"{name} (media)", *shape(t_s[known], bps[known]), look))
    return lines
