"""Fractions of minimum aberration against published tables and against all fractions there are."""

import time
from itertools import combinations

import numpy as np
import pytest

from headgate.base.errors import HeadgateError
from headgate.design import Design, make_factorial
from headgate.design.aberration import _make_walsh, _transform_walsh, find_minimum_aberration
from headgate.design.factor import make_coded_factors, number_factors
from headgate.design.fraction import Columns, are_isomorphic, count_word_lengths
from headgate.design.named import make_least_aberrant, make_named_design, parse_size

#: Word lengths from 3 on of the best fraction, by factors and runs (Chen, Sun and Wu 1993; Wu and
#: Hamada 2009, appendix 5A; of 128 and 256 runs Xu 2009), as in the catalogue of R's FrF2 2.3.
TABLES = {
    (5, 16): (0, 0, 1),
    (6, 16): (0, 3, 0, 0),
    (7, 16): (0, 7, 0, 0, 0),
    (8, 16): (0, 14, 0, 0, 0, 1),
    (9, 16): (4, 14, 8, 0, 4, 1, 0),
    (6, 32): (0, 0, 0, 1),
    (7, 32): (0, 1, 2, 0, 0),
    (8, 32): (0, 3, 4, 0, 0, 0),
    (9, 32): (0, 6, 8, 0, 0, 1, 0),
    (10, 32): (0, 10, 16, 0, 0, 5, 0, 0),
    (11, 32): (0, 25, 0, 27, 0, 10, 0, 1, 0),
    (12, 32): (0, 38, 0, 52, 0, 33, 0, 4, 0, 0),
    (13, 32): (0, 55, 0, 96, 0, 87, 0, 16, 0, 1, 0),
    (16, 32): (0, 140, 0, 448, 0, 870, 0, 448, 0, 140, 0, 0, 0, 1),
    (8, 64): (0, 0, 2, 1, 0, 0),
    (9, 64): (0, 1, 4, 2, 0, 0, 0),
    (10, 64): (0, 2, 8, 4, 0, 1, 0, 0),
    (11, 64): (0, 4, 14, 8, 0, 3, 2, 0, 0),
    (12, 64): (0, 6, 24, 16, 0, 9, 8, 0, 0, 0),
    (13, 64): (0, 14, 28, 24, 24, 17, 12, 8, 0, 0, 0),
    (9, 128): (0, 0, 0, 3, 0, 0, 0),
    (10, 128): (0, 0, 3, 3, 1, 0, 0, 0),
    (11, 128): (0, 0, 6, 6, 2, 1, 0, 0, 0),
    (12, 256): (0, 0, 0, 12, 0, 3, 0, 0, 0, 0),
}

#: NIST Dataplot, lib/dex/2TO*M*.DAT of 1988, after Box, Hunter and Hunter 1978, page 410: each
#: column beyond the basic ones as the product of those, recovered from the rows of the files.
DATAPLOT = {
    "2^(5-1)": "1234",
    "2^(6-1)": "12345",
    "2^(6-2)": "123 234",
    "2^(7-1)": "123456",
    "2^(7-2)": "1234 1245",
    "2^(7-3)": "123 234 134",
    "2^(8-2)": "1234 1256",
    "2^(8-3)": "123 124 2345",
    "2^(8-4)": "234 134 123 124",
    "2^(9-2)": "13467 23567",
    "2^(9-3)": "1234 1356 3456",
    "2^(9-4)": "2345 1345 1245 1235",
    "2^(9-5)": "123 234 134 124 1234",
    "2^(10-3)": "1237 2345 1346",
    "2^(10-4)": "2346 1346 1245 1235",
    "2^(10-5)": "1234 1235 1245 1345 2345",
    "2^(10-6)": "123 234 134 124 1234 12",
    "2^(11-4)": "1237 2345 1346 1234567",
    "2^(11-5)": "345 1234 126 2456 1456",
    "2^(11-6)": "123 234 345 134 145 245",
    "2^(11-7)": "123 234 134 124 1234 12 13",
}


def lengths(factors: int, runs: int) -> tuple[int, ...]:
    found = find_minimum_aberration(factors, runs.bit_length() - 1).word_lengths
    return tuple(found.get(j, 0) for j in range(3, factors + 1))


def of_dataplot(name: str) -> Design:
    digits = DATAPLOT[name].split()
    count, _ = parse_size(name)
    rules = {
        f"X{count - len(digits) + i}": " ".join(f"X{digit}" for digit in text)
        for i, text in enumerate(digits, 1)
    }
    return make_factorial(make_coded_factors(number_factors(count)), rules)


@pytest.mark.parametrize("size", TABLES, ids=str)
def test_word_lengths_are_those_of_the_tables(size: tuple[int, int]) -> None:
    factors, runs = size
    assert lengths(*size) == TABLES[size]
    assert find_minimum_aberration(factors, runs.bit_length() - 1).exact


@pytest.mark.parametrize("name", DATAPLOT)
def test_no_plan_of_dataplot_has_less_aberration(name: str) -> None:
    theirs = of_dataplot(name)
    ours, source = make_named_design(name, published=False)
    pattern = [[d.fraction.word_lengths.get(j, 0) for j in range(3, 12)] for d in (ours, theirs)]
    assert pattern[0] <= pattern[1]
    assert "exhaustive" in source
    assert ours.resolution == theirs.resolution


def test_the_plans_that_the_study_names_have_minimum_aberration_but_one() -> None:
    """The 2^(20-12) has 70 words of length 4, but 5 are possible."""
    for name in ("2^(6-1)", "2^(9-4)", "2^(11-5)"):
        published, ours = make_named_design(name)[0], make_named_design(name, published=False)[0]
        assert published.fraction.word_lengths == ours.fraction.word_lengths
    best = find_minimum_aberration(20, 8)
    assert best.exact
    assert [best.word_lengths[j] for j in (4, 5, 6)] == [5, 64, 240]  # Xu 2009, in FrF2's catalogue


@pytest.mark.parametrize("size", [(6, 4), (7, 4), (9, 4), (11, 4), (7, 5), (8, 5), (6, 3)], ids=str)
def test_nothing_better_among_all_fractions(size: tuple[int, int]) -> None:
    """Every choice of columns beside the basic ones, without a thought about isomorphism."""
    factors, basic = size
    units = [1 << i for i in range(basic)]
    others = [p for p in range(1, 1 << basic) if p not in units]
    patterns = {
        tuple(count_word_lengths((*units, *chosen), basic).get(j, 0) for j in range(3, factors + 1))
        for chosen in combinations(others, factors - basic)
    }
    assert lengths(factors, 1 << basic) == min(patterns)


@pytest.mark.parametrize("basic", [3, 4, 5])
def test_a_saturated_fraction_is_all_columns(basic: int) -> None:
    every = (1 << basic) - 1
    assert sorted(find_minimum_aberration(every, basic).points) == list(range(1, every + 1))


def test_up_to_half_of_all_columns_resolution_is_four() -> None:
    for factors in (9, 12, 16):
        assert min(find_minimum_aberration(factors, 5).word_lengths) == 4
    assert min(find_minimum_aberration(17, 5).word_lengths) == 3


def test_a_heuristic_result_says_so() -> None:
    design, source = make_named_design("2^(24-17)", published=False)
    assert len(design) == 128
    lengths = [design.fraction.word_lengths[j] for j in (4, 5, 6)]
    assert lengths == [102, 384, 992]  # FrF2's 24-17.1: the best all the same
    assert "heuristic" in source


@pytest.mark.parametrize("basic", range(1, 11))
def test_the_fast_transform_is_the_product_to_the_last_bit(basic: int) -> None:
    values = np.random.default_rng(basic).integers(-(2**40), 2**40, (1 << basic, 7))
    exact = _make_walsh(basic).astype(np.int64) @ values
    assert np.array_equal(_transform_walsh(values.astype(float)), exact)


@pytest.mark.timing
def test_a_search_among_1024_runs_takes_seconds() -> None:
    begun_s = time.process_time()
    found = find_minimum_aberration(40, 10).word_lengths
    assert time.process_time() - begun_s < 8
    assert 3 not in found


def test_isomorphic_fractions_are_found_to_be_so() -> None:
    """A random linear map of points is the same fraction; another fraction is not."""
    rng = np.random.default_rng(1)
    points = find_minimum_aberration(9, 5).points
    matrix = [1, 2, 4, 8, 16]
    for _ in range(30):  # elementary steps make an invertible map
        a, b = rng.choice(5, 2, replace=False)
        matrix[a] ^= matrix[b]
    mapped = [
        int(np.bitwise_xor.reduce([matrix[i] for i in range(5) if p >> i & 1])) for p in points
    ]
    one, other = (Columns(dict.fromkeys(found, (0,))) for found in (points, mapped))
    assert are_isomorphic(one, other)
    assert not are_isomorphic(
        one, Columns(dict.fromkeys([*mapped[:-1], mapped[0] ^ mapped[1]], (0,)))
    )


@pytest.mark.parametrize("size", [(3, 4), (16, 4), (5, 0), (30, 11)], ids=str)
def test_sizes_that_no_fraction_has_are_one_sentence(size: tuple[int, int]) -> None:
    with pytest.raises(HeadgateError, match=f"{size[0]} factors in 2\\^{size[1]} runs"):
        find_minimum_aberration(*size)


def test_more_runs_than_there_are_combinations_are_refused() -> None:
    with pytest.raises(HeadgateError, match=r"runs: 16 are more than the 8 .* replicates = 2"):
        make_least_aberrant(make_coded_factors(["A", "B", "C"]), 4)
