"""Both ways are stated if each is shown, however many conditions there are."""

from __future__ import annotations

import numpy as np
import pytest

from headgate.stats.intervals import compute_difference_p, compute_mean_p
from headgate.stats.reversals import (
    find_shown_signs,
    is_reversed_by_a_factor,
)


def test_p_of_a_mean_by_hand() -> None:
    """Values 1, 2, 3: t = 2 / (1 / sqrt 3) = 3.4641 with two degrees of freedom, p = 0.07418."""
    assert compute_mean_p([1.0, 2.0, 3.0, np.nan]) == pytest.approx(0.0741799, rel=1e-5)
    assert np.isnan(compute_mean_p([1.0]))
    assert compute_mean_p([2.0, 2.0]) == 0.0
    assert compute_mean_p([0.0, 0.0]) == 1.0


def test_p_of_a_difference_is_that_of_welch() -> None:
    from scipy import stats

    old, new = [1.0, 2.0, 4.0], [3.0, 5.0, 9.0, 4.0]
    assert compute_difference_p(old, new) == pytest.approx(
        stats.ttest_ind(new, old, equal_var=False).pvalue
    )


def test_signs_are_corrected_for_the_number_of_conditions() -> None:
    """One-sided p of 0.02 and 0.01 are shown of two conditions, and 0.02 is not one of ten."""
    assert find_shown_signs([0.02, 0.04], [True, True]) == [1, 1]
    alone = [0.04, *([0.9] * 9)]
    assert find_shown_signs(alone, [True] * 10) == [0] * 10
    assert find_shown_signs([0.001, *([0.9] * 8), 0.001], [True] * 9 + [False]) == [
        1,
        *([0] * 8),
        -1,
    ]
    assert find_shown_signs([np.nan, 0.001], [True, False]) == [0, -1]


def test_conditions_without_an_effect_seldom_turn() -> None:
    """Twenty conditions of three replicates: uncorrected, every fourth table would turn."""
    rng = np.random.default_rng(11)
    turned = uncorrected = 0
    for _ in range(400):
        changes = rng.normal(size=(20, 3))
        p, rises = [compute_mean_p(of) for of in changes], [of.mean() > 0 for of in changes]
        turned += {1, -1} <= set(find_shown_signs(p, rises))
        signs = {1 if up else -1 for own, up in zip(p, rises, strict=True) if own < 0.05}
        uncorrected += len(signs) == 2
    assert turned / 400 <= 0.05
    assert uncorrected / 400 > 0.1


def test_single_runs_turn_if_a_factor_separates_them() -> None:
    levels = [{"queue": queue, "rtt": rtt} for queue in "ab" for rtt in "1234"]
    separated = [0.5, 0.6, 0.4, 0.55, -0.5, -0.4, -0.6, -0.55]
    assert is_reversed_by_a_factor(separated, levels)
    assert not is_reversed_by_a_factor([0.5, -0.6, 0.1, -0.5, -0.5, 0.6, 0.2, -0.1], levels)
    assert not is_reversed_by_a_factor([0.5, -0.5], [{"queue": "a"}, {"queue": "b"}])
