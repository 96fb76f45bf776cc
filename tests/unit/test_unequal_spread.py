"""Errors of runs that vary unequally: beside Welch, statsmodels, the definition, and chance."""

from collections.abc import Iterable, Mapping
from itertools import product
from math import inf

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.formula.api import ols

from headgate.figures.analysis.frame import Frame
from headgate.figures.analysis.model import ResponseModel
from headgate.figures.analysis.part import PeriodAnalysis
from headgate.figures.analysis.roles import Roles
from headgate.stats import compare_groups
from headgate.stats.comparisons import _vary_unequally
from headgate.stats.factorial import Factorial
from headgate.stats.unequal_spread import LEAST_P, RunErrors, find_unequal_spread


def fitted(table: Mapping[str, Iterable[object]], *factors: str) -> ResponseModel:
    columns = {name: [str(value) for value in of] for name, of in table.items()}
    roles = Roles(responses=("y",), factors=factors)
    return PeriodAnalysis(Frame.of(columns), roles).main_effects.models[(), "y"]


def two_groups(seed: int, sizes: tuple[int, int], spreads: tuple[float, float]) -> ResponseModel:
    rng = np.random.default_rng(seed)
    y = np.concatenate([rng.normal(0, s, n) for n, s in zip(sizes, spreads, strict=True)])
    return fitted({"A": np.repeat(["a", "b"], sizes), "y": y}, "A")


def grid(seed: int = 1) -> tuple[pd.DataFrame, Factorial]:
    """Three by two levels, six runs each, whose spread grows with the first factor."""
    rng = np.random.default_rng(seed)
    rows = [(a, b) for a, b in product(range(3), range(2)) for _ in range(6)]
    y = [a + b + rng.normal(0, (0.1, 1, 5)[a]) for a, b in rows]
    frame = pd.DataFrame(rows, columns=["A", "B"]).assign(y=y)
    fit = fitted({name: frame[name] for name in frame}, "A", "B").fitted
    assert fit is not None
    return frame, fit


def exact_freedom(basis: np.ndarray, own: np.ndarray) -> float:
    """Degrees of freedom by the definition: q (q + 1) over the sum of all variances."""
    left = np.eye(len(basis)) - basis @ basis.T
    free = np.diag(left)
    products = (own @ own.T) ** 2 * left**2 / np.outer(free, free)
    count = own.shape[1]
    return float(count * (count + 1) / (2 * products.sum()))


def test_two_groups_have_the_error_of_welch() -> None:
    model = two_groups(3, (7, 20), (6.0, 1.0))
    assert model.fitted is not None
    assert model.fitted.spread
    found = model.fitted.estimate_difference({"A": 0}, {"A": 1})
    first, last = (model.values[:7], model.values[7:])
    assert found.error == pytest.approx(np.sqrt(first.var(ddof=1) / 7 + last.var(ddof=1) / 20))
    freedom = (1 / 7 + 1 / 20) ** 2 / (1 / 7**2 / 6 + 1 / 20**2 / 19)
    assert found.freedom == pytest.approx(freedom)
    t = found.value / found.error
    term = model.fitted.terms["A",]
    assert term.f_ratio == pytest.approx(t**2)
    assert term.p == pytest.approx(2 * stats.t.sf(abs(t), freedom))
    assert (found.high - found.low) / 2 == pytest.approx(stats.t.ppf(0.975, freedom) * found.error)


def test_errors_are_those_of_statsmodels_hc2() -> None:
    frame, fit = grid()
    assert fit.spread
    other = ols("y ~ C(A, Sum) * C(B, Sum)", frame).fit().get_robustcov_results("HC2")
    for place, name in enumerate(["C(A, Sum)[S.0]", "C(A, Sum)[S.1]"]):
        at = other.model.exog_names.index(name)
        mean = fit.estimate_level_mean({"A": place})
        contrast = np.eye(len(other.params))[[0, at]].sum(axis=0)
        tested = other.t_test(contrast)
        assert mean.value == pytest.approx(float(tested.effect[0]))
        assert mean.error == pytest.approx(float(tested.sd[0, 0]))


def test_a_term_of_several_columns_is_hotelling_s() -> None:
    frame, fit = grid()
    other = ols("y ~ C(A, Sum) * C(B, Sum)", frame).fit().get_robustcov_results("HC2")
    names = [n for n in other.model.exog_names if n.startswith("C(A") and ":" not in n]
    contrast = np.array([[n == name for n in other.model.exog_names] for name in names], float)
    wald = float(other.f_test(contrast).fvalue) * 2
    design, term = fit.design, fit.terms["A",]
    freedom = exact_freedom(design.basis, design.basis @ design.increments["A",])
    assert term.error_freedom == pytest.approx(freedom - 1)
    assert term.f_ratio == pytest.approx(wald * (freedom - 1) / (2 * freedom))
    assert term.p == pytest.approx(stats.f.sf(term.f_ratio, 2, freedom - 1))


def test_degrees_of_freedom_are_at_most_those_of_the_definition() -> None:
    """Random unbalanced models; those of the error in a balanced one without interactions."""
    rng = np.random.default_rng(4)
    for _ in range(50):
        runs, width = int(rng.integers(20, 60)), int(rng.integers(2, 8))
        basis = np.linalg.qr(rng.normal(size=(runs, width)) * rng.exponential(size=(runs, 1)))[0]
        errors = RunErrors(basis, (basis**2).sum(axis=1), rng.normal(size=runs))
        columns = np.linalg.qr(rng.normal(size=(width, 2)))[0]
        exact = exact_freedom(basis, basis @ columns)
        tested = errors.test(columns, rng.normal(size=2))
        assert tested is None or tested[2] <= exact - 1 + 1e-9
    basis = np.array(list(product((-1, 1), repeat=4)), float) / 4
    errors = RunErrors(basis, (basis**2).sum(axis=1), rng.normal(size=16))
    tested = errors.test(np.eye(4)[:, :1], np.ones(1))
    assert tested is not None
    assert tested[2] == pytest.approx(12)


def test_a_level_of_equal_runs_claims_no_certainty() -> None:
    """Eight runs without a loss beside eight with some: the error is that of all runs."""
    y = np.concatenate([np.zeros(8), np.random.default_rng(3).poisson(9, 8)])
    model = fitted({"A": np.repeat(["calm", "lossy"], 8), "y": y}, "A")
    fit = model.fitted
    assert fit is not None
    assert fit.spread
    assert np.isinf(fit.spread.ratio)
    calm, lossy = (fit.estimate_level_mean({"A": place}) for place in (0, 1))
    assert calm.error == pytest.approx(fit.deviation / np.sqrt(8))
    assert lossy.error == pytest.approx(y[8:].std(ddof=1) / np.sqrt(8))


def test_a_run_alone_in_its_level_leaves_the_error_of_all() -> None:
    basis = np.linalg.qr(np.column_stack([np.ones(9), np.arange(9) == 0]))[0]
    errors = RunErrors(basis, (basis**2).sum(axis=1), np.r_[0.0, np.arange(-3.5, 4.5)])
    assert errors.estimate(basis[0]) is None
    assert errors.test(np.eye(2), np.ones(2)) is None
    assert errors.estimate(basis[1]) is not None


@pytest.mark.parametrize(("sizes", "spreads"), [((5, 40), (5.0, 1.0)), ((12, 40), (5.0, 1.0))])
def test_few_runs_that_vary_more_show_no_false_effect(
    sizes: tuple[int, int], spreads: tuple[float, float]
) -> None:
    """With one error for all runs, 47 and 28 % of such tables show an effect at 5 %."""
    shown = 0
    for seed in range(300):
        fit = two_groups(seed, sizes, spreads).fitted
        assert fit is not None
        shown += fit.terms["A",].p < 0.05
    assert shown <= 0.12 * 300


def test_intervals_hold_if_times_vary_with_their_mean() -> None:
    """Completion times with a deviation of 0.3 of their mean, which grows five-fold."""
    rng, held, means = np.random.default_rng(9), np.zeros(3), np.array([0.3, 0.7, 1.5])
    places = np.repeat(np.arange(3), 12)
    for _ in range(300):
        y = means[places] * np.exp(rng.normal(-0.045, 0.3, 36))
        fit = fitted({"A": places, "y": y}, "A").fitted
        assert fit is not None
        found = [fit.estimate_level_mean({"A": place}) for place in range(3)]
        held += [one.low <= mean <= one.high for one, mean in zip(found, means, strict=True)]
    assert (held >= 0.9 * 300).all()  # with one error for all: 0.79 at the largest


def test_equal_spread_is_doubted_as_often_as_promised() -> None:
    rng, places = np.random.default_rng(8), np.repeat(np.arange(4), 8)
    doubted = 0
    for _ in range(1000):
        y = rng.normal(size=32)
        residuals = y - (np.bincount(places, y) / 8)[places]
        doubted += find_unequal_spread({"A": places}, residuals, np.full(32, 1 / 8)) is not None
    assert 0.02 * 1000 <= doubted <= (LEAST_P + 0.02) * 1000


def test_groups_that_vary_unequally_are_compared_by_their_own_variation() -> None:
    """The pair of calm groups gets the interval of the pair alone, but for three comparisons."""
    rng = np.random.default_rng(2)
    groups = {"a": rng.normal(0, 1, 12), "b": rng.normal(3, 1, 12), "wild": rng.normal(0, 30, 12)}
    calm = compare_groups(groups)["a", "b"]
    first, last = (groups[name].var(ddof=1) for name in "ab")
    error = np.sqrt((first + last) / 12)
    freedom = 11 * (first + last) ** 2 / (first**2 + last**2)
    critical = stats.studentized_range.ppf(0.95, 3, freedom) / np.sqrt(2)
    assert (calm.high - calm.low) / 2 == pytest.approx(critical * error, rel=1e-3)
    assert calm.is_shown


def test_paired_groups_use_the_variation_of_their_differences() -> None:
    rng = np.random.default_rng(5)
    shared = rng.normal(0, 50, 12)
    groups = {
        "a": shared,
        "b": shared + rng.normal(3, 1, 12),
        "wild": shared + rng.normal(0, 40, 12),
    }
    found = compare_groups(groups, paired=True)
    assert found["a", "b"].is_shown
    differences = groups["b"] - groups["a"]
    critical = stats.studentized_range.ppf(0.95, 3, 11) / np.sqrt(2)
    half = critical * differences.std(ddof=1) / np.sqrt(12)
    assert (found["a", "b"].high - found["a", "b"].low) / 2 == pytest.approx(half, rel=1e-3)


@pytest.mark.parametrize(("groups", "replicates"), [(3, 5), (3, 12), (5, 8)])
def test_paired_groups_that_vary_equally_are_rarely_doubted(groups: int, replicates: int) -> None:
    rng = np.random.default_rng(6)
    doubted = 0
    for _ in range(400):
        samples = list(rng.normal(size=(groups, replicates)) + 9 * rng.normal(size=replicates))
        doubted += _vary_unequally(samples, paired=True)
    assert doubted <= 0.08 * 400  # at 5 %, within three standard errors


@pytest.mark.filterwarnings("error")
def test_deviations_of_one_size_are_compared_without_a_warning() -> None:
    """As of shares of successes: each run is 0.5 above or below the mean, or equal to it."""
    places = {"a": np.repeat([0, 1], 20)}
    residuals, leverages = np.tile([0.5, -0.5], 20), np.full(40, 1 / 20)
    noise = np.random.default_rng(1).normal(size=40)
    assert find_unequal_spread(places, residuals, leverages) is None
    assert find_unequal_spread(places, residuals * (1 + 1e-14 * noise), leverages) is None
    found = find_unequal_spread(places, residuals * (1 - places["a"]), leverages)
    assert found is not None
    assert (found.wide, found.narrow, found.ratio, found.p) == (0, 1, inf, 0)
