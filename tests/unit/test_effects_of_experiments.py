"""Effects of an experiment, by planted numbers: paired ones, and those of a model."""

import numpy as np
import pytest

from headgate.experiment.effects import model_effects, paired_effects


def planted(replicates: int) -> tuple[np.ndarray, np.ndarray]:
    """3 x 2 conditions: y = 10 + (0, 1, 5)[a] + 2 b + a b, and what each replicate adds to b."""
    coded = np.array([(a, b) for a in (-1.0, 0.0, 1.0) for b in (-1.0, 1.0)])
    own = np.linspace(-1, 1, replicates)
    base = [10 + {-1: 0, 0: 1, 1: 5}[int(a)] + 2 * b + a * b for a, b in coded]
    return coded, np.array([y + 100 * own + own * b for y, (_, b) in zip(base, coded, strict=True)])


def test_effects_of_planted_numbers_by_hand() -> None:
    coded, values = planted(3)
    found = {(e.factors, e.steps): e for e in paired_effects(["a", "b"], coded, values)}
    first, last = (-1.0, 0.0), (-1.0, 1.0)
    # what is common to a replicate (100 own) cancels; so does b's own in a
    assert found[("a",), (first,)].effect == pytest.approx(1)
    assert found[("a",), (last,)].effect == pytest.approx(5)
    assert found[("a",), (last,)].low == pytest.approx(5)
    b = found[("b",), (last,)]
    assert b.effect == pytest.approx(4)
    # b differs by 2 own between replicates: -2, 0, 2; sd 2, t = 4.303, n = 3
    assert b.high - b.effect == pytest.approx(4.30265 * 2 / 3**0.5, rel=1e-4)
    # half of (change of b's effect): from a = -1 to 1 it grows by 4, to 0 by 2
    assert found[("a", "b"), (last, last)].effect == pytest.approx(2)
    assert found[("a", "b"), (first, last)].effect == pytest.approx(1)


def test_effects_take_only_conditions_that_are_equal_but_for_the_factor() -> None:
    coded, values = planted(2)
    found = {(e.factors, e.steps): e for e in paired_effects(["a", "b"], coded[:-1], values[:-1])}
    # a = 1 is there with b = -1 alone: 5 - 2 (the interaction at b = -1)
    assert found[("a",), ((-1.0, 1.0),)].effect == pytest.approx(5 - 2)
    assert (("a", "b"), ((-1.0, 1.0), (-1.0, 1.0))) not in found


def test_in_a_two_level_grid_pairs_and_the_model_agree() -> None:
    rng = np.random.default_rng(1)
    coded = np.array([(a, b, c) for a in (-1.0, 1) for b in (-1.0, 1) for c in (-1.0, 1)])
    values = rng.normal(size=(8, 4)) + coded @ [[1], [2], [3]] + coded[:, :1] * coded[:, 1:2]
    names = ["a", "b", "c"]
    pairs = {e.factors: e.effect for e in paired_effects(names, coded, values)}
    model = {e.factors: e.effect for e in model_effects(names, coded, values)}
    assert pairs == pytest.approx(model)
