"""The roles of an experiment's responses and factors in its report, and the answer by these."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headgate.base.level_order import level_text
from headgate.base.optional import find_missing
from headgate.experiment.conditions import order_levels
from headgate.experiment.effect_sentences import CCA
from headgate.experiment.findings import label_axis
from headgate.experiment.tables import MeasuredRuns
from headgate.figures.analysis.roles import Roles
from headgate.figures.analysis.whole import analyse_table


def roles(found: MeasuredRuns) -> Roles | None:
    """Return the roles of the columns of the table of runs, for the analyses of the report."""
    names = [factor.name for factor in found.factors]
    compared = CCA in names and len(names) > 1
    worse = {"higher": "less", "lower": "more"}
    known = [one for one in found.responses if _has_values(found, one.name)]
    if not known:
        return None
    asked = found.roles
    kept = {one.name for one in known}
    questions = {
        question: tuple(name for name in of if name in kept)
        for question, of in (asked.questions if asked else {}).items()
    }
    before = (asked.before_name if asked else "") or str(found.levels.get(CCA, ("",))[0])
    return Roles(
        responses=tuple(one.name for one in known),
        factors=tuple(name for name in names if not (compared and name == CCA)),
        cca=CCA if compared else None,
        replicate="replicate",
        period="period" if found.periods else None,
        periods=dict(_describe_periods(found)),
        order=order_levels(found.levels).levels,
        before=before if compared else None,
        congestion=(asked.congestion or None) if asked and asked.congestion in kept else None,
        pairs=tuple(p for p in asked.pairs if {p.own, p.other} <= kept) if asked else (),
        questions={question: of for question, of in questions.items() if of},
        titles={one.name: label_axis(one, one.unit) for one in known} | _title_factors(found),
        levels=dict(_name_levels(found)),
        worse={one.name: worse[one.better] for one in known if one.better},
    )


def _has_values(found: MeasuredRuns, response: str) -> bool:
    return any(np.isfinite(one.distinct[response]).any() for one in found.periods or (found,))


def _describe_periods(found: MeasuredRuns) -> Iterator[tuple[str, str]]:
    for one in found.periods:
        if found.roles and (text := found.roles.periods[one.period - 1]):
            yield str(one.period), text


def _title_factors(found: MeasuredRuns) -> dict[str, str]:
    return {one.name: one.title for one in found.factors if one.title}


def _name_levels(found: MeasuredRuns) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each factor with words for its levels, and these."""
    for factor in found.factors:
        labels = [level_text(label) for label in found.levels[factor.name]]
        if factor.words and factor.name != CCA and len(factor.words) == len(labels):
            yield factor.name, dict(zip(labels, factor.words, strict=True))


def compare(found: MeasuredRuns) -> tuple[str, ...]:
    """Return the headline and the sentence of each algorithm that replaces another.

    Nothing if the file is no comparison, or if libraries for the analyses are missing.
    """
    asked = roles(found)
    if asked is None or found.roles is None or not found.roles.is_comparison:
        return ()
    if find_missing("analysis"):
        return ()
    whole = analyse_table(found.runs, asked)
    said = (whole.headline, *(one.sentence for one in whole.answers))
    return said if whole.answers else ()
