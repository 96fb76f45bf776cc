"""Every column of every table of results: its unit, definition and formula.

The engine defines its counters, in one line per column; derived columns are formulas here.
"""

from headgate.data.columns.column import Column
from headgate.data.columns.live import CAPTURED, OF_LIVE_RUNS
from headgate.data.columns.media import OF_MEDIA
from headgate.data.columns.periods import OF_PERIODS
from headgate.data.columns.run import (
    CONNECTIONS,
    EVENTS,
    FLOWS,
    NETWORK,
    PORTS,
    RESPONSES,
    SERIES,
    TABLES,
)

#: Tables of a packet run.
OF_A_RUN: dict[str, tuple[Column, ...]] = TABLES | OF_PERIODS
#: Those, and the tables of runs with real-time media.
OF_ANY_RUN: dict[str, tuple[Column, ...]] = OF_A_RUN | OF_MEDIA
EVERY_TABLE: dict[str, tuple[Column, ...]] = OF_ANY_RUN | {
    "events": EVENTS,
    "connections": CONNECTIONS,
    "captured": CAPTURED,
    **OF_LIVE_RUNS,
}

__all__ = [
    "CAPTURED", "CONNECTIONS", "EVENTS", "EVERY_TABLE", "FLOWS", "NETWORK", "OF_ANY_RUN",
    "OF_A_RUN", "OF_LIVE_RUNS", "OF_MEDIA", "OF_PERIODS", "PORTS", "RESPONSES", "SERIES", "TABLES",
    "Column",
]  # fmt: skip
