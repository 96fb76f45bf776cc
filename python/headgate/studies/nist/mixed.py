"""The analysis of experiments 2a to 2c, in which some sources have TCP and the others one law."""

from __future__ import annotations

from headgate.experiment.runnable import Analysis
from headgate.experiment.runs import Runs
from headgate.studies.nist.fairness import findings
from headgate.studies.nist.mixed_runs import Mixed
from headgate.studies.nist.mixed_sentences import sentences


def analyse(runs: Runs) -> Analysis:
    """Turn finished runs into findings and the table that the report analyses."""
    mixed = Mixed(runs.setup, runs.results)
    return Analysis(
        findings(mixed),
        sentences(mixed),
        pictures=(),
        data=(mixed.experiment.table,),
        roles=mixed.experiment.roles,
    )
