"""Samples of one run are no replicates: a note says that successive rows are alike."""

import math
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import rankdata

from headgate.figures.analysis.frame import Frame
from headgate.figures.analysis.notes import write_notes
from headgate.stats.serial_correlation import correlate_successive

CHANCE = np.random.default_rng(23)
Numbers = NDArray[np.float64]


def make_series(count: int, correlation: float, rng: np.random.Generator) -> Numbers:
    """Return a stationary series in which each value remembers the one before."""
    values = rng.normal(size=count)
    for place in range(1, count):
        values[place] *= math.sqrt(1 - correlation**2)
        values[place] += correlation * values[place - 1]
    return values


@pytest.mark.parametrize("sizes", [(4,), (5,), (7,), (4, 5)])
def test_mean_and_variance_are_those_of_all_orders(sizes: tuple[int, ...]) -> None:
    """p is that of a normal sum with the mean and the variance over all orders of each group."""
    groups = np.repeat(np.arange(len(sizes)), sizes)
    values = np.sin(7.0 * np.arange(len(groups)))
    ranks = [rankdata(values[groups == g]) - (size + 1) / 2 for g, size in enumerate(sizes)]
    sums = [
        np.array([order[:-1] @ order[1:] for order in np.array(list(permutations(of)))])
        for of in ranks
    ]
    total = sum(float(of[:-1] @ of[1:]) for of in ranks)
    z = (total - sum(of.mean() for of in sums)) / math.sqrt(sum(of.var() for of in sums))
    found = correlate_successive(values, groups)
    assert found is not None
    assert found.p == pytest.approx(math.erfc(z / math.sqrt(2)) / 2)
    assert found.correlation == pytest.approx(total / sum(float(of @ of) for of in ranks))


@pytest.mark.parametrize("power", [1, 3])
def test_values_in_random_order_are_seldom_alike(power: int) -> None:
    """The tail does not grow with the tails of the values, because ranks are tested."""
    groups = np.arange(60) % 3
    drawn = CHANCE.exponential(size=(4000, 60)) ** power
    found = [one.p for values in drawn if (one := correlate_successive(values, groups))]
    for chance in (0.05, 0.005):
        error = 4 * math.sqrt(chance / len(found))
        assert np.mean(np.array(found) < chance) == pytest.approx(chance, abs=error)


def test_a_series_that_remembers_is_found() -> None:
    """The expected coefficient is that of a short series (Marriott and Pope 1954), of ranks."""
    groups = np.repeat([0, 1], 40)
    found = [
        correlate_successive(
            np.append(make_series(40, 0.7, CHANCE), make_series(40, 0.7, CHANCE)), groups
        )
        for _ in range(100)
    ]
    assert sum(one is not None and one.p < 0.001 for one in found) > 95
    expected = 6 / math.pi * math.asin(0.7 / 2) - (1 + 4 * 0.7) / 40
    assert np.mean([one.correlation for one in found if one]) == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize(
    "values", [[1.0] * 8, list(range(8)), [8, 7, 6, 5, 1, 2, 3, 4], [1.0, 2.0, 3.0, math.nan] * 2]
)
def test_sorted_constant_and_short_groups_are_not_tested(values: list[float]) -> None:
    """The order of a table that is sorted by its values says nothing about runs."""
    assert correlate_successive(np.array(values, dtype=float), np.repeat([0, 1], 4)) is None


def sample_runs(
    rng: np.random.Generator, runs: int = 3, samples: int = 20
) -> dict[str, list[object]]:
    """Return samples of several runs of two algorithms that do not differ."""
    table: dict[str, list[object]] = {"cca": [], "run": [], "rate": []}
    for cca in ("bbr", "cubic"):
        for run in range(runs):
            table["cca"] += [cca] * samples
            table["run"] += [run] * samples
            table["rate"] += (50 + rng.normal(0, 3) + rng.normal(0, 1, samples)).tolist()
    return table


def test_samples_of_a_run_are_noticed_with_and_without_its_column() -> None:
    noticed = {"run": 0, "none": 0, "replicate": 0}
    for _ in range(40):
        table = sample_runs(CHANCE)
        without = {name: column for name, column in table.items() if name != "run"}
        for key, notes in (
            ("run", write_notes(Frame.of(table), ["cca"], ["rate"])),
            ("none", write_notes(Frame.of(without), ["cca"], ["rate"])),
            ("replicate", write_notes(Frame.of(table), ["cca"], ["rate"], replicate="run")),
        ):
            noticed[key] += any("average the rows of each run first" in note for note in notes)
    assert noticed["run"] >= 38  # runs can be alike by chance
    assert noticed["none"] >= 36
    assert noticed["replicate"] >= 30  # the mean of equal numbers of runs is removed


def test_averages_of_runs_and_shared_seeds_get_no_note() -> None:
    """Seeds move the rates of all conditions alike, which is what a replicate is."""
    for _ in range(40):
        moved = CHANCE.normal(0, 5, 8)
        rows = [(cca, queue, seed) for seed in range(8) for cca in "ab" for queue in "cd"]
        rate = [moved[seed] + CHANCE.normal() for _, _, seed in rows]
        names = ("cca", "queue", "seed")
        table = Frame.of({**dict(zip(names, zip(*rows, strict=True), strict=True)), "rate": rate})
        assert not write_notes(table, ["cca"], ["rate"], replicate="seed")


def test_run_numbers_that_go_on_over_conditions_are_noticed(tmp_path: Path) -> None:
    table = sample_runs(np.random.default_rng(5))
    table["run"] = [place // 20 for place in range(120)]
    file = tmp_path / "t.csv"
    rows = zip(*table.values(), strict=True)
    file.write_text("cca,run,rate\n" + "\n".join(",".join(map(str, row)) for row in rows))
    (note,) = write_notes(Frame.of(file), ["cca"], ["rate"])
    assert note.startswith("run is not named, but rate depends on it (p < 0.001)")


def test_the_sentence_names_each_response() -> None:
    rng = np.random.default_rng(1)
    y, z = ([*make_series(40, 0.8, rng), *make_series(40, 0.8, rng)] for _ in range(2))
    table = {"cca": ["a"] * 40 + ["b"] * 40, "w": rng.normal(size=80), "y": y, "z": z}
    (note,) = write_notes(Frame.of(table), ["cca"], ["w", "y", "z"])
    assert note.startswith("Successive rows of a condition are alike in y (rank correlation 0.")
    assert ", z (rank correlation 0." in note
    assert "w (" not in note


def test_a_response_without_values_in_some_or_all_rows_gets_no_note() -> None:
    table = {"cca": ["a", "b"] * 6, "seed": [0, 0, 1, 1, 2, 2] * 2, "none": [math.nan] * 12}
    some = [math.nan] * 4 + CHANCE.normal(size=8).tolist()
    frame = Frame.of({**table, "some": some})
    notes = write_notes(frame, ["cca"], ["none", "some"], replicate="seed")
    assert [note for note in notes if "alike" in note or "not named" in note] == []
