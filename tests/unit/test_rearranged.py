"""Chance is judged by whole runs that change sides, against cases counted by hand."""

import numpy as np
import pytest

from headgate.stats.changes import (
    MOST_REARRANGEMENTS,
    compute_chances,
    compute_least_chance,
    rearrange,
)


def pair_of_ccas(conditions: int, replicates: int) -> list[np.ndarray]:
    """Return runs in which the second algorithm doubles both responses, with hardly any noise."""
    noise = 1 + 1e-3 * np.random.default_rng(2).normal(size=(conditions, 2, replicates, 2))
    return list(noise * np.array([1.0, 2.0])[None, :, None, None])


def test_a_pair_has_as_many_arrangements_as_signs() -> None:
    runs = pair_of_ccas(1, 3)
    made = rearrange(runs[0], paired=True)
    assert len(made) == 8
    np.testing.assert_array_equal(made[0], runs[0])
    assert {tuple(np.sort(of[:, 0, 0])) for of in made} == {tuple(np.sort(runs[0][:, 0, 0]))}
    assert len(rearrange(runs[0], paired=False)) == 20
    assert len(rearrange(pair_of_ccas(1, 12)[0], paired=True)) == MOST_REARRANGEMENTS


@pytest.mark.parametrize(("paired", "each"), [(True, 8), (False, 20)])
def test_all_cells_worse_has_the_chance_of_one_arrangement(paired: bool, each: int) -> None:
    runs, worse = pair_of_ccas(2, 3), np.array([-1, -1])
    assert compute_chances(runs, worse, paired=paired) == pytest.approx((1, 1 / each**2))
    assert compute_least_chance(runs, paired=paired) == pytest.approx(1 / each**2)


def test_responses_that_go_together_count_once() -> None:
    """Of one condition and three pairs nothing is beyond 1 in 8, however many responses."""
    runs = [np.repeat(of, 20, axis=-1) for of in pair_of_ccas(1, 3)]
    assert compute_chances(runs, np.full(40, -1), paired=True)[1] == pytest.approx(1 / 8)


def test_lost_runs_are_no_runs() -> None:
    runs = pair_of_ccas(2, 3)
    runs[0][1, 0] = np.nan
    assert compute_chances(runs, np.array([-1, -1]), paired=True)[1] < 0.2
