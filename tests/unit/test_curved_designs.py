"""Definitive screening, central composite, Box-Behnken and D-optimal designs."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.base.errors import HeadgateError
from headgate.design import Factor
from headgate.design.constraint import Constraint
from headgate.design.factor import letter_factors
from headgate.design.file import DesignFile
from headgate.design.generate import make_design
from headgate.design.optimal import make_d_optimal, read_model
from headgate.design.response_surface import (
    make_box_behnken,
    make_central_composite,
    make_definitive_screening,
)
from headgate.stats.terms import TermModel


def numbers(count: int) -> list[Factor]:
    return [Factor(name, "", name, 0, 10) for name in letter_factors(count)]


def two_names(count: int) -> list[Factor]:
    return [Factor(f"n{i}", "", f"n{i}", "off", "on") for i in range(count)]


def second_order(matrix: np.ndarray, *, squares: bool = True) -> np.ndarray:
    count = matrix.shape[1]
    pairs = [*combinations(range(count), 2), *((i, i) for i in range(count) if squares)]
    return np.array([matrix[:, a] * matrix[:, b] for a, b in pairs]).T


@given(st.integers(4, 24), st.integers(0, 3), st.integers(0, 3))
@settings(max_examples=25, deadline=None)
def test_main_effects_of_definitive_screening_are_clear_of_all_second_order_effects(
    quantities: int, names: int, fake: int
) -> None:
    """Jones and Nachtsheim 2011, and 2013 for factors of two names, in any order of the factors."""
    factors = [*two_names(names), *numbers(quantities)]
    matrix = make_definitive_screening(factors, fake).matrix
    assert not (matrix.T @ second_order(matrix)).any()
    gram = matrix[:, names:].T @ matrix[:, names:]
    assert np.array_equal(gram, np.diag(np.diag(gram)))
    assert set(np.unique(matrix[:, :names])) <= {-1, 1}
    assert not matrix.sum(axis=0).any()


@pytest.mark.parametrize(("count", "runs"), [(4, 9), (5, 13), (6, 13), (8, 17), (10, 21), (12, 25)])
def test_definitive_screening_takes_the_runs_of_the_paper(count: int, runs: int) -> None:
    """2k + 1 runs for an even number of factors, 2k + 3 for an odd one (2011, section 2)."""
    assert len(make_definitive_screening(numbers(count), 0)) == runs


def test_the_central_composite_of_the_handbook() -> None:
    """NIST/SEMATECH e-Handbook 5.3.3.6.1: alpha of rotatable designs is F^(1/4), by table 3.23."""
    for count, alpha in ((2, 1.414), (3, 1.682), (4, 2.000), (6, 2.378)):
        matrix = make_central_composite(numbers(count), "circumscribed", "rotatable", 5, "")[
            0
        ].matrix
        assert np.abs(matrix).max() == pytest.approx(alpha, abs=5e-4)
    half = make_central_composite(numbers(5), "circumscribed", "rotatable", 5, "")[0]
    assert len(half) == 16 + 10  # 2^(5-1) of resolution V
    assert np.abs(half.matrix).max() == pytest.approx(2.000, abs=5e-4)
    full = make_central_composite(numbers(5), "circumscribed", "rotatable", 5, "2^5")[0]
    assert np.abs(full.matrix).max() == pytest.approx(2.378, abs=5e-4)


def test_a_rotatable_design_predicts_equally_well_at_equal_distances() -> None:
    design = make_central_composite(numbers(3), "circumscribed", "rotatable", 6, "")[0]
    runs = np.vstack([design.matrix, np.zeros((6, 3))])
    model = TermModel.of_order(3, "quadratic")
    inverse = np.linalg.inv(model.expand(runs).T @ model.expand(runs))
    points = np.random.default_rng(1).normal(size=(50, 3))
    points *= 1.3 / np.linalg.norm(points, axis=1)[:, None]
    columns = model.expand(points)
    variances = np.einsum("ij,jk,ik->i", columns, inverse, columns)
    assert variances == pytest.approx(variances[0])


@pytest.mark.parametrize(("count", "centres"), [(2, 5), (3, 6), (5, 1), (6, 0)])
def test_an_orthogonal_design_has_uncorrelated_second_order_coefficients(
    count: int, centres: int
) -> None:
    design = make_central_composite(numbers(count), "circumscribed", "orthogonal", centres, "")[0]
    runs = np.vstack([design.matrix, np.zeros((centres, count))])
    model = TermModel.of_order(count, "quadratic")
    covariance = np.linalg.inv(model.expand(runs).T @ model.expand(runs))[1:, 1:]
    assert covariance - np.diag(np.diag(covariance)) == pytest.approx(0, abs=1e-12)


def test_the_shapes_of_a_central_composite() -> None:
    faced, _ = make_central_composite(numbers(3), "faced", "rotatable", 3, "")
    assert set(np.unique(faced.matrix)) == {-1, 0, 1}
    inscribed, _ = make_central_composite(numbers(3), "inscribed", "rotatable", 6, "")
    around, _ = make_central_composite(numbers(3), "circumscribed", "rotatable", 6, "")
    assert inscribed.matrix * 8**0.25 == pytest.approx(around.matrix)
    assert np.abs(inscribed.matrix).max() == 1
    with pytest.raises(HeadgateError, match="has resolution 4; the cube of a central composite"):
        make_central_composite(numbers(6), "faced", 1.0, 1, "2^(6-2)")


@pytest.mark.parametrize(("count", "edges"), [(3, 12), (4, 24), (5, 40), (6, 48), (7, 56)])
def test_box_behnken_designs_are_those_of_the_paper(count: int, edges: int) -> None:
    """Box and Behnken 1960, table 1; every pair of factors occurs equally often in their blocks."""
    matrix = make_box_behnken(numbers(count)).matrix
    assert len(matrix) == edges == len(np.unique(matrix, axis=0))
    assert not matrix.sum(axis=0).any()
    main = matrix.T @ matrix
    assert np.array_equal(main, np.diag(np.diag(main)))
    runs = np.vstack([matrix, np.zeros((3, count))])
    model = TermModel.of_order(count, "quadratic")
    assert np.linalg.matrix_rank(model.expand(runs)) == model.expand(runs).shape[1]
    assert set(np.unique(matrix)) == {-1, 0, 1}


def test_box_behnken_of_three_is_that_of_the_handbook() -> None:
    """NIST/SEMATECH e-Handbook 5.3.3.6.2, table 3.24: 12 edges and 3 centre points."""
    file = DesignFile.from_dict(
        {"kind": "box-behnken", "factors": {n: {"low": 1, "high": 3} for n in "ABC"}}
    )
    made = make_design(file)
    assert len(made.sheet) == 15
    edges = {(a, b, 0) for a, b in product((-1, 1), repeat=2)}
    edges |= {(a, 0, b) for a, b in product((-1, 1), repeat=2)}
    edges |= {(0, a, b) for a, b in product((-1, 1), repeat=2)}
    assert {tuple(row) for row in made.design.matrix.tolist()} == edges


@pytest.mark.parametrize("runs", [6, 7, 8])
def test_a_d_optimal_design_is_the_best_of_all(runs: int) -> None:
    """Two quantities on three levels, compared with every choice of the nine points."""
    points = np.array(list(product((-1.0, 0.0, 1.0), repeat=2)))
    columns = read_model(numbers(2), "quadratic").expand(points)
    best = max(
        np.linalg.det(columns[list(rows)].T @ columns[list(rows)])
        for rows in combinations(range(9), runs)
    )
    made = read_model(numbers(2), "quadratic").expand(make_d_optimal(numbers(2), runs)[0].matrix)
    assert np.linalg.det(made.T @ made) == pytest.approx(best)


def test_a_d_optimal_design_of_main_effects_is_orthogonal() -> None:
    """Hadamard's bound: |X'X| = n^p for a two-level design of n = 12 runs in 11 factors."""
    matrix = make_d_optimal(numbers(7), 8, "linear")[0].matrix
    columns = np.column_stack([np.ones(8), matrix])
    assert np.linalg.det(columns.T @ columns) == pytest.approx(8.0**8)


def test_names_constraints_and_terms() -> None:
    cca = Factor("cca", "", "cca", "a", "c", levels=("a", "b", "c"))
    factors = [*numbers(2), cca]
    design, said = make_d_optimal(factors, 14, "quadratic", ["A + B <= 12", "B > 1"], seed=3)
    values = 5 * (design.matrix[:, :2] + 1)
    assert (values.sum(axis=1) <= 12).all()
    assert (values[:, 1] > 1).all()
    assert len(np.unique(design.matrix, axis=0)) == 14
    assert "12 coefficients" in said  # 1 + 2 + 2, and A x B, 2 + 2 with cca, 2 squares
    assert set(np.unique(design.matrix[:, 2])) == {-1, 0, 1}
    again = make_d_optimal(factors, 14, "quadratic", ["A + B <= 12", "B > 1"], seed=3)[0]
    assert np.array_equal(design.matrix, again.matrix)
    terms = make_d_optimal(factors, 6, ("A", "B", "A A"), seed=3)[1]
    assert "4 coefficients" in terms


def test_allowed_combinations_are_those_of_the_function() -> None:
    design, _ = make_d_optimal(
        numbers(2), 8, "quadratic", allowed=lambda _, rows: [a * b <= 0 for a, b in rows]
    )
    assert (design.matrix.prod(axis=1) <= 0).all()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("A + B", "write an inequality"),
        ("A == 3", "write an inequality"),
        ("C <= 3", "C is not a factor with numbers; these are A, B"),
        ("__import__('os') <= 3", "write an inequality"),
        ("A.real <= 3", "write an inequality"),
        ("A ** 2 <= 3", "write an inequality"),
        ("A <=", "write an inequality"),
        ("(" * 300 + "A" + ")" * 300 + " <= 3", "write an inequality"),
        ("True <= A", "write an inequality"),
    ],
)
def test_a_constraint_is_an_inequality_and_nothing_else(text: str, says: str) -> None:
    with pytest.raises(HeadgateError, match=says):
        Constraint.read(text, numbers(2))


def test_a_constraint_uses_the_numbers_of_the_file() -> None:
    rate = Factor("rate", "", "rate", "10 Mbit/s", "1 Gbit/s", "log")
    rtt = Factor("rtt", "", "rtt", "10 ms", "90 ms")
    read = Constraint.read("-rate * rtt / 2 + 1 >= -2500 + 1", [rate, rtt])
    coded = np.array([[0.0, 0.0], [0.0, 0.01], [-1.0, 1.0]])  # 100 x 50, 100 x 50.4, 10 x 90
    assert read.holds([rate, rtt], coded).tolist() == [True, False, True]


def test_what_cannot_be_made_is_refused() -> None:
    with pytest.raises(HeadgateError, match="6 coefficients; write at least that"):
        make_d_optimal(numbers(2), 5)
    with pytest.raises(HeadgateError, match="there are 9 combinations of levels; ask for repl"):
        make_d_optimal(numbers(2), 10)
    with pytest.raises(HeadgateError, match="leave 0 combinations of levels"):
        make_d_optimal(numbers(2), 6, constraints=["A > 11"])
    with pytest.raises(HeadgateError, match="which do not determine the coefficients"):
        make_d_optimal(numbers(2), 8, constraints=["A <= 3"])
    with pytest.raises(HeadgateError, match="model: 'A C': 'C' is not a factor"):
        make_d_optimal(numbers(2), 8, ("A", "A C"))
    with pytest.raises(HeadgateError, match=r"factors.n0: a Box-Behnken design needs low and high"):
        make_box_behnken([*numbers(2), *two_names(1)])
