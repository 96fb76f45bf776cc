"""A hundred claims, drawn over all studies and recomputed from stored runs by a second program."""

from __future__ import annotations

import ast
import hashlib
import math
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

from .recompute_claims import FUNCTIONS, by_sql
from .recompute_stored import ROOT, STORED, runs

STUDIES = ROOT / "studies" / "headgate_studies"
SEED, DRAWN, LEAST_OF_A_STUDY = 1, 100, 3
#: These compare runs with a model's course over time, for which there is no second solver.
NEED_A_SOLVER = {"least_tiny_loss", "warning_precision"}
#: The package solves these models in time, up to close to their rest; the second program takes the
#: rest itself. Relative distances between the two.
AT_REST = {"worst_one_flow": 0.001}
#: Modules that the second program may import.
ALLOWED = {
    "duckdb", "fractions", "functools", "itertools", "json", "math", "numpy", "pandas", "pathlib",
    "statistics", "tomllib",
}  # fmt: skip
MOST_LINES = 200

#: The query of a claim: SQL, or a function with its arguments.
Value = str | dict[str, Any]


@cache
def claims_of(study: str) -> dict[str, Value]:
    """Read what each claim asks, with the files that a study's claims extend."""
    path: Path | None = STUDIES / study.replace("-", "_") / "claims.toml"
    asked: dict[str, Any] = {}
    while path:
        file = tomllib.loads(path.read_text(encoding="utf-8"))
        for claim in file.get("claim", []):
            value = _merge(file.get("kinds", {}).get(claim.get("kind"), {}), claim)
            asked[claim["id"]] = _merge({"value": value}, {"value": asked.get(claim["id"])})
        path = path.parent / file["extends"] if "extends" in file else None
    return {claim: value for claim, value in asked.items() if value}


def _merge(kind: dict[str, Any], claim: dict[str, Any]) -> Value | None:
    """Return what a claim asks, with the arguments that it takes over."""
    taken, own = kind.get("value"), claim.get("value")
    return taken | own if isinstance(taken, dict) and isinstance(own, dict) else own or taken


@cache
def stored_numbers(study: str) -> pd.Series[float]:
    """Return the stored number of each claim, NaN if none is stored; empty before any run."""
    file = ROOT / "studies" / "results" / study / STORED[study] / "findings.parquet"
    if not file.exists():
        return pd.Series(dtype=float)
    return duckdb.read_parquet(str(file)).df().set_index("claim").ours


def has_a_number(study: str, claim: str) -> bool:
    """Return whether the number of a claim exists, as far as it is known."""
    return not math.isnan(stored_numbers(study).get(claim, 0.0))


def hash_claim(pair: tuple[str, str]) -> str:
    """Return what orders the claims; a claim that is added moves no other."""
    return hashlib.sha256(f"{SEED} {pair[0]} {pair[1]}".encode()).hexdigest()


def draw() -> list[tuple[str, str]]:
    """Draw over all claims with a number: some of each study, then the first of the rest."""
    every = [(s, c) for s in STORED for c in claims_of(s) if has_a_number(s, c)]
    ordered = sorted(every, key=hash_claim)
    first = [
        pair
        for study in STORED
        for pair in [pair for pair in ordered if pair[0] == study][:LEAST_OF_A_STUDY]
    ]
    rest = [pair for pair in ordered if pair not in first]
    return sorted(first + rest[: DRAWN - len(first)])


CLAIMS = draw()


def function_of(study: str, claim: str) -> str:
    """Return the function that a claim names."""
    value = claims_of(study)[claim]
    return "SQL" if isinstance(value, str) else str(value["function"])


def recompute(study: str, claim: str) -> float:
    """Compute a claim's number with the second program."""
    value = claims_of(study)[claim]
    if isinstance(value, str):
        return float(by_sql(study, value))
    given = {name: each for name, each in value.items() if name != "function"}
    return float(FUNCTIONS[value["function"]](study, **given))


@pytest.mark.parametrize(("study", "claim"), CLAIMS, ids=[" ".join(pair) for pair in CLAIMS])
def test_a_second_program_finds_the_same(study: str, claim: str) -> None:
    if not runs(study):
        waiting = sum(not runs(each) for each, _ in CLAIMS)
        pytest.skip(f"no runs of {study} are stored: {waiting} of {DRAWN} claims wait for runs")
    function = function_of(study, claim)
    if function in NEED_A_SOLVER:
        pytest.skip(f"{function} needs a model's course over time, which only the package solves")
    ours = recompute(study, claim)
    assert math.isfinite(ours)
    stored = stored_numbers(study).get(claim)
    if stored is None:
        pytest.skip(f"{ours:.6g} found; no finding of {study} with this name is stored yet")
    tolerance = AT_REST.get(function, 1e-9)
    assert math.isclose(ours, stored, rel_tol=tolerance, abs_tol=1e-12), (ours, stored)


def test_the_draw_covers_every_study() -> None:
    assert len(set(CLAIMS)) == DRAWN
    assert {path.parent.name.replace("_", "-") for path in STUDIES.glob("*/claims.toml")} == {
        *STORED
    }
    drawn = pd.Series([study for study, _ in CLAIMS]).value_counts()
    assert (drawn[list(STORED)] >= LEAST_OF_A_STUDY).all()


def test_only_what_is_drawn_is_left_out() -> None:
    drawn = {function_of(*pair) for pair in CLAIMS}
    assert drawn >= NEED_A_SOLVER | {*AT_REST}
    assert drawn - {*FUNCTIONS, "SQL"} == NEED_A_SOLVER


@pytest.mark.parametrize(
    "name", sorted(path.name for path in Path(__file__).parent.glob("recompute_*.py"))
)
def test_the_second_program_knows_nothing_of_the_package(name: str) -> None:
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    imported: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            imported |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            names = [node.module] if node.module else [name.name for name in node.names]
            assert node.level == 0 or all(each.startswith("recompute_") for each in names)
            imported |= {each.split(".")[0] for each in names if node.level == 0}
    assert imported <= ALLOWED
    assert sum(bool(line.strip()) for line in text.splitlines()) <= MOST_LINES
