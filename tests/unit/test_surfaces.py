"""Response surfaces and definitive screening against published examples and planted surfaces."""

import numpy as np
import pytest

from headgate.design import Factor
from headgate.design.factor import letter_factors
from headgate.design.response_surface import make_central_composite, make_definitive_screening
from headgate.stats.screening import Screening
from headgate.stats.surface import Surface, compute_lack_of_fit_p
from headgate.stats.terms import TermModel

#: The catapult of R's daewr (data set Treb, a Box-Behnken design): A, B, C and the distance.
TREB = """4 10 2.5 33; 8 10 2.5 85; 4 20 2.5 86; 8 20 2.5 113; 4 15 2 75; 8 15 2 105; 4 15 3 40;
8 15 3 89; 6 10 2 83; 6 20 2 108; 6 10 3 49; 6 20 3 101; 6 15 2.5 88; 6 15 2.5 91; 6 15 2.5 91"""
#: The odour of John 1971, as in SAS's example of PROC RSREG: odour, temperature, ratio, height.
SMELL = """66 40 .3 4; 39 120 .3 4; 43 40 .7 4; 49 120 .7 4; 58 40 .5 2; 17 120 .5 2; -5 40 .5 6;
-40 120 .5 6; 65 80 .3 2; 7 80 .7 2; 43 80 .3 6; -22 80 .7 6; -31 80 .5 4; -35 80 .5 4;
-26 80 .5 4"""


def read(text: str) -> np.ndarray:
    return np.array([line.split() for line in text.split(";")], float)


def quadratic(count: int) -> TermModel:
    return TermModel.of_order(count, "quadratic")


def treb() -> Surface:
    rows = read(TREB)
    return Surface(quadratic(3), (rows[:, :3] - [6, 15, 2.5]) / [2, 5, 0.5], rows[:, 3])


def test_the_fit_is_that_of_rsm() -> None:
    """summary(rsm(y ~ SO(x1, x2, x3), data = Treb)) of R's rsm and daewr (Lawson 2015)."""
    found = treb()
    b = [90, 19.75, 19.75, -11.5, -6.25, 4.75, 6.75, -9.375, -1.375, -3.375]
    assert found.coefficients == pytest.approx(b)
    errors = [1.16905, *[0.71589] * 3, *[1.01242] * 3, *[1.05376] * 3]
    assert found.errors == pytest.approx(errors, abs=5e-6)
    assert found.freedom == 5
    assert found.p == pytest.approx(5.964e-06, rel=1e-3)
    still = found.stationary_point
    assert still is not None
    assert still.point == pytest.approx([0.9236846, -1.7161183, -2.7698217], abs=5e-8)
    assert still.eigenvalues == pytest.approx([1.280298, -3.551452, -11.853845], abs=5e-7)
    assert still.kind == "saddle"


def test_the_ridge_is_that_of_rsm() -> None:
    """steepest(treb.quad, dist = 1.4): 117.077 at (0.390, 1.344, -0.034), and 111.318 at 1.0."""
    found = treb()
    points = np.array([[0.390, 1.344, -0.034], [0.393, 0.905, -0.161]])
    assert found.predict(points) == pytest.approx([117.077, 111.318], abs=5e-4)
    directions = np.random.default_rng(1).normal(size=(20_000, 3))
    sphere = directions / np.linalg.norm(directions, axis=1)[:, None]
    assert found.predict(sphere).max() == pytest.approx(111.318, abs=5e-3)


def test_the_canonical_analysis_is_that_of_sas() -> None:
    """PROC RSREG: stationary point 0.121913, 0.199575, 1.770525; predicted -52.024631."""
    rows = read(SMELL)
    found = Surface(quadratic(3), (rows[:, 1:] - [80, 0.5, 4]) / [40, 0.2, 2], rows[:, 0])
    still = found.stationary_point
    assert still is not None
    assert still.point == pytest.approx([0.121913, 0.199575, 1.770525], abs=5e-7)
    assert still.eigenvalues == pytest.approx([48.858807, 31.103461, 6.037732], abs=5e-7)
    assert still.kind == "minimum"
    assert found.predict(still.point[None])[0] == pytest.approx(-52.024631, abs=5e-7)


def test_coefficients_are_those_of_statsmodels() -> None:
    from statsmodels.regression.linear_model import OLS

    rng = np.random.default_rng(2)
    for _ in range(5):
        coded, values = rng.uniform(-1, 1, (40, 3)), rng.normal(size=40)
        coded[:, 2] = rng.choice([-1, 0, 1], 40)
        found = Surface(TermModel.of_order(3, "quadratic", {2: (-1.0, 0.0, 1.0)}), coded, values)
        other = OLS(values, found.columns).fit()
        assert found.coefficients == pytest.approx(other.params)
        assert found.errors == pytest.approx(other.bse)
        assert found.p == pytest.approx(other.f_pvalue)


def test_a_planted_optimum_is_found() -> None:
    factors = [Factor(name, "", name, 0, 1) for name in letter_factors(3)]
    design = make_central_composite(factors, "inscribed", "rotatable", 1, "")[0].matrix
    coded = np.vstack([design, np.zeros((1, 3))])
    place = np.array([0.3, -0.2, 0.1])
    values = 5 - ((coded - place) ** 2).sum(axis=1)
    found = Surface(quadratic(3), coded, values + 1e-6 * np.random.default_rng(1).normal(size=15))
    best = found.find_optimum(1)
    assert best.point == pytest.approx(place, abs=1e-3)
    assert best.value == pytest.approx(5, abs=1e-4)
    assert not best.is_at_edge
    assert (best.low <= best.point).all()
    assert (best.point <= best.high).all()
    worst = found.find_optimum(-1)
    assert worst.is_at_edge
    assert np.linalg.norm(worst.point) == pytest.approx(3**0.5 / 8**0.25, abs=1e-6)
    away = -place / np.linalg.norm(place)
    assert worst.point == pytest.approx(3**0.5 / 8**0.25 * away, abs=0.02)
    halved = found.find_optimum(1, lambda points: points[:, 0] <= 0)
    assert halved.point == pytest.approx([0, -0.2, 0.1], abs=1e-3)


def test_names_that_may_be_best_are_listed() -> None:
    """Of three names the first is 4 higher, the others are alike; noise of 0.1."""
    rng = np.random.default_rng(5)
    levels = (-1.0, 0.0, 1.0)
    coded = np.array([[x, c] for x in np.linspace(-1, 1, 7) for c in levels])
    model = TermModel.of_order(2, "quadratic", {1: levels})
    for way, names in ((1, (-1.0,)), (-1, (0.0, 1.0))):
        values = 4 * (coded[:, 1] == -1) - coded[:, 0] ** 2 * way + 0.1 * rng.normal(size=21)
        best = Surface(model, coded, values).find_optimum(way)
        assert best.names[1] == names
        assert best.point[1] in names
        assert best.point[0] == pytest.approx(0, abs=0.1)


def test_the_band_of_a_surface_covers_all_of_it() -> None:
    """The interval at the optimum is one of a band that holds at all points together, in 95 %."""
    rng = np.random.default_rng(3)
    factors = [Factor(name, "", name, 0, 1) for name in letter_factors(2)]
    design = make_central_composite(factors, "faced", 1.0, 1, "")[0].matrix
    coded = np.vstack([design, np.zeros((1, 2))])
    hits = 0
    for _ in range(40):
        beta = rng.normal(size=6)
        values = quadratic(2).expand(coded) @ beta + 0.3 * rng.normal(size=9)
        best = Surface(quadratic(2), coded, values).find_optimum(1)
        true = float((quadratic(2).expand(best.point[None]) @ beta)[0])
        hits += best.value_low <= true <= best.value_high
    assert hits / 40 >= 0.9


def test_lack_of_fit_is_tested_against_the_replicates() -> None:
    rng = np.random.default_rng(4)
    coded = np.array([[x, y] for x in (-1, 0, 1) for y in (-1, 0, 1)], float)
    bend = 3 * coded[:, 0] ** 2 * coded[:, 1]
    found = []
    for _ in range(200):
        noise = rng.normal(size=(9, 4)) + rng.normal(size=4)
        for extra in (0 * bend, bend):
            values = noise + (extra + coded[:, 0])[:, None]
            surface = Surface(quadratic(2), coded, values.mean(axis=1))
            found.append(compute_lack_of_fit_p(surface, values) < 0.05)
    assert np.mean(found[::2]) == pytest.approx(0.05, abs=0.04)
    assert np.mean(found[1::2]) > 0.95


def screened(
    count: int, fake: int, beta: dict[tuple[int, ...], float], noise: float, seed: int
) -> Screening:
    factors = [Factor(name, "", name, 0, 1) for name in letter_factors(count)]
    coded = make_definitive_screening(factors, fake).matrix
    values = noise * np.random.default_rng(seed).normal(size=len(coded))
    for term, size in beta.items():
        values += size * coded[:, list(term)].prod(axis=1)
    return Screening(coded, values)


def test_main_effects_ignore_second_order_effects() -> None:
    beta = {(0,): 3.0, (2,): -2.0, (0, 0): 4.0, (0, 2): 5.0, (1, 3): 6.0}
    found = screened(6, 2, beta, 0.0, 1)
    assert found.solution @ found.values == pytest.approx([3, 0, -2, 0, 0, 0], abs=1e-12)
    assert found.freedom == 2
    assert found.deviation == pytest.approx(0, abs=1e-12)


def test_the_fake_factors_estimate_the_deviation() -> None:
    squares = [
        screened(6, 4, {(0,): 3.0, (1, 2): 2.0}, 1.0, seed).deviation ** 2 for seed in range(300)
    ]
    assert np.mean(squares) == pytest.approx(1, abs=0.1)


def test_planted_second_order_terms_are_selected() -> None:
    """Jones and Nachtsheim 2017: squares and products of active factors, found one by one."""
    beta = {(0,): 3.0, (1,): 3.0, (2,): 3.0, (0, 0): 4.0, (1, 2): 4.0}
    right = 0
    for seed in range(40):
        found = screened(6, 4, beta, 0.5, seed)
        terms = found.select([0, 1, 2], range(6), found.deviation**2, found.freedom)
        right += {one.term for one in terms.terms} >= {(0, 0), (1, 2)}
    assert right >= 36
    none = [
        screened(6, 4, {(0,): 3.0, (1,): 3.0}, 0.5, seed).select([0, 1], range(6), 0.25, 1e9)
        for seed in range(300)
    ]
    assert np.mean([not found.is_complete for found in none]) < 0.1
    assert np.mean([bool(found.terms) for found in none]) == pytest.approx(0.05, abs=0.04)
