"""How many CCAs something is true of: by hand, and by how often an interval holds the truth."""

import numpy as np
import pytest
from scipy import stats

from headgate.claims.verdicts import Sample
from headgate.stats.intervals import compute_difference_interval
from headgate_studies.nist.estimates import (
    estimate_share,
    find_differences,
    find_means,
    find_nearer_to_zero,
    rank_first,
)

APART = np.array([[1.0, -1.0, 0.0], [1.1, -1.1, 0.3], [0.9, -0.9, -0.3], [1.0, -1.0, 0.0]])
"""Four conditions of three algorithms: surely above zero, surely below it, and neither."""


def test_a_share_goes_from_algorithms_shown_to_algorithms_not_refuted() -> None:
    found = estimate_share(find_means(APART), 4, "")
    assert found.ours == pytest.approx(1 / 3)  # a mean of zero is not above it
    assert found.ci == (pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert found.sample == Sample(count=4, unit="conditions")


def test_each_algorithm_has_an_interval_by_bonferroni() -> None:
    (mean, low, high), *_ = find_means(APART)
    half = stats.t.ppf(1 - 0.05 / 3 / 2, 3) * APART[:, 0].std(ddof=1) / 2
    assert (mean, low, high) == pytest.approx((1.0, 1.0 - half, 1.0 + half))


def test_one_condition_decides_nothing() -> None:
    one = estimate_share(find_means(APART[:1]), 1, "")
    assert (one.ci, one.decided) == (None, False)
    lone = APART.copy()
    lone[1:, 0] = np.nan  # an algorithm that is known under one condition only
    assert estimate_share(find_means(lone), 4, "").ci == (0.0, pytest.approx(2 / 3))
    assert estimate_share(find_differences(lone, APART), 4, "").ci == (0.0, 1.0)
    assert rank_first(lone, 1)[0] is None
    assert rank_first(np.full((4, 3), np.nan), 1) == [None] * 3


def test_welchs_interval_is_scipys() -> None:
    one, other = np.array([1.0, 2.0, 4.0, np.nan]), np.array([0.5, 0.7])
    apart, low, high = compute_difference_interval(other, one)
    expected = stats.ttest_ind(one[:3], other, equal_var=False).confidence_interval(0.95)
    assert apart == pytest.approx(7 / 3 - 0.6)
    assert (low, high) == pytest.approx((expected.low, expected.high), rel=1e-5)


def test_ranks_are_known_where_algorithms_are_apart() -> None:
    rng = np.random.default_rng(1)
    ranks = np.array([1.0, 2.0, 3.0, 3.1]) + 0.05 * rng.standard_normal((32, 4))
    assert rank_first(ranks, 2) == [True, True, False, False]
    assert rank_first(ranks, 3)[:2] == [True, True]
    even = rng.standard_normal((8, 4))
    assert rank_first(even, 2) == [None] * 4


def test_what_is_nearer_to_zero_needs_both_signs() -> None:
    near, far = np.full((3, 2), 0.1), np.array([[1.0, -1.0], [1.1, -1.1], [0.9, -0.9]])
    assert find_nearer_to_zero(near, far) == [True, True]
    assert find_nearer_to_zero(far, near) == [False, False]
    assert find_nearer_to_zero(far, -far) == [None, None]


def test_intervals_of_all_algorithms_hold_together() -> None:
    """Of seven algorithms that gain nothing, a share of 0 or 1 is hardly ever shown."""
    rng = np.random.default_rng(2)
    draws = [estimate_share(find_means(rng.standard_normal((8, 7))), 8, "") for _ in range(300)]
    wrong = sum(one.ci is None or one.ci[0] > 0 or one.ci[1] < 1 for one in draws)
    assert wrong <= 0.05 * 300 + 3 * np.sqrt(300 * 0.05 * 0.95)
