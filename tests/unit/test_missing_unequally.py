"""Values that some levels lack more often than others: a note says that means are of the rest."""

from math import comb

import numpy as np
import pytest

from headgate.figures.analysis.frame import Frame
from headgate.figures.analysis.missing_values import CHANCE, Shares
from headgate.figures.analysis.notes import write_notes

CHANCES = np.random.default_rng(31)


def make_table(missing: dict[str, int], rows: int = 20) -> Frame:
    """Return completion times, of which the first ones of each algorithm are missing."""
    times = {
        cca: [None] * count + CHANCES.normal(size=rows - count).tolist()
        for cca, count in missing.items()
    }
    return Frame.of(
        {
            "cca": [cca for cca, of in times.items() for _ in of],
            "queue": ["fq", "codel"] * (rows * len(times) // 2),
            "fct": [time for of in times.values() for time in of],
        }
    )


def test_a_level_with_more_missing_values_is_named() -> None:
    notes = write_notes(make_table({"bbr": 12, "cubic": 0, "reno": 1}), ["cca", "queue"], ["fct"])
    assert notes == [
        "Rows without a finite number are left out of the analyses of that response: fct 13 of 60.",
        "fct is missing more often at some levels of cca than at others (bbr 12 of 20, reno 1 of"
        " 20, cubic 0 of 20). Means are those of the other rows, so an effect of cca on fct may be"
        " due to the missing values.",
    ]


def test_missing_values_at_all_levels_are_only_counted() -> None:
    notes = write_notes(make_table({"bbr": 6, "cubic": 5, "reno": 4}), ["cca", "queue"], ["fct"])
    assert len(notes) == 1


def test_p_is_fisher_s() -> None:
    """All 5 missing values at one of two levels of 10 rows: 2 C(10, 5) / C(20, 5)."""
    shares = Shares.of(["a"] * 10 + ["b"] * 10, np.arange(20) < 5)
    assert shares.compute_p() == pytest.approx(2 * comb(10, 5) / comb(20, 5))


def test_values_missing_at_random_get_a_note_as_rarely_as_promised() -> None:
    """Fisher's test is exact, so its p is at most uniform; of 2,000 tables, 2 are expected."""
    names = np.repeat(["a", "b", "c", "d"], 15)
    found = 0
    for _ in range(2000):
        table = {"x": names, "y": [1.0 if one > 0.3 else None for one in CHANCES.random(60)]}
        notes = write_notes(Frame.of(table), ["x"], ["y"])
        found += any("missing more often" in note for note in notes)
    assert found <= 2000 * CHANCE * 4


def test_many_levels_are_listed_in_part() -> None:
    shares = Shares.of(list("aabbccddee"), np.arange(10) < 3)
    assert shares.describe() == "a 2 of 2, b 1 of 2, c 0 of 2, e 0 of 2"
