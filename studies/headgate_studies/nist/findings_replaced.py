"""Findings of experiments 1a and 1b: which algorithms are alike, which apart, and in what.

All is of the second period. Light and heavy are the quarters of the conditions with the lowest and
highest retransmission rate under Reno. A ratio is the geometric mean over conditions, with
Student's interval of the logarithms. An algorithm is compared with a median over algorithms,
because a mean would follow one of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from headgate.claims import Estimate, estimate_mean, estimate_mean_ratio, format_values
from headgate.lab import NotRunError
from headgate.stats import compute_critical_value
from headgate_studies.nist.cuts import cuts_as_published
from headgate_studies.nist.estimates import distance_ratio, rank_correlation
from headgate_studies.nist.responses import BEFORE
from headgate_studies.nist.summary import ALIKE, CONDITIONS, Experiment


def uncongested_identical(of: Experiment) -> Estimate:
    """Return the share of responses in which no algorithm is an outlier, of light congestion.

    A condition is the unit: its responses depend on each other.
    """
    shares = {name: _share_without_outlier(of, name) for name in of.light}
    return estimate_mean(list(shares.values()), format_values(shares), CONDITIONS)


def _share_without_outlier(of: Experiment, condition: str) -> float:
    return float(np.mean([test is None for _, test in of.outliers([condition])]))


def lightly_congested_similar(of: Experiment) -> Estimate:
    """Return the share of what lies near the CCAs' median in the second quarter, of all CCAs."""
    alike = np.array([_share_alike(of, name) for name in of.lightly])
    return estimate_mean(alike.mean(axis=1).tolist(), _by_cca(of, alike), CONDITIONS)


def most_change_little(of: Experiment) -> Estimate:
    """Return the share of responses in which the median of all algorithms is near their median."""
    alike = np.array([_share_alike(of, name) for name in of.order])
    return estimate_mean(np.median(alike, axis=1).tolist(), _by_cca(of, alike), CONDITIONS)


def _by_cca(of: Experiment, alike: NDArray[np.float64]) -> str:
    """Say which share of an algorithm's responses is alike, the mean over conditions."""
    shares = dict(zip(of.ccas, alike.mean(axis=0).tolist(), strict=True))
    return ", ".join(f"{cca} {share:.2f}" for cca, share in shares.items())


def _share_alike(of: Experiment, condition: str) -> list[float]:
    cells = of.congested.cells
    values = cells.values[cells.conditions.index(condition)]
    known = np.isfinite(values).all(axis=0)
    middle = np.median(values[:, known], axis=0)
    near = np.abs(values[:, known] - middle) <= ALIKE * np.abs(middle)
    return [float(share) for share in near.mean(axis=1)]


def fast_distinct(of: Experiment) -> Estimate:
    """Divide FAST's distance from the other CCAs by the last link among these, FAST-AT left out."""
    return estimate_mean_ratio([_distance_ratio(of, name) for name in of.heavy], CONDITIONS)


def _distance_ratio(of: Experiment, condition: str) -> float:
    cells = of.congested.cells
    rows = [cells.ccas.index(cca) for cca in ("fast", *of.loss_ccas)]
    values = cells.values[cells.conditions.index(condition)][rows]
    return distance_ratio(values, 0)


def grubbs_outlier(of: Experiment, *, response: str, cca: str = "fast") -> Estimate:
    """Divide how far an algorithm lies above the algorithms' mean by how far an outlier has to.

    Both are in standard deviations over the algorithms; from 1 on Grubbs' test finds an outlier.
    """
    found = [_grubbs([of.mean(response, one, name) for one in of.ccas]) for name in of.heavy]
    place = of.ccas.index(cca)
    note = _count_outliers(of, (response,), cca, of.heavy)
    return estimate_mean([one[place] for one in found], note, CONDITIONS)


def _grubbs(values: Sequence[float]) -> list[float]:
    """Return each algorithm's distance from the mean of all, over that of an outlier at 5 %."""
    sample = np.asarray(values, dtype=float)
    far = compute_critical_value(len(sample)) * sample.std(ddof=1)
    return [float(apart / far) if far > 0 else 0.0 for apart in sample - sample.mean()]


def fast_grows_with_congestion(of: Experiment) -> Estimate:
    """Correlate FAST's residual in retransmission rate with congestion, by ranks."""
    congestion = [of.congestion[name] for name in of.order]
    residual = [of.mean("y10", "fast", name) - of.others("y10", name) for name in of.order]
    found = rank_correlation(congestion, residual, CONDITIONS)
    note = f"{found.note}; FAST over Reno {_fast_over_reno_by_quarter(of)}"
    return found.model_copy(update={"note": note})


def _fast_over_reno_by_quarter(of: Experiment) -> str:
    """Say how many times as much FAST resends as Reno, from the least congested quarter on."""
    quarters = np.array_split(np.array(of.order), min(4, len(of.order)))

    def total(cca: str, names: Iterable[str]) -> float:
        return sum(of.mean("y10", cca, name) for name in names)

    ratios = [
        total("fast", names) / tcp if (tcp := total(BEFORE, names)) else math.inf
        for names in quarters
    ]
    return f"{', '.join(f'{ratio:.2g}' for ratio in ratios)} from the least congested quarter on"


def windows_fall(of: Experiment, *, cca: str = "fast") -> Estimate:
    """Divide the packets by which windows fall in all under an algorithm by the others' median."""
    return _over_typical(of, cca, "falls", "fall")


def over_others(of: Experiment, *, response: str, cca: str = "fast") -> Estimate:
    """Divide an algorithm's response by the others' median, for insufficient buffers."""
    return _over_typical(of, cca, response)


def _over_typical(of: Experiment, cca: str, *responses: str) -> Estimate:
    """Divide an algorithm's product of responses by the others' median, a number a condition."""
    if cca not in of.ccas:
        raise NotRunError(f"{cca} is not one of the algorithms that are compared")
    names = of.short_of_buffers
    ratios = [of.product(c, cca, *responses) / of.typical(c, *responses) for c in names]
    return estimate_mean_ratio(ratios, CONDITIONS, _count_outliers(of, responses, cca, names))


def _count_outliers(
    of: Experiment, responses: Sequence[str], cca: str, conditions: Sequence[str]
) -> str:
    """Say in how many conditions Grubbs' test names the algorithm, of a product of responses."""
    place = of.ccas.index(cca)
    count = 0
    for condition in conditions:
        values = np.array([of.product(condition, one, *responses) for one in of.ccas])
        far = abs(values[place] - values.mean()) >= ALIKE * abs(values.mean())
        count += bool(far and abs(_grubbs(values.tolist())[place]) > 1)
    return f"the outlier by Grubbs in {count} of {len(conditions)}"


def cuts(of: Experiment, *, named: Sequence[str]) -> Estimate:  # noqa: ARG001
    """Count the algorithms that cut their windows at a loss as published, of those that are named.

    Losses are given to the algorithms themselves, whether the experiment runs them or not.
    """
    return cuts_as_published(named)
