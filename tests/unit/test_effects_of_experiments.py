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
    # the common part of a replicate (100 own) cancels; so does that of b in a
    assert found[("a",), (first,)].effect == pytest.approx(1)
    assert found[("a",), (last,)].effect == pytest.approx(5)
    # it is 5 in every replicate, so that its spread is unknown
    assert np.isnan([found[("a",), (last,)].low, found[("a",), (last,)].p]).all()
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
    model = {e.factors: e.effect for e in model_effects(names, coded, values, [False] * 3)}
    assert pairs == pytest.approx(model)


def latin_hypercube(rng: np.random.Generator, points: int, factors: int) -> np.ndarray:
    """Return a sample with one point in each of the equal parts of every factor, from -1 to 1."""
    places = np.array([rng.permutation(points) for _ in range(factors)]).T
    return 2 * (places + rng.random((points, factors))) / points - 1


@pytest.mark.parametrize("replicates", [1, 10])
def test_intervals_of_a_sample_hold_the_truth_as_often_as_they_say(replicates: int) -> None:
    """Lack of fit, of deviation 1, is common to the replicates of a condition."""
    rng = np.random.default_rng(7)
    held = []
    for _ in range(400):
        coded = latin_hypercube(rng, 16, 3)
        lack = rng.normal(size=(16, 1))
        values = coded[:, :1] + lack + 0.2 * rng.normal(size=(16, replicates))
        first = model_effects(["a", "b", "c"], coded, values, [True] * 3)[0]
        assert first.replicates == replicates
        held.append(first.low <= 2 <= first.high)
    assert np.mean(held) == pytest.approx(0.95, abs=0.035)  # three deviations of the share


def test_the_error_of_a_sample_has_conditions_less_terms_degrees_of_freedom() -> None:
    rng = np.random.default_rng(8)
    coded, values = latin_hypercube(rng, 8, 2), rng.normal(size=(8, 3))
    values[0, 1] = np.nan  # the mean of a condition is that of the runs that there are
    matrix = np.column_stack([np.ones(8), coded, coded[:, 0] * coded[:, 1]])
    means = np.nanmean(values, axis=1)
    fitted, left = np.linalg.lstsq(matrix, means, rcond=None)[:2]
    error = np.sqrt(left[0] / 4 * np.linalg.inv(matrix.T @ matrix)[1, 1])
    found = model_effects(["a", "b"], coded, values, [True] * 2)[0]
    assert found.effect == pytest.approx(2 * fitted[1])
    assert found.high - found.effect == pytest.approx(2.77645 * 2 * error, rel=1e-4)  # t(0.975, 4)


def test_a_saturated_fraction_has_intervals_over_its_replicates() -> None:
    """2^(3-1) with c = a b leaves no error: half the change of a over 3 replicates, t = 4.303."""
    coded = np.array([(a, b, a * b) for a in (-1.0, 1.0) for b in (-1.0, 1.0)])
    own = np.array([-1.0, 0.0, 1.0])
    values = 10 + 100 * own + coded[:, :1] * (3 + own)
    nominal = [False] * 3
    found = {e.factors: e for e in model_effects(["a", "b", "c"], coded, values, nominal)}
    assert found["a",].effect == pytest.approx(6)
    assert found["a",].high - found["a",].effect == pytest.approx(4.30265 * 2 / 3**0.5, rel=1e-4)
    assert (found["a",].decided, found["a",].replicates) == (True, 3)
    alone = model_effects(["a", "b", "c"], coded, values[:, :1], nominal)[0]
    assert (alone.effect, alone.has_interval, alone.decided) == (pytest.approx(4), False, False)


def test_one_replicate_of_a_grid_has_no_interval() -> None:
    coded, values = planted(1)
    found = paired_effects(["a", "b"], coded, values)
    assert not any(effect.has_interval or effect.decided for effect in found)
