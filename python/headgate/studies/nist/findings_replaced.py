"""Findings of experiments 1a and 1b: which laws are alike, which apart, and in what.

All is of the second period. Light and heavy are the quarters of the conditions with the lowest and
highest retransmission rate under Reno. A ratio is the geometric mean over conditions, with
Student's interval of the logarithms.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from scipy import stats

from headgate.analysis.conditions import FILTERS
from headgate.experiment.estimates import format_values, mean_of, mean_ratio
from headgate.experiment.runs import NotRunError
from headgate.studies.nist.cuts import cuts_as_published
from headgate.studies.nist.distances import distance_ratio
from headgate.studies.nist.roles import BEFORE
from headgate.studies.nist.summary import CONDITIONS, Experiment
from headgate.verdicts import Estimate, Sample

#: Laws within this part of a mean are alike: the source's filter.
ALIKE = FILTERS[0]


def uncongested_identical(of: Experiment) -> Estimate:
    """Return the share of responses in which no law is an outlier, of light congestion.

    A condition is the unit: its responses depend on each other.
    """
    shares = {name: _share_without_outlier(of, name) for name in of.light}
    return mean_of(list(shares.values()), format_values(shares), CONDITIONS)


def _share_without_outlier(of: Experiment, condition: str) -> float:
    return float(np.mean([test is None for _, test in of.outliers([condition])]))


def lightly_congested_similar(of: Experiment) -> Estimate:
    """Return the share of what lies near the laws' mean in the second quarter."""
    alike = np.array([_share_alike(of, name) for name in of.lightly])
    return mean_of(alike.mean(axis=1).tolist(), unit=CONDITIONS)


def most_change_little(of: Experiment) -> Estimate:
    """Return the share of responses in which the median law is near the others' mean."""
    alike = np.array([_share_alike(of, name) for name in of.order])
    by_law = dict(zip(of.loss_laws, alike.mean(axis=0).tolist(), strict=True))
    note = ", ".join(f"{law} {share:.2f}" for law, share in by_law.items())
    return mean_of(np.median(alike, axis=1).tolist(), note, CONDITIONS)


def _share_alike(of: Experiment, condition: str) -> list[float]:
    """Return, for each law but FAST and FAST-AT, the share of responses near these laws' mean."""
    cells = of.congested.cells
    rows = [cells.laws.index(law) for law in of.loss_laws]
    values = cells.values[cells.conditions.index(condition)][rows]
    mean = values.mean(axis=0)
    near = np.abs(values - mean) <= ALIKE * np.abs(mean)
    known = np.isfinite(values).all(axis=0)
    return [float(share) for share in near[:, known].mean(axis=1)]


def fast_distinct(of: Experiment) -> Estimate:
    """Divide FAST's distance from the other laws by the last link among these, FAST-AT left out."""
    return mean_ratio([_distance_ratio(of, name) for name in of.heavy], CONDITIONS)


def _distance_ratio(of: Experiment, condition: str) -> float:
    cells = of.congested.cells
    rows = [cells.laws.index(law) for law in ("fast", *of.loss_laws)]
    values = cells.values[cells.conditions.index(condition)][rows]
    return distance_ratio(values, 0)


def fast_grows_with_congestion(of: Experiment) -> Estimate:
    """Correlate FAST's residual in retransmission rate with congestion, by ranks."""
    congestion = [of.congestion[name] for name in of.order]
    residual = [of.mean("y10", "fast", name) - of.others("y10", name) for name in of.order]
    found = stats.spearmanr(congestion, residual)
    low, high = _fisher(float(found.statistic), len(congestion))
    sample = Sample(count=len(congestion), unit=CONDITIONS)
    note = f"p = {found.pvalue:.2g}; FAST over Reno {_fast_over_reno_by_quarter(of)}"
    return Estimate(ours=float(found.statistic), ci=(low, high), sample=sample, note=note)


def _fast_over_reno_by_quarter(of: Experiment) -> str:
    """Say how many times as much FAST resends as Reno, from the least congested quarter on."""
    quarters = np.array_split(np.array(of.order), min(4, len(of.order)))

    def total(law: str, names: Iterable[str]) -> float:
        return sum(of.mean("y10", law, name) for name in names)

    ratios = [
        total("fast", names) / tcp if (tcp := total(BEFORE, names)) else math.inf
        for names in quarters
    ]
    return f"{', '.join(f'{ratio:.2g}' for ratio in ratios)} from the least congested quarter on"


def _fisher(r: float, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a rank correlation (Fieller, Hartley, Pearson 1957)."""
    half = 1.96 * np.sqrt(1.06 / max(count - 3, 1))
    z = np.arctanh(np.clip(r, -0.999999, 0.999999))
    return float(np.tanh(z - half)), float(np.tanh(z + half))


def windows_fall(of: Experiment, *, law: str = "fast") -> Estimate:
    """Divide how much windows fall in all under a law by the others' mean."""
    return mean_ratio(
        _ratios_to_others(of, law, ("falls", "fall")), CONDITIONS, _count_outliers(of, "falls", law)
    )


def over_others(of: Experiment, *, response: str, law: str = "fast") -> Estimate:
    """Divide a law's response by the others' mean."""
    note = _count_outliers(of, response, law)
    return mean_ratio(_ratios_to_others(of, law, (response,)), CONDITIONS, note)


def _ratios_to_others(of: Experiment, law: str, responses: Iterable[str]) -> list[float]:
    """Return a law's product of responses over the others', a number a heavy condition."""
    if law not in of.laws:
        raise NotRunError(f"{law} is not one of the laws that are compared")
    own = [[of.mean(name, law, condition) for name in responses] for condition in of.heavy]
    others = [[of.others(name, condition) for name in responses] for condition in of.heavy]
    return [float(ratio) for ratio in np.prod(own, axis=1) / np.prod(others, axis=1)]


def _count_outliers(of: Experiment, response: str, law: str) -> str:
    """Say in how many heavy conditions Grubbs' test names the law."""
    cells = [test for name, test in of.outliers(of.heavy) if name == response]
    count = sum(test is not None and test.law == law for test in cells)
    return f"the outlier by Grubbs in {count} of {len(cells)}"


def cuts(of: Experiment) -> Estimate:
    """Count the laws that cut their windows at a loss as published."""
    return cuts_as_published(of.laws)
