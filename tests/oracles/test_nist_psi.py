"""Psi as NIST printed it, from the stars that NIST printed."""

import csv
from math import floor
from pathlib import Path

from headgate.figures.analysis.influence import of_rows
from headgate.stats.effects import compute_psi_of_stars

DATA = Path(__file__).parent / "data" / "nist"
PERIODS = ("Period #1", "Period #2", "Period #3")
CCAS = ("TCP", "CTCP")


def rows(name: str) -> dict[str, dict[str, str]]:
    with (DATA / name).open() as file:
        return {
            next(iter(row.values())): dict(list(row.items())[1:]) for row in csv.DictReader(file)
        }


def test_psi_of_the_printed_stars_is_the_printed_row_of_period_2() -> None:
    stars, printed = rows("stars_period_2.csv"), rows("psi.csv")["Period #2"]
    found = {
        factor: compute_psi_of_stars([row[factor].lstrip("+-") for row in stars.values()])
        for factor in printed
    }
    assert {factor: f"{100 * psi:.0f}" for factor, psi in found.items()} == printed


def test_the_weighted_average_is_as_printed_in_all_columns() -> None:
    """Of the printed rows, whole per cents: X2 has 63.5 and prints 64, exact shares give 63.3."""
    printed = rows("psi.csv")
    of = {name: [float(cell) for cell in printed[name].values()] for name in (*PERIODS, *CCAS)}
    average = of_rows(of, list(printed["TCP"]), [PERIODS, CCAS]).average
    whole = {factor: str(floor(psi + 0.5)) for factor, psi in average.items()}
    assert whole == printed["Weighted Average"]
