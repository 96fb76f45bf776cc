"""Sentences on the runs of an experiment: values that they lack, and times that are too short."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headgate.base.messages import count_others
from headgate.experiment.effect_sentences import spoken
from headgate.experiment.responses import Response
from headgate.experiment.tables import MeasuredRuns

#: The largest number of conditions, or of pairs of levels, that sentences name.
MOST_NAMED = 3


def say_missing(found: MeasuredRuns, response: Response) -> Iterator[str]:
    """Count the runs without a value of a response, and name the conditions that lack most."""
    made = found.digests != ""
    lacking = made & ~np.isfinite(found.values[response.name])
    if not lacking.any():
        return
    counts, runs = lacking.sum(axis=1), made.sum(axis=1)
    conditions = [c for c in np.argsort(-counts, kind="stable").tolist() if counts[c]]
    named = [f"{counts[c]} of {runs[c]} with {found.describe(c)}" for c in conditions[:MOST_NAMED]]
    left = len(conditions) - len(named)
    more = f"; others under {count_others(left, 'condition')}" if left else ""
    yield (
        f"{spoken(response)} lacks a value in {lacking.sum()} of {made.sum()} runs"
        f" ({'; '.join(named)}{more}); its means and effects are those of the other runs."
    )


def say_drifts(found: MeasuredRuns) -> Iterator[str]:
    """Name the conditions whose measured time is too short."""
    drifting = [(c, said) for c, said in enumerate(found.drifts) if said]
    if not drifting:
        return
    named = [f"{found.describe(c)} ({said})" for c, said in drifting[:MOST_NAMED]]
    more = f" and {len(drifting) - len(named)} more" if len(drifting) > len(named) else ""
    yield (
        f"Under {len(drifting)} of {len(found.coded)} conditions the busiest link still drifts from"
        " the first to the second half of the measured time, so that their means may differ from"
        f" those of longer runs; lengthen the duration or the warm-up: {', '.join(named)}{more}."
    )
