"""Every column of every table of results: its unit, what it means, how it is formed.

What the engine counts it defines itself, in one line a column; what is formed here has a formula.
"""

from headgate.data.columns.capture import CAPTURED
from headgate.data.columns.column import Column
from headgate.data.columns.live import OF_LIVE_RUNS
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

#: What a run of packets has.
OF_A_RUN: dict[str, tuple[Column, ...]] = TABLES | OF_PERIODS
EVERY_TABLE: dict[str, tuple[Column, ...]] = OF_A_RUN | {
    "events": EVENTS,
    "connections": CONNECTIONS,
    "captured": CAPTURED,
    **OF_LIVE_RUNS,
}

__all__ = [
    "CAPTURED",
    "CONNECTIONS",
    "EVENTS",
    "EVERY_TABLE",
    "FLOWS",
    "NETWORK",
    "OF_A_RUN",
    "OF_LIVE_RUNS",
    "OF_PERIODS",
    "PORTS",
    "RESPONSES",
    "SERIES",
    "TABLES",
    "Column",
]
