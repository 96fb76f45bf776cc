"""Morris' effects and Sobol indices against closed forms and SALib."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import qmc

from headgate.base.errors import HeadgateError
from headgate.design import Factor
from headgate.design.factor import make_coded_factors
from headgate.design.factorial import Design
from headgate.design.sensitivity import make_morris, make_saltelli
from headgate.stats.sensitivity import compute_morris, compute_sobol

NAMES = [f"x{i}" for i in range(1, 21)]


def shares(design: Design) -> np.ndarray:
    return np.asarray(design.matrix + 1) / 2


def test_a_trajectory_changes_each_factor_once_by_half_of_the_levels() -> None:
    cca = Factor("cca", "", "cca", "a", "c", levels=("a", "b", "c"))
    design = make_morris([*make_coded_factors(NAMES[:4]), cca], 30, 6, seed=2)
    assert design.indices is not None
    assert design.indices.shape == (30, 6)
    for path in design.indices:
        moves = [design.matrix[b] - design.matrix[a] for a, b in pairwise(path)]
        changed = [np.flatnonzero(move).tolist() for move in moves]
        assert sorted(changed) == [[0], [1], [2], [3], [4]]
        sizes = {round(float(np.abs(move).max()), 9) for move in moves if not move[4]}
        assert sizes == {1.2}  # 2 x 3 / 5
    grid = np.unique(design.matrix[:, :4].round(9))
    assert grid == pytest.approx([-1, -0.6, -0.2, 0.2, 0.6, 1])
    again = make_morris([*make_coded_factors(NAMES[:4]), cca], 30, 6, seed=2)
    assert np.array_equal(design.matrix, again.matrix)


def morris_function(x: np.ndarray) -> np.ndarray:
    """The function of 20 inputs of Morris 1991, section 5, with the fixed coefficients of SALib."""
    w = 2 * (x - 0.5)
    for place in (2, 4, 6):
        w[:, place] = 2 * (1.1 * x[:, place] / (x[:, place] + 0.1) - 0.5)
    first = np.array([20.0] * 10 + [(-1.0) ** i for i in range(11, 21)])
    y = w @ first
    for i in range(20):
        for j in range(i + 1, 20):
            beta = -15.0 if j < 6 else (-1.0) ** (i + j + 2)
            y += beta * w[:, i] * w[:, j]
            for k in range(j + 1, 20):
                if k < 5:
                    y += -10.0 * w[:, i] * w[:, j] * w[:, k]
                    for m in range(k + 1, 4):
                        y += 5.0 * w[:, i] * w[:, j] * w[:, k] * w[:, m]
    return np.asarray(y)


def test_the_inputs_of_morris_fall_into_his_groups() -> None:
    """1991, figure 1: 8 to 10 are large and linear, 1 to 7 interact or bend, the rest is small."""
    factors = make_coded_factors(NAMES)
    design = make_morris(factors, 40, 4, seed=1)
    assert design.indices is not None
    values = morris_function(shares(design))[:, None]
    found = compute_morris(design.matrix, design.indices, values, np.full(20, 2.0))
    mu_star = np.array([one.mu_star for one in found.effects])
    sigma = np.array([one.sigma for one in found.effects])
    linear, mixed, small = [7, 8, 9], range(7), range(10, 20)
    assert mu_star[linear] == pytest.approx(40, abs=8)  # twice beta = 20, over the range
    assert sigma[linear].max() < 0.4 * mu_star[linear].min()
    assert sigma[list(mixed)].min() > sigma[linear].max()
    assert mu_star[list(small)].max() < 0.4 * mu_star[:10].min()
    assert set(found.largest) <= set(range(10))


def test_elementary_effects_are_those_of_salib() -> None:
    from SALib.analyze.morris import analyze

    factors = make_coded_factors(NAMES[:5])
    design = make_morris(factors, 25, 4, seed=3)
    assert design.indices is not None
    x = shares(design)
    y = np.sin(3 * x[:, 0]) + x[:, 1] * x[:, 2] + x[:, 3] ** 2
    found = compute_morris(design.matrix, design.indices, y[:, None], np.full(5, 2.0))
    problem = {"num_vars": 5, "names": NAMES[:5], "bounds": [[0, 1]] * 5}
    order = design.indices.ravel()
    other = analyze(problem, x[order], y[order], num_levels=4, seed=1)
    assert [e.mu for e in found.effects] == pytest.approx(other["mu"].tolist())
    assert [e.mu_star for e in found.effects] == pytest.approx(other["mu_star"].tolist())
    assert [e.sigma for e in found.effects] == pytest.approx(other["sigma"].tolist())


def test_noise_is_no_effect() -> None:
    """A factor without effect is shown in 5 % of trials; mu* of noise is its floor."""
    rng = np.random.default_rng(5)
    design = make_morris(make_coded_factors(NAMES[:3]), 10, 4, seed=1)
    assert design.indices is not None
    p, sizes, floors = [], [], []
    for _ in range(200):
        noise = rng.normal(size=(len(design.matrix), 3)) + 5 * rng.normal(size=3)
        values = 50 * design.matrix[:, :1] + noise
        found = compute_morris(design.matrix, design.indices, values, np.full(3, 2.0))
        p += [found.effects[1].p, found.effects[2].p]
        sizes.append(found.effects[1].mu_star)
        floors.append(found.floor)
        assert found.largest == (0,)
    assert np.mean(np.array(p) < 0.05) == pytest.approx(0.05, abs=0.035)
    assert np.mean(sizes) == pytest.approx(np.mean(floors), rel=0.08)


def ishigami(x: np.ndarray) -> np.ndarray:
    z = np.pi * (2 * x - 1)
    bent = np.sin(z[:, 0]) + 7 * np.sin(z[:, 1]) ** 2
    return np.asarray(bent + 0.1 * z[:, 2] ** 4 * np.sin(z[:, 0]))


def ishigami_indices() -> tuple[list[float], list[float]]:
    """Ishigami and Homma 1990, with a = 7 and b = 0.1."""
    a, b, pi = 7.0, 0.1, np.pi
    first = 0.5 * (1 + b * pi**4 / 5) ** 2
    second = a**2 / 8
    mixed = 8 * b**2 * pi**8 / 225
    whole = first + second + mixed
    return [first / whole, second / whole, 0.0], [
        (first + mixed) / whole, second / whole, mixed / whole,
    ]  # fmt: skip


def g_function(x: np.ndarray, a: np.ndarray) -> np.ndarray:
    return np.asarray(((np.abs(4 * x - 2) + a) / (1 + a)).prod(axis=1))


def g_indices(a: np.ndarray) -> tuple[list[float], list[float]]:
    """Saltelli and Sobol 1995: the variance of a factor alone is 1 / (3 (1 + a)^2)."""
    alone = 1 / (3 * (1 + a) ** 2)
    whole = float(np.prod(1 + alone) - 1)
    totals = alone * np.prod(1 + alone) / (1 + alone)
    return (alone / whole).tolist(), (totals / whole).tolist()


def test_indices_are_those_of_the_closed_forms() -> None:
    a = np.array([0.0, 1.0, 4.5, 9.0, 99.0])
    for function, (first, total) in (
        (ishigami, ishigami_indices()),
        (lambda x: g_function(x, a), g_indices(a)),
    ):
        design = make_saltelli(make_coded_factors(NAMES[: len(first)]), 4096, seed=1)
        assert design.indices is not None
        found = compute_sobol(design.indices, function(shares(design))[:, None])
        assert [one.first for one in found.indices] == pytest.approx(first, abs=0.02)
        assert [one.total for one in found.indices] == pytest.approx(total, abs=0.02)
        for one, s, t in zip(found.indices, first, total, strict=True):
            assert one.first_low <= s <= one.first_high
            assert one.total_low <= t <= one.total_high
        assert found.largest == (int(np.argmax(total)),)
        assert found.has_noise


def test_the_points_are_those_of_the_scheme() -> None:
    design = make_saltelli(make_coded_factors(NAMES[:3]), 8, seed=4)
    assert design.indices is not None
    assert design.indices.shape == (8, 5)
    for first, other, *mixed in design.indices:
        for place, point in enumerate(mixed):
            expected = design.matrix[first].copy()
            expected[place] = design.matrix[other, place]
            assert np.array_equal(design.matrix[point], expected)
    first = shares(design)[design.indices[:, 0]]
    assert qmc.discrepancy(first) < 0.05  # eight points of a Sobol sequence in three dimensions
    cca = Factor("cca", "", "cca", "a", "b")
    fewer = make_saltelli([*make_coded_factors(NAMES[:2]), cca], 64, seed=4)
    assert len(fewer.matrix) < 64 * 5  # a name does not change in half of the points


def test_indices_are_those_of_salib() -> None:
    from SALib.analyze.sobol import analyze

    design = make_saltelli(make_coded_factors(NAMES[:3]), 512, seed=2)
    assert design.indices is not None
    y = ishigami(shares(design))
    found = compute_sobol(design.indices, y[:, None])
    order = design.indices[:, [0, 2, 3, 4, 1]].ravel()
    problem = {"num_vars": 3, "names": NAMES[:3], "bounds": [[0, 1]] * 3}
    other = analyze(problem, y[order], calc_second_order=False, seed=1)
    # The same estimators; SALib centres by the mean of all runs and divides by another variance.
    assert [one.total for one in found.indices] == pytest.approx(other["ST"].tolist(), rel=5e-3)
    assert [one.first for one in found.indices] == pytest.approx(other["S1"].tolist(), abs=0.02)
    half = [(one.total_high - one.total_low) / 2 for one in found.indices]
    assert half == pytest.approx(other["ST_conf"].tolist(), rel=0.25)


def test_replicates_take_the_noise_out_of_the_totals() -> None:
    rng = np.random.default_rng(6)
    design = make_saltelli(make_coded_factors(NAMES[:3]), 256, seed=3)
    assert design.indices is not None
    y = 3 * design.matrix[:, 0] + design.matrix[:, 1]
    noisy = y[:, None] + rng.normal(size=(len(y), 4)) + 10 * rng.normal(size=4)
    with_noise = compute_sobol(design.indices, noisy[:, :1])
    without = compute_sobol(design.indices, noisy)
    assert with_noise.has_noise
    assert not without.has_noise
    assert with_noise.indices[2].total > 0.15  # noise 1 of 10/3 + 1
    assert without.indices[2].total_low == 0
    for one, true in zip(without.indices, (0.9, 0.1, 0.0), strict=True):
        assert one.total_low <= true <= one.total_high


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(HeadgateError, match="grid_levels = 5: Morris' grid needs an even number"):
        make_morris(make_coded_factors(NAMES[:2]), 10, 5)
    with pytest.raises(HeadgateError, match=r"samples = 100: .*; write 64 or 128"):
        make_saltelli(make_coded_factors(NAMES[:2]), 100)
