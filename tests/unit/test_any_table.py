"""Small random tables of every kind: an answer without a warning, or an error in one sentence."""

import re
from collections.abc import Callable

import numpy as np
import pytest

from headgate.base.errors import AnalysisError
from headgate.figures.analysis import compute_main_effects
from headgate.figures.analysis.effect_sentences import write_sentences
from headgate.figures.analysis.frame import Frame
from headgate.figures.analysis.notes import write_notes

TABLES = 800
#: Levels of names, numbers and quantities; an empty cell is a missing level.
LEVELS = (
    ("a", "b", "c", "d", ""),
    ("1", "2", "3", "4", ""),
    ("10 ms", "20 ms", "0.1 s", "1 s", ""),
)
Draw = Callable[[np.random.Generator, int], object]
RESPONSES: tuple[Draw, ...] = (
    lambda rng, rows: rng.normal(size=rows),
    lambda rng, rows: rng.integers(0, 2, rows),
    lambda _, rows: np.zeros(rows),
    lambda rng, rows: rng.exponential(size=rows) ** 4,
    lambda rng, rows: np.round(rng.normal(size=rows)),
    lambda rng, rows: 1e9 + 1e-7 * rng.normal(size=rows),
    lambda rng, rows: [None if rng.random() < 0.3 else rng.normal() for _ in range(rows)],
    lambda rng, rows: [None] * rows if rng.random() < 0.5 else rng.normal(size=rows),
)
METHODS = ("interactions", "main-effects", "one-way")
#: A number that is none, or zero with a sign, in a sentence of these tables.
ODD = re.compile(r"\bnan\b|\binf\b|[-\N{MINUS SIGN}]0[ ,)]|\b1 runs")


def draw_table(rng: np.random.Generator) -> dict[str, object]:
    rows = int(rng.integers(2, 40))
    table: dict[str, object] = {"seed": rng.integers(0, 4, rows)}
    for number in range(rng.integers(1, 4)):
        kind, count = rng.integers(len(LEVELS)), rng.integers(1, 6)
        table[f"x{number}"] = [LEVELS[kind][level] for level in rng.integers(0, count, rows)]
    for number in range(rng.integers(1, 3)):
        table[f"y{number}"] = RESPONSES[rng.integers(len(RESPONSES))](rng, rows)
    return table


@pytest.mark.filterwarnings("error")
def test_every_table_gets_an_answer_or_a_reason() -> None:
    rng, answered = np.random.default_rng(2026), 0
    for number in range(TABLES):
        table = draw_table(rng)
        factors, responses = ([name for name in table if name[0] == first] for first in "xy")
        method, replicate = METHODS[rng.integers(3)], "seed" if rng.random() < 0.3 else None
        try:
            frame = Frame.of(table)
            said = write_notes(frame, factors, responses, replicate=replicate)
            found = compute_main_effects(
                frame, factors, responses, method=method, replicate=replicate
            )
            said += write_sentences(found)
        except AnalysisError as error:
            said = [str(error)]
        else:
            answered += 1
        assert said, number
        for sentence in said:
            assert not ODD.search(sentence), (number, sentence)
    assert answered > TABLES / 3
