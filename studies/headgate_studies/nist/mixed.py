"""The analysis of experiments 2a to 2c, in which some sources have TCP and the others one law."""

from __future__ import annotations

from headgate.lab import Analysis, Runs
from headgate_studies.nist.answer_useful import compare_usefulness, say_usefulness
from headgate_studies.nist.mixed_runs import Mixed
from headgate_studies.nist.mixed_sentences import sentences


def prepare(runs: Runs) -> Mixed:
    """Measure throughputs in finished runs."""
    return Mixed(runs.setup, runs.results)


def analyse(mixed: Mixed) -> Analysis:
    """Give the table that the report analyses, and what is said of it."""
    return Analysis(
        sentences=(say_usefulness(mixed), *sentences(mixed)),
        tables=(compare_usefulness(mixed),),
        data=(mixed.experiment.table,),
        roles=mixed.experiment.roles,
    )
