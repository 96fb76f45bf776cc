"""Columns that were not named: an error lists them, and a note names one that matters."""

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import f as f_distribution
from scipy.stats import f_oneway

from headgate.figures.analysis.frame import Frame
from headgate.figures.analysis.notes import write_notes
from headgate.figures.analysis.unnamed_columns import list_columns
from headgate.stats.added_labels import compute_added_p, compute_nested_p

CHANCE = np.random.default_rng(11)


def fit_error(values: NDArray[np.float64], *labels: NDArray[np.int64]) -> tuple[float, int]:
    """Return the residual sum of squares of a model of indicators, and its rank."""
    columns = np.hstack([np.equal.outer(of, np.unique(of)).astype(float) for of in labels])
    _, _, rank, _ = found = np.linalg.lstsq(columns, values, rcond=None)
    return float(np.sum((values - columns @ found[0]) ** 2)), int(rank)


def test_p_is_that_of_two_nested_models() -> None:
    """Unbalanced cells, and levels that some cells lack."""
    for _ in range(50):
        runs = int(CHANCE.integers(12, 60))
        cells, levels = CHANCE.integers(0, 4, runs), CHANCE.integers(0, 5, runs)
        values = CHANCE.normal(size=runs) + cells + 0.3 * levels
        (small, fewer), (large, more) = fit_error(values, cells), fit_error(values, cells, levels)
        added, free = more - fewer, runs - more
        ratio = (small - large) / added / (large / free)
        p = compute_added_p(values, cells, levels)
        assert p == pytest.approx(f_distribution.sf(ratio, added, free), rel=1e-6)


def test_p_of_nested_levels_is_that_of_two_nested_models() -> None:
    for _ in range(50):
        runs = int(CHANCE.integers(12, 60))
        cells, levels = CHANCE.integers(0, 3, runs), CHANCE.integers(0, 3, runs)
        groups = 3 * cells + levels
        values = CHANCE.normal(size=runs) + cells + 0.5 * CHANCE.normal(size=9)[groups]
        (small, fewer), (large, more) = fit_error(values, cells), fit_error(values, groups)
        ratio = (small - large) / (more - fewer) / (large / (runs - more))
        p = compute_nested_p(values, cells, levels)
        assert p == pytest.approx(f_distribution.sf(ratio, more - fewer, runs - more), rel=1e-6)


def test_in_one_cell_it_is_the_one_way_test() -> None:
    groups = [CHANCE.normal(mean, 1, 8) for mean in (0.0, 0.5, 1.0)]
    values, levels = np.concatenate(groups), np.repeat([0, 1, 2], 8)
    p = compute_added_p(values, np.zeros(24, dtype=int), levels)
    assert p == pytest.approx(f_oneway(*groups).pvalue)
    assert compute_nested_p(values, np.zeros(24, dtype=int), levels) == pytest.approx(p)


def test_values_that_are_missing_are_left_out() -> None:
    values, cells, levels = CHANCE.normal(size=24), np.arange(24) % 2, np.arange(24) % 3
    longer = compute_added_p(np.append(values, math.nan), np.append(cells, 7), np.append(levels, 8))
    assert longer == pytest.approx(compute_added_p(values, cells, levels))
    assert compute_added_p(np.array([math.nan]), np.array([0]), np.array([0])) == 1


@pytest.mark.parametrize(
    ("values", "cells", "levels", "p"),
    [
        ([1.0, 2.0, 3.0, 4.0], [0, 0, 1, 1], [0, 0, 1, 1], 1.0),  # constant in each cell
        ([1.0, 1.0, 1.0, 1.0], [0, 0, 0, 0], [0, 0, 1, 1], 1.0),  # nothing varies
        ([1.0, 2.0], [0, 0], [0, 1], 1.0),  # no run for the error
        ([1.0, 1.0, 2.0, 2.0], [0, 0, 0, 0], [0, 0, 1, 1], 0.0),  # explained without an error
    ],
)
def test_limits(values: list[float], cells: list[int], levels: list[int], p: float) -> None:
    for compute in (compute_added_p, compute_nested_p):
        assert compute(np.array(values), np.array(cells), np.array(levels)) == p


def test_without_an_effect_p_is_uniform() -> None:
    cells, levels = np.arange(36) % 4, np.arange(36) % 3
    found = [compute_added_p(CHANCE.normal(size=36), cells, levels) for _ in range(2000)]
    for chance in (0.05, 0.5):
        error = 4 * math.sqrt(chance * (1 - chance) / len(found))
        assert np.mean(np.array(found) < chance) == pytest.approx(chance, abs=error)


def make_long(**columns: object) -> Frame:
    """Return a table in long form: two measures of four runs in each of four conditions."""
    rows = list(itertools.product(("bbr", "cubic"), ("codel", "fq"), range(4), ("delay", "rate")))
    names = ("cca", "queue", "seed", "metric")
    table = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    noise = np.random.default_rng(3).normal(size=len(rows))
    value = [
        50 + one if row[3] == "rate" else 20 + one for row, one in zip(rows, noise, strict=True)
    ]
    return Frame.of({**table, "value": value, **columns})


def test_measures_in_one_column_are_noticed() -> None:
    """Without the note, 30 in place of 1 would be the error, and no effect is ever shown."""
    notes = write_notes(make_long(), ["cca", "queue"], ["value"])
    assert notes == [
        "metric is not named, but value depends on it (p < 0.001), so the rows of a condition are"
        " no replicates. Name metric by --factors, --by or --replicate. If rows are samples of one"
        " run, average the rows of each run first."
    ]
    assert not write_notes(make_long(), ["cca", "queue"], ["value"], ["metric"])
    assert not write_notes(make_long(), ["cca", "queue", "metric"], ["value"])


def test_seeds_that_every_condition_shares_are_noticed() -> None:
    frame = make_long()
    values = np.array(frame.numbers("value")) + 10 * np.array(frame.columns["seed"], dtype=float)
    with_seeds = make_long(value=values.tolist())
    roles: tuple[list[str], list[str], list[str]] = (["cca", "queue"], ["value"], ["metric"])
    (note,) = write_notes(with_seeds, *roles)
    assert note.startswith("seed is not named, but value depends on it")
    assert not write_notes(with_seeds, *roles, "seed")
    numbers = np.array(with_seeds.columns["seed"], dtype=int) * 7919  # another name of replicates
    both = make_long(value=values.tolist(), number=numbers.tolist())
    assert not write_notes(both, *roles, "seed")


def test_measured_numbers_are_not_taken_as_settings_and_words_are() -> None:
    """The losses of a run depend on its rate; they are no setting that was forgotten."""
    rate = CHANCE.normal(size=32)
    table = {"cca": ["a", "b"] * 16, "rate": rate}
    for losses in ((rate > 0).astype(int), np.round(rate), rate):
        assert not write_notes(Frame.of({**table, "losses": losses}), ["cca"], ["rate"])
    host = ["new" if one > 0 else "old" for one in rate]
    (note,) = write_notes(Frame.of({**table, "host": host}), ["cca"], ["rate"])
    assert note.startswith("host is not named, but rate depends on it")


def test_columns_are_listed_with_few_levels() -> None:
    assert list_columns(make_long()) == (
        "cca (bbr, cubic), queue (codel, fq), seed (4 values), metric (delay, rate),"
        " value (32 values)"
    )
    many = Frame.of({f"y{k}": [1, 2] for k in range(25)})
    assert list_columns(many).endswith("y19 (1, 2), 5 more")
