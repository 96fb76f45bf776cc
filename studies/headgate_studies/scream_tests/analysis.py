"""The sentences, the tables and the picture of the report, and the data of the claims."""

from __future__ import annotations

from headgate import Result, Table
from headgate.lab import Runs
from headgate_studies.designed import tidy
from headgate_studies.scream_tests.findings import rates_mbps

MEASURES = {
    f"mbps_{count}": lambda result, n=count: float(rates_mbps(result)[n]) for count in range(5)
}


def keep(result: Result) -> Result:
    """Keep the rates of the stream, and those of the link."""
    return Result({name: result.tables[name] for name in ("media", "ports")}, result.meta)


def data(runs: Runs) -> tuple[Table, ...]:
    """Return the rates of every run, one table a part."""
    return tidy(runs, MEASURES)
