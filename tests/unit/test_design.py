"""Designs against what is known of them: orthogonality, resolution, published generators."""

import numpy as np
import pytest

from headgate.base.errors import HeadgateError
from headgate.design import Factor, make_factorial


def factors(count: int) -> list[Factor]:
    return [Factor(f"X{i}", f"factor {i}", f"x{i}", "low", "high") for i in range(1, count + 1)]


def test_full_design_is_in_yates_order() -> None:
    assert make_factorial(factors(2)).matrix.tolist() == [[-1, -1], [1, -1], [-1, 1], [1, 1]]


def test_half_fraction_of_six_factors_has_resolution_six() -> None:
    design = make_factorial(factors(6), {"X6": "X1 X2 X3 X4 X5"})  # Dataplot's 2TO6M1
    assert len(design) == 32
    assert design.resolution == 6
    assert [sorted(word) for word in design.words] == [["X1", "X2", "X3", "X4", "X5", "X6"]]
    gram = design.matrix.astype(int).T @ design.matrix
    assert np.array_equal(gram, 32 * np.eye(6))


def test_published_plan_of_twenty_factors_has_its_published_words() -> None:
    """Dataplot's MILLS_20_256: 256 runs, resolution IV, word lengths as counted there."""
    parents = (123, 124, 125, 126, 127, 128, 234, 235, 236, 237, 238, 345)
    generators = {
        f"X{9 + i}": " ".join(f"X{digit}" for digit in str(group))
        for i, group in enumerate(parents)
    }
    design = make_factorial(factors(20), generators)
    lengths, counts = np.unique([len(word) for word in design.words], return_counts=True)
    assert len(design) == 256
    assert dict(zip(lengths.tolist(), counts.tolist(), strict=True)) == {
        4: 70, 6: 276, 8: 940, 10: 1432, 12: 1074, 14: 276, 16: 27
    }  # fmt: skip


def test_aliases_follow_from_the_defining_word() -> None:
    design = make_factorial(factors(3), {"X3": "X1 X2"})
    assert design.resolution == 3
    assert design.aliases("X1") == ["X2 X3"]
    assert design.aliases("X1 X2") == ["X3"]


def test_settings_and_label_name_the_levels() -> None:
    design = make_factorial(factors(2))
    assert design.settings(1) == {"x1": "high", "x2": "low"}
    assert design.label(1) == "X1+ X2\N{MINUS SIGN}"


@pytest.mark.parametrize(
    ("high", "middle"),
    [
        ("77.712 ms", "38.856 ms"),
        ("0.2 us", "0.1 us"),
        ("0.0000006 s", "0.0000003 s"),
        ("2000000 bit/s", "1000000 bit/s"),
    ],
)
def test_a_level_between_two_is_written_in_few_digits(high: str, middle: str) -> None:
    low = f"0 {high.split()[1]}"
    assert Factor("x", "", "network.rtt", low, high).level(0.0) == middle


def test_reversed_generator_reverses_the_column() -> None:
    plus = make_factorial(factors(3), {"X3": "X1 X2"})
    minus = make_factorial(factors(3), {"X3": "-X1 X2"})
    assert np.array_equal(plus.column("X3"), -minus.column("X3"))


@pytest.mark.parametrize("generators", [{"X9": "X1 X2"}, {"X3": "X1 X7"}, {"X3": ""}])
def test_wrong_generators_are_one_sentence(generators: dict[str, str]) -> None:
    with pytest.raises(HeadgateError, match=r"generator X\d"):
        make_factorial(factors(3), generators)
