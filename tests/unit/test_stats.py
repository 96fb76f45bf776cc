"""Effects, intervals and outliers, each against numbers worked by hand or by another library."""

import numpy as np
import pytest
from scipy import stats

from headgate.stats.changes import Change, compute_change
from headgate.stats.effects import compute_main_effect, compute_psi
from headgate.stats.intervals import (
    compute_difference_interval,
    compute_grouped_interval,
    compute_mean_interval,
    compute_share_interval,
)
from headgate.stats.outliers import compute_distance_p, compute_residuals, find_outlier

CCAS = ("a", "b", "c", "d")


def test_main_effect_is_the_difference_of_means() -> None:
    effect = compute_main_effect("X1", [-1, 1, -1, 1], [10.0, 14.0, 12.0, 16.0])
    assert (effect.mean_low, effect.mean_high, effect.effect) == (11, 15, 4)
    assert effect.relative_percent == pytest.approx(100 * 4 / 13)
    assert effect.f_ratio == pytest.approx(8)  # between 16 on 1, within 4 on 2
    assert effect.p == pytest.approx(stats.f.sf(8, 1, 2))
    assert effect.stars == ""


def test_effects_agree_with_least_squares() -> None:
    import statsmodels.api as sm

    rng = np.random.default_rng(1)
    coded = np.tile([-1.0, 1.0], 16)
    response = 3 + 0.4 * coded + rng.normal(size=32)
    fitted = sm.OLS(response, sm.add_constant(coded)).fit()
    effect = compute_main_effect("X1", coded, response)
    assert effect.effect == pytest.approx(2 * fitted.params[1])
    assert effect.f_ratio == pytest.approx(fitted.fvalue)
    assert effect.p == pytest.approx(fitted.f_pvalue)


def test_response_that_never_moves_has_no_effect() -> None:
    assert compute_main_effect("X1", [-1, 1, -1, 1], [0.0, 0.0, 0.0, 0.0]).p == 1


@pytest.mark.parametrize("scale", [1.0, 1e9, -1e-9])
def test_what_rounding_moves_has_no_effect(scale: float) -> None:
    found = compute_main_effect(
        "X1", [-1, -1, 1, 1], scale * np.array([0.3, 0.3, 0.1 + 0.2, 0.1 + 0.2])
    )
    assert (found.f_ratio, found.p, found.eta_squared, found.stars) == (0.0, 1.0, 0.0, "")


def test_noise_of_rounding_is_none() -> None:
    found = compute_main_effect("X1", [-1, -1, 1, 1], [0.3, 0.1 + 0.2, 0.7, 0.7])
    assert (found.f_ratio, found.p, found.eta_squared) == (np.inf, 0.0, 1.0)


def test_response_without_noise_is_significant() -> None:
    assert compute_main_effect("X1", [-1, 1, -1, 1], [1.0, 2.0, 1.0, 2.0]).stars == "**"


def test_psi_counts_weak_effects_half() -> None:
    strong = compute_main_effect("X1", [-1, 1, -1, 1], [1.0, 2.0, 1.0, 2.0])
    none = compute_main_effect("X1", [-1, 1, -1, 1], [1.0, 1.0, 2.0, 2.0])
    assert compute_psi([strong, none]) == 0.5


def test_mean_interval_is_students() -> None:
    mean, low, high = compute_mean_interval([1.0, 2.0, 3.0])
    assert mean == 2
    assert high - mean == pytest.approx(4.302653 * 1 / np.sqrt(3), rel=1e-6)  # t(0.975, 2)
    assert mean - low == pytest.approx(high - mean)


def test_grouped_interval_leaves_out_what_groups_differ_by() -> None:
    mean, low, high = compute_grouped_interval([[1.0, 3.0], [11.0, 13.0]])
    assert mean == 7
    # pooled variance (2 + 2)/2, standard error sqrt(2 (1/2 + 1/2))/2, t(0.975, 2)
    assert high - mean == pytest.approx(4.302653 * np.sqrt(2) / 2, rel=1e-6)
    assert mean - low == pytest.approx(high - mean)
    alone, shifted = (
        compute_mean_interval([1.0, 2.0, 4.0]),
        compute_grouped_interval([[1.0, 2.0, 4.0]]),
    )
    assert shifted == pytest.approx(alone)
    assert compute_grouped_interval([[1.0], [3.0]]) == (2, 2, 2)


def test_share_interval_is_wilsons() -> None:
    share, low, high = compute_share_interval(8, 10)
    assert share == 0.8
    assert (low, high) == (pytest.approx(0.4901624, abs=1e-6), pytest.approx(0.9433178, abs=1e-6))


def test_outlier_is_found_and_named() -> None:
    rng = np.random.default_rng(2)
    table = 10 + 0.05 * rng.normal(size=(4, 3))
    table[2] += 3
    found = find_outlier(CCAS, table)
    assert found is not None
    assert (found.cca, found.high, found.passes_filter) == ("c", True, True)
    assert found.apart_share == pytest.approx(0.3, abs=0.02)


def test_common_random_numbers_are_taken_out() -> None:
    """A swing that all algorithms share by replicate hides nothing."""
    table = np.array([[1.0, 5.0, 9.0]] * 4) + 1e-3 * np.arange(12).reshape(4, 3) % 7e-3
    table[0] += 0.5
    found = find_outlier(CCAS, table)
    assert found is not None
    assert found.cca == "a"


def test_false_alarms_stay_at_the_stated_level() -> None:
    rng = np.random.default_rng(3)
    alarms = sum(find_outlier(CCAS, rng.normal(size=(4, 3))) is not None for _ in range(1000))
    assert alarms <= 50 + 3 * np.sqrt(1000 * 0.05 * 0.95)


def test_identical_algorithms_have_no_outlier() -> None:
    assert find_outlier(CCAS, np.ones((4, 3))) is None
    assert find_outlier(CCAS, np.zeros((4, 3))) is None


def test_missing_values_have_no_outlier() -> None:
    assert find_outlier(CCAS, np.full((4, 3), np.nan)) is None


def test_conditions_are_ordered_by_the_range_of_their_residuals() -> None:
    cube = np.zeros((3, 4, 2))
    cube[0, 0], cube[2, 0] = 5, 1
    found = compute_residuals(CCAS, cube)
    assert found.order.tolist() == [1, 2, 0]
    assert found.values.sum(axis=1) == pytest.approx([0, 0, 0])


def test_change_is_the_mean_difference_over_the_mean_before() -> None:
    found = compute_change([10.0, 12.0, 14.0], [13.0, 15.1, 16.9])
    assert found.share == pytest.approx(3 / 12)
    assert found.significant
    assert found.matters
    assert str(found) == "+25 %"
    assert str(compute_change([4.0, 4.0], [3.0, 3.0])) == "\N{MINUS SIGN}25 %"


def test_change_is_judged_by_pairs() -> None:
    """Student's t on differences: 1 +- 4.303 * 0.5 / sqrt(3) holds zero, with 0.3 it does not."""
    before = np.array([10.0, 20.0, 30.0])
    assert not compute_change(before, before + np.array([0.5, 1.0, 1.5])).significant
    assert compute_change(before, before + np.array([0.7, 1.0, 1.3])).significant


def test_without_pairs_a_change_is_judged_by_welch() -> None:
    before, after = [10.0, 20.0, 30.0], [10.7, 21.0, 31.3, 30.0]
    assert compute_change(before, before + np.array([0.7, 1.0, 1.3])).significant
    assert not compute_change(before, after, paired=False).significant
    expected = stats.ttest_ind(after, before, equal_var=False).confidence_interval()
    assert compute_difference_interval(before, after)[1:] == pytest.approx(expected)
    assert compute_change([1.0, 1.1], [2.0], paired=False).state == "not known"


def test_replicates_of_their_own_are_not_freed_of_a_common_part() -> None:
    """By hand: apart 3, deviation 1 on 9, error sqrt((1 + 1/2)/4)."""
    table = np.array([[0.0, 0.0, 2.0, 2.0]] * 2 + [[3.0, 3.0, 5.0, 5.0]])
    error = np.sqrt(12 / 9) * np.sqrt(1.5 / 4)
    assert compute_distance_p(table, 2, paired=False) == pytest.approx(6 * stats.t.sf(3 / error, 9))
    assert compute_distance_p(table, 2) == 0.0  # of pairs nothing is left to chance
    table[0, 3] = np.nan
    assert compute_distance_p(table, 2) == 0.0
    assert np.isfinite(compute_distance_p(table, 2, paired=False))


def test_a_change_from_zero_is_tested_by_its_differences() -> None:
    found = compute_change([0.0, 0.0, 0.0], [1.0, 1.1, 0.9])
    assert (found.write(), found.state, found.share) == ("from zero", "moves", np.inf)
    assert compute_change([0.0, 0.0, 0.0], [0.0, 0.0, 0.0]).state == "small"
    assert compute_change([0.0, 0.0, 0.0], [0.0, 0.0, 1.0]).state == "not known"
    assert compute_change([1.0, np.nan, 1.0], [2.0, 2.0, 2.0]).state == "not known"


def test_that_a_change_is_small_takes_an_interval_within_10_percent() -> None:
    before = np.array([10.0, 20.0, 30.0])
    assert compute_change(before, before + np.array([0.1, 0.2, 0.3])).state == "small"
    assert (
        compute_change(before, before + np.array([0.0, 20.0, 40.0])).state == "not known"
    )  # +100 %
    assert compute_change([10.0], [10.1]).state == "not known"
    rising = compute_change(before, before + np.array([1.0, 1.8, 2.6]))
    assert (rising.reaches(1), rising.reaches(-1)) == (True, False)


@pytest.mark.parametrize(
    ("share", "written"),
    [(-0.5, "-50 %"), (0.99, "+99 %"), (1, "x2"), (8.96, "x10"), (687, "x690")],
)
def test_a_change_is_written_in_two_digits(share: float, written: str) -> None:
    said = Change(share, significant=True).write()
    assert said.replace("\N{MULTIPLICATION SIGN}", "x").replace("\N{MINUS SIGN}", "-") == written
