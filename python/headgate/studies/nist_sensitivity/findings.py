"""Findings of the sensitivity analysis; each claim has its maker."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from headgate.analysis.correlations import correlations
from headgate.analysis.influence import AVERAGE
from headgate.claims import Estimate
from headgate.experiment.estimates import format_values, make_estimates
from headgate.stats.effects import Effect
from headgate.stats.intervals import share_interval
from headgate.studies.nist_sensitivity.published import (
    FACTORS,
    LARGEST,
    LIKELY,
    NO_INFLUENCE,
    PSI,
    STARS,
    TRANSMITTING,
)
from headgate.studies.nist_sensitivity.summary import CONGESTED, SEED, Sensitivity

Rows = Mapping[str, NDArray[np.float64]]
#: Draws of all runs for the interval of the number of groups.
RESAMPLES = 200


def findings(of: Sensitivity) -> dict[str, Estimate]:
    """Return the finding of every claim."""
    makers: dict[str, Callable[[Sensitivity], Estimate]] = {
        "psi-order": _order,
        "psi-first": _first,
        "psi-seven": _seven,
        **{f"{name.lower()}-none": partial(_psi, AVERAGE, name) for name in NO_INFLUENCE},
        "x9-not-in-first": partial(_psi, "period 1", "X9"),
        "x9-in-second": partial(_psi, "period 2", "X9"),
        "x9-in-third": partial(_psi, "period 3", "X9"),
        "transmitting-six": _transmitting_six,
        "transmitting-no-other": _transmitting_no_other,
        "signs-agree": _signs_agree,
        "x15-near-bottom": partial(_psi, AVERAGE, "X15"),
        "seven-groups": _seven_groups,
    }
    return make_estimates(makers, of)


def _psi(row: str, factor: str, of: Sensitivity) -> Estimate:
    """Tell Psi of one factor, and which responses it moves in the second period."""
    of.require(factor)
    place = list(of.factors).index(factor)
    ours = float(of.psi[row][place])
    ci = of.resample(lambda rows: float(rows[row][place]))
    group = CONGESTED if row == AVERAGE else (row.removeprefix("period "),)
    moved = [r for r in of.by_period.responses if of.by_period.one(factor, r, group).stars]
    said = f"moves in period {group[0]}: {', '.join(moved)}" if moved else ""
    return Estimate(ours=ours, ci=ci, note=said)


def _order(of: Sensitivity) -> Estimate:
    of.require(*FACTORS)
    published = [PSI[AVERAGE][name] for name in FACTORS]

    def measure(rows: Rows) -> float:
        return float(stats.spearmanr(rows[AVERAGE], published).statistic)

    ranked = of.influence.ranked
    return Estimate(
        ours=measure(of.psi),
        ci=of.resample(measure),
        note=format_values({name: 100 * of.average[name] for name in ranked}, 2),
    )


def _first(of: Sensitivity) -> Estimate:
    of.require(*FACTORS)

    def measure(rows: Rows) -> float:
        return float(rows[AVERAGE][0] - rows[AVERAGE][1:].max())

    return Estimate(ours=measure(of.psi), ci=of.resample(measure))


def _seven(of: Sensitivity) -> Estimate:
    of.require(*FACTORS)
    names = list(of.factors)

    def measure(rows: Rows) -> float:
        first = np.argsort(-rows[AVERAGE], kind="stable")[: len(LARGEST)]
        return float(len({names[place] for place in first} & {*LARGEST}))

    first = of.influence.ranked[: len(LARGEST)]
    return Estimate(
        ours=measure(of.psi), ci=of.resample(measure), note=f"first are {', '.join(first)}"
    )


def _transmitting_six(of: Sensitivity) -> Estimate:
    of.require(*FACTORS)
    effects = {name: of.by_period.one(name, "y1", CONGESTED) for name in TRANSMITTING}
    moving = {n for n, e in effects.items() if e.stars and same_sign(e, STARS["Y2"][n])}
    return Estimate(ours=len(moving), note=_p_values(effects.values()))


def _transmitting_no_other(of: Sensitivity) -> Estimate:
    of.require(*FACTORS)
    others = [name for name in FACTORS if name not in TRANSMITTING]
    effects = [of.by_period.one(name, "y1", CONGESTED) for name in others]
    moving = [effect for effect in effects if effect.stars == "**"]
    return Estimate(ours=len(moving), note=_p_values(e for e in effects if e.stars))


def _p_values(effects: Iterable[Effect]) -> str:
    return ", ".join(f"{e.factor}{e.sign} p = {e.p:.2g}" for e in effects)


def _signs_agree(of: Sensitivity) -> Estimate:
    of.require(*FACTORS)
    cells = strong_cells(of)
    hits = [same_sign(effect, cell) for _, effect, cell in cells]
    ours, low, high = share_interval(sum(hits), len(hits))
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
    """Say whether an effect has the sign of a printed cell."""
    return (effect.effect > 0) == cell.startswith("+")


def _seven_groups(of: Sensitivity) -> Estimate:
    groups = of.groups
    rng = np.random.default_rng(SEED)
    counts = []
    for _ in range(RESAMPLES):
        rows = groups.values[rng.integers(0, len(groups.values), len(groups.values))]
        drawn = dict(zip(groups.responses, rows.T, strict=True))
        counts.append(len(correlations(drawn, groups.responses).dimensions))
    low, high = np.percentile(counts, (2.5, 97.5))
    said = "; ".join(", ".join(group) for group in groups.dimensions)
    return Estimate(ours=len(groups.dimensions), ci=(float(low), float(high)), note=said)
