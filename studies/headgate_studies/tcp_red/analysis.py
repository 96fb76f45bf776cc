"""The study `tcp-red`: what its run by packets and the fluid ones say."""

from __future__ import annotations

from headgate.lab import Runs
from headgate_studies.tcp_red.simulations import Simulations, jobs

__all__ = ["jobs", "prepare"]


def prepare(runs: Runs) -> Simulations:
    """Put the fluid runs beside those by packets; they are made here."""
    return Simulations(runs.setup, runs.results)
