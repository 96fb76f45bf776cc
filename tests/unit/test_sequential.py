"""Looks at a growing sample: published bounds, the error of all looks, and what is refused."""

import numpy as np
import pytest
from scipy import stats

from headgate.base.errors import HeadgateError
from headgate.stats.sequential import Looks, Spending, plan_looks

#: Two-sided 0.05, five looks at equal steps, as the package ldbounds of R prints them.
PUBLISHED: dict[Spending, tuple[float, ...]] = {
    "obrien-fleming": (4.8769, 3.3569, 2.6803, 2.2898, 2.0310),
    "pocock": (2.4380, 2.4268, 2.4101, 2.3966, 2.3859),
}


@pytest.mark.parametrize("spending", list(PUBLISHED))
def test_bounds_are_the_published_ones(spending: Spending) -> None:
    looks = Looks((10, 20, 30, 40, 50), spending=spending)
    assert looks.bounds == pytest.approx(PUBLISHED[spending], abs=2e-4)  # theirs use a coarser grid


def test_one_look_is_the_plain_test() -> None:
    looks = Looks((12,))
    values = np.random.default_rng(1).normal(size=12)
    plain = stats.t.interval(0.95, 11, values.mean(), stats.sem(values))
    assert looks.bounds == pytest.approx((stats.norm.isf(0.025),))
    assert looks.compute_interval(values) == pytest.approx(plain)


def test_what_is_spent_adds_up_under_random_looks() -> None:
    random = np.random.default_rng(2)
    for _ in range(20):
        sizes = tuple(np.unique(random.integers(2, 60, 6)).tolist())
        looks = Looks(sizes, alpha=float(random.uniform(0.01, 0.3)))
        assert all(0 < level < 1 for level in looks.levels)
        assert looks.levels[-1] <= looks.alpha + 1e-9  # no more than all of them together


@pytest.mark.parametrize("spending", list(PUBLISHED))
def test_all_looks_together_err_as_often_as_they_may(spending: Spending) -> None:
    looks = plan_looks(40, 4, 10, spending=spending)
    trials = 20_000
    values = np.random.default_rng(3).normal(size=(trials, 40))
    crossed = np.zeros(trials, dtype=bool)
    for size, level in zip(looks.sizes, looks.levels, strict=True):
        seen = values[:, :size]
        t = seen.mean(axis=1) / (seen.std(axis=1, ddof=1) / np.sqrt(size))
        crossed |= np.abs(t) > stats.t.isf(level / 2, size - 1)
    assert crossed.mean() == pytest.approx(0.05, abs=0.006)  # 4 deviations of the share


@pytest.mark.parametrize("values", [[0.0, 0.0, 0.0], [2.0, 2.0, 2.0], [0.3, 0.1 + 0.2, 0.3]])
def test_values_that_are_all_alike_say_nothing_of_the_spread(values: list[float]) -> None:
    assert Looks((3, 6)).compute_interval(values) == (-np.inf, np.inf)


@pytest.mark.parametrize(
    ("most", "looks", "sizes"), [(12, 4, (2, 5, 9, 12)), (3, 9, (2, 3)), (2, 5, (2,))]
)
def test_looks_are_planned_in_steps(most: int, looks: int, sizes: tuple[int, ...]) -> None:
    assert plan_looks(most, looks).sizes == sizes


def test_an_invalid_plan_is_refused() -> None:
    with pytest.raises(HeadgateError, match=r"looks at 5, 5: the first needs at least two values"):
        Looks((5, 5))
    with pytest.raises(HeadgateError, match=r"looks at 1, 4"):
        Looks((1, 4))
    with pytest.raises(HeadgateError, match=r"alpha = 2: the error must be between 0 and 1"):
        Looks((5, 9), alpha=2)
    with pytest.raises(
        HeadgateError, match=r"a look at 4 values is not planned; looks are at \(3, 6\)"
    ):
        Looks((3, 6)).compute_interval([1, 2, 3, 4])
