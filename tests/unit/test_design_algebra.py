"""The algebra of fractions: words with signs, aliases, foldover, and the deck's designs by name."""

from itertools import combinations
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.base.errors import HeadgateError
from headgate.design import Design, make_factorial
from headgate.design.factor import letter_factors, make_coded_factors, number_factors
from headgate.design.factorial import fold_over
from headgate.design.named import make_named_design


def design(count: int, **generators: str) -> Design:
    return make_factorial(make_coded_factors(letter_factors(count)), generators)


@st.composite
def fractions(draw: st.DrawFn) -> Design:
    """Any fraction whose factors have different columns, with any signs."""
    basic = draw(st.integers(2, 6))
    names = letter_factors(draw(st.integers(basic, min(12, 2**basic - 1))))
    free = [p for p in range(1, 1 << basic) if p.bit_count() > 1]
    points = draw(st.permutations(free))[: len(names) - basic]
    rules = {
        name: draw(st.sampled_from(["", "-"]))
        + " ".join(names[i] for i in range(basic) if point >> i & 1)
        for name, point in zip(names[basic:], points, strict=True)
    }
    return make_factorial(make_coded_factors(names), rules)


@given(fractions())
@settings(max_examples=60, deadline=None)
def test_every_design_is_orthogonal_and_balanced(made: Design) -> None:
    matrix = made.matrix.astype(int)
    assert np.array_equal(matrix.T @ matrix, len(made) * np.eye(len(made.factors)))
    assert not matrix.sum(axis=0).any()


@given(fractions())
@settings(max_examples=60, deadline=None)
def test_words_are_constant_columns_with_their_sign(made: Design) -> None:
    words = made.fraction.words
    assert len(words) == 2 ** (len(made.factors) - made.fraction.basic) - 1
    for word in words:
        assert (made.matrix[:, word.effect].prod(axis=1) == word.sign).all()


@given(fractions())
@settings(max_examples=60, deadline=None)
def test_words_that_are_counted_are_those_that_are_listed(made: Design) -> None:
    sizes, counts = np.unique([len(word) for word in made.fraction.words], return_counts=True)
    listed = dict(zip(sizes.tolist(), counts.tolist(), strict=True))
    assert made.fraction.word_lengths == listed


@given(fractions())
@settings(max_examples=40, deadline=None)
def test_aliases_are_equal_columns_and_clear_effects_have_none(made: Design) -> None:
    columns = {
        effect: made.matrix[:, effect].astype(int).prod(axis=1)
        for effect in made.fraction.effects(2)
    }
    alone = []
    for effect, column in columns.items():
        alike = {o: int(c @ column) // len(made) for o, c in columns.items() if o != effect}
        alike = {o: sign for o, sign in alike.items() if sign}
        assert dict(made.fraction.aliases(effect)) == alike
        if not alike and abs(column.sum()) != len(made):
            alone.append(effect)
    assert sorted(made.fraction.clear()) == sorted(alone)


@given(fractions())
@settings(max_examples=40, deadline=None)
def test_full_foldover_leaves_words_of_even_length_only(made: Design) -> None:
    """So resolution III becomes IV (or more, if there is no word of length 4)."""
    both = fold_over(made)
    assert len(both) == 2 * len(made)
    assert np.array_equal(both.matrix[: len(made)], made.matrix)
    assert np.array_equal(both.matrix[len(made) :], -made.matrix)
    even = {j: n for j, n in made.fraction.word_lengths.items() if j % 2 == 0}
    assert both.fraction.word_lengths == even


def test_foldover_of_resolution_three_gives_four() -> None:
    third = design(7, D="A B", E="A C", F="B C", G="A B C")
    assert third.resolution == 3
    assert fold_over(third).resolution == 4


def test_foldover_on_one_factor_frees_it_and_its_interactions() -> None:
    third = design(7, D="A B", E="A C", F="B C", G="A B C")
    both = fold_over(third, ["A"])
    assert not both.aliases("A")
    assert all("A" not in word for word in both.words)
    for other in "BCDEFG":
        assert not [alias for alias in both.aliases(f"A {other}") if "A" not in alias]
    assert both.aliases("B") == ["CF", "DG"] or "CF" in both.aliases("B")


def test_signs_are_kept_in_relation_and_aliases() -> None:
    """I = -ABC = -BDE = ACDE, by hand: C = -AB and E = -BD."""
    made = design(5, C="-A B", E="-B D")
    assert made.fraction.relation() == "I = -ABC = -BDE = ACDE"
    assert made.aliases("A") == ["-BC"]
    assert made.aliases("A D") == ["CE"]
    assert made.fraction.relation(most=1) == "I = -ABC = ... (2 more)"


def test_generators_may_build_on_each_other() -> None:
    made = design(4, C="A B", D="-C A")
    assert np.array_equal(made.column("D"), -made.column("B"))
    assert made.resolution == 2


def test_the_deck_s_designs_are_there_by_name() -> None:
    sixth, source = make_named_design("2^(6-1)")
    assert (len(sixth), sixth.resolution) == (32, 6)
    assert sixth.fraction.relation() == "I = X1 X2 X3 X4 X5 X6"
    assert "2TO6M1" in source
    ninth, _ = make_named_design("2^(9-4)")
    assert (len(ninth), ninth.resolution) == (32, 4)
    assert ninth.fraction.word_lengths == {4: 6, 5: 8, 8: 1}
    eleventh, _ = make_named_design("2^(11-5)")
    assert (len(eleventh), eleventh.resolution) == (64, 4)


def test_the_plan_of_256_runs_has_its_published_words() -> None:
    twentieth, source = make_named_design("2^(20-12)")
    assert (len(twentieth), twentieth.resolution) == (256, 4)
    counts = {4: 70, 6: 276, 8: 940, 10: 1432, 12: 1074, 14: 276, 16: 27}
    assert twentieth.fraction.word_lengths == counts
    assert sum(counts.values()) == len(twentieth.words) == 4095
    clear = twentieth.fraction.clear()
    assert {effect for effect in clear if len(effect) == 1} == {(i,) for i in range(20)}
    assert "MILLS_20_256" in source


def test_what_dataplot_states_of_its_2_to_9_minus_4() -> None:
    """2TO9M4.DAT lists the chains of two-factor interactions; 5 is clear of all."""
    ninth, _ = make_named_design("2^(9-4)")
    assert ninth.aliases("X1 X6") == ["X2 X7", "X3 X8", "X4 X9"]
    assert ninth.aliases("X1 X2") == ["X6 X7"]
    assert not ninth.aliases("X5 X9")


def test_very_many_words_are_counted_but_not_listed() -> None:
    saturated, _ = make_named_design("2^(31-26)")
    assert saturated.fraction.word_lengths[3] == 31 * 30 // 6  # lines of PG(4, 2)
    assert sum(saturated.fraction.word_lengths.values()) == 2**26 - 1
    with pytest.raises(HeadgateError, match="26 generators"):
        _ = saturated.words


def test_a_named_design_takes_the_factors_it_is_given() -> None:
    made, _ = make_named_design("2^(6-1)", make_coded_factors(letter_factors(6)))
    assert made.fraction.relation() == "I = ABCDEF"
    assert prod(made.matrix[0].tolist()) == 1


@pytest.mark.parametrize("name", ["2^(4-4)", "2^0", "3^(4-1)", "half", "2^(1000-1)"])
def test_names_of_no_design_are_one_sentence(name: str) -> None:
    with pytest.raises(HeadgateError, match="is not the name of a two-level design"):
        make_named_design(name)


def test_wrong_counts_sizes_and_foldovers_are_one_sentence() -> None:
    with pytest.raises(HeadgateError, match="a design of 6 factors needs 6, not 3"):
        make_named_design("2^(6-1)", make_coded_factors(letter_factors(3)))
    with pytest.raises(HeadgateError, match=r"make 2\^25 runs; at most"):
        design(25)
    with pytest.raises(HeadgateError, match="foldover: 'Z' is not a factor"):
        fold_over(design(3), ["Z"])


def test_two_factors_of_one_name_are_one_sentence() -> None:
    with pytest.raises(HeadgateError, match="two factors are called 'A'"):
        make_factorial(make_coded_factors(["A", "B", "A"]))


@given(fractions())
@settings(max_examples=40, deadline=None)
def test_the_runs_are_those_that_pydoe_makes(made: Design) -> None:
    """It writes generators as it does columns, "a b -ab"; its first factor changes slowest."""
    from pydoe import fracfact

    names, basic = [f.name.lower() for f in made.factors], made.fraction.basic
    columns = [
        "-" * (sign < 0) + "".join(names[i] for i in range(basic) if point >> i & 1)
        for point, sign in zip(made.fraction.points, made.fraction.signs, strict=True)
    ]
    theirs = fracfact(" ".join(columns)).astype(int)
    assert sorted(theirs.tolist()) == sorted(made.matrix.tolist())


def test_effects_of_all_orders_are_counted() -> None:
    made = make_factorial(make_coded_factors(number_factors(5)))
    assert len(list(made.fraction.effects(5))) == 2**5 - 1
    assert len(made.fraction.clear()) == 5 + len(list(combinations(range(5), 2)))
