"""Findings of the sensitivity analysis: functions that its claims name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from headgate.claims import Estimate, format_values
from headgate.figures import analysis
from headgate.stats import Effect, compute_share_interval
from headgate_studies.nist_sensitivity.published import (
    AVERAGE,
    FACTORS,
    LARGEST,
    LIKELY,
    PSI,
    STARS,
    TRANSMITTING,
)
from headgate_studies.nist_sensitivity.summary import CONGESTED, SEED, Sensitivity

#: Levels of significance of one star and of two.
WEAK_P, STRONG_P = 0.05, 0.01
Rows = Mapping[str, NDArray[np.float64]]
#: Draws of all runs for the interval of the number of groups.
RESAMPLES = 200


def psi(of: Sensitivity, *, factor: str, row: str = AVERAGE) -> Estimate:
    """Tell Psi of one factor, and which responses it moves in the second period."""
    of.require(factor)
    place = list(of.factors).index(factor)
    ours = float(of.psi[row][place])
    ci = of.resample(lambda rows: float(rows[row][place]))
    group = CONGESTED if row == AVERAGE else (row.removeprefix("period "),)
    moved = [r for r in of.by_period.responses if of.by_period.one(factor, r, group).stars]
    said = f"moves in period {group[0]}: {', '.join(moved)}" if moved else ""
    return Estimate(ours=ours, ci=ci, note=said)


def rank_correlation(of: Sensitivity, *, row: str = AVERAGE) -> Estimate:
    """Correlate the factors' Psi with the published ones by ranks."""
    of.require(*FACTORS)
    published = [PSI[row][name] for name in FACTORS]

    def measure(rows: Rows) -> float:
        return float(stats.spearmanr(rows[row], published).statistic)

    ours = dict(zip(of.factors, (100 * of.psi[row]).tolist(), strict=True))
    ranked = sorted(ours, key=lambda factor: -ours[factor])
    note = format_values({factor: ours[factor] for factor in ranked}, 2)
    return Estimate(ours=measure(of.psi), ci=of.resample(measure), note=note)


def lead_of_first(of: Sensitivity) -> Estimate:
    """Compare Psi of network speed with the largest other."""
    of.require(*FACTORS)

    def measure(rows: Rows) -> float:
        return float(rows[AVERAGE][0] - rows[AVERAGE][1:].max())

    return Estimate(ours=measure(of.psi), ci=of.resample(measure))


def first_seven(of: Sensitivity) -> Estimate:
    """Count those published first that are first."""
    of.require(*FACTORS)
    names = list(of.factors)

    def measure(rows: Rows) -> float:
        first = np.argsort(-rows[AVERAGE], kind="stable")[: len(LARGEST)]
        return float(len({names[place] for place in first} & {*LARGEST}))

    first = of.influence.ranked[: len(LARGEST)]
    return Estimate(
        ours=measure(of.psi), ci=of.resample(measure), note=f"first are {', '.join(first)}"
    )


def moving_named(of: Sensitivity) -> Estimate:
    """Count the named factors that move the sources transmitting, in either direction."""
    of.require(*FACTORS)
    effects = [of.by_period.one(name, "y1", CONGESTED) for name in TRANSMITTING]
    return Estimate(ours=sum(bool(each.stars) for each in effects), note=_p_values(effects))


def moving_others(of: Sensitivity) -> Estimate:
    """Count the other factors that move them, the effects of all factors taken out."""
    of.require(*FACTORS)
    p_values = of.all_factors_p("y1")
    others = {name: p_values[name] for name in FACTORS if name not in TRANSMITTING}
    moving = [name for name, p in others.items() if p < STRONG_P / len(others)]
    weaker = {name: p for name, p in others.items() if p < WEAK_P}
    note = f"p of others: {format_values(weaker, 2) or f'none below {WEAK_P}'}"
    return Estimate(ours=len(moving), note=note)


def place(of: Sensitivity, *, factor: str, row: str) -> Estimate:
    """Return the place of a factor by its influence, the first being the largest."""
    of.require(*FACTORS)
    own = list(of.factors).index(factor)

    def measure(rows: Rows) -> float:
        return float(stats.rankdata(-rows[row])[own])

    return Estimate(ours=measure(of.psi), ci=of.resample(measure))


def _p_values(effects: Iterable[Effect]) -> str:
    return ", ".join(f"{e.factor}{e.sign} p = {e.p:.2g}" for e in effects)


def agreeing_signs(of: Sensitivity) -> Estimate:
    """Find the share of the strongest printed cells whose sign is ours."""
    of.require(*FACTORS)
    cells = strong_cells(of)
    hits = [same_sign(effect, cell) for _, effect, cell in cells]
    ours, low, high = compute_share_interval(sum(hits), len(hits))
    wrong = [
        f"{row} {effect.factor}{' (**)' if effect.stars == '**' else ''}"
        for (row, effect, _), hit in zip(cells, hits, strict=True)
        if not hit
    ]
    starred = sum(bool(effect.stars) for _, effect, _ in cells)
    note = f"{sum(hits)} of {len(hits)}, {starred} of them significant here"
    return Estimate(
        ours=ours, ci=(low, high), note=f"{note}; other sign: {', '.join(wrong) or 'none'}"
    )


def strong_cells(of: Sensitivity) -> Sequence[tuple[str, Effect, str]]:
    """Return row, our effect and the printed cell of every cell ** of the rows that are judged."""
    return [
        (row, of.by_period.one(factor, response, CONGESTED), cell)
        for row, response in LIKELY.items()
        for factor, cell in STARS[row].items()
        if cell.endswith("**")
    ]


def same_sign(effect: Effect, cell: str) -> bool:
    """Return whether the signs of an effect and a printed cell agree."""
    return (effect.effect > 0) == cell.startswith("+")


def groups(of: Sensitivity) -> Estimate:
    """Count the groups of responses that go together."""
    groups = of.groups
    rng = np.random.default_rng(SEED)
    counts = []
    for _ in range(RESAMPLES):
        rows = groups.values[rng.integers(0, len(groups.values), len(groups.values))]
        drawn = dict(zip(groups.responses, rows.T, strict=True))
        counts.append(len(analysis.compute_correlations(drawn, groups.responses).dimensions))
    low, high = np.percentile(counts, (2.5, 97.5))
    said = "; ".join(", ".join(group) for group in groups.dimensions)
    return Estimate(ours=len(groups.dimensions), ci=(float(low), float(high)), note=said)
