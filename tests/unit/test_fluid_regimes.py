"""The table of speed and error of fluid models by regime, against stored numbers and new runs."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import pytest

from headgate_studies.fluid_check.faces import faces
from headgate_studies.fluid_check.regimes import (
    CELLS,
    LOADS,
    Regime,
    compare_cell,
    compare_completion,
    make_setup,
    read_stored,
    write_table,
)

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "fluid.md"


def test_the_page_shows_the_stored_numbers() -> None:
    assert write_table(read_stored()) in PAGE.read_text()


def test_every_regime_is_stored() -> None:
    known = [name for name, (ccas, _) in CELLS.items() for _ in ccas]
    assert [row.name for row in read_stored()] == known + ["completion times"] * len(LOADS)


def assert_stored(made: Regime) -> None:
    """Compare errors with the stored ones; speeds depend on the machine."""
    (stored,) = (row for row in read_stored() if row.place == made.place)
    expected = asdict(replace(stored, faster=made.faster))
    assert asdict(made) == pytest.approx(expected, abs=1e-6, nan_ok=True)


def test_new_runs_give_the_stored_errors() -> None:
    assert_stored(compare_completion(LOADS[0]))
    name = "explicit feedback, large windows"
    (vcp,) = (face for face in faces() if face.name == "vcp")
    made = compare_cell(make_setup(), name, vcp, CELLS[name][1])
    assert made.faster > 1
    assert_stored(made)
