"""Claims on NIST's experiments, recomputed from their stored runs by a second program."""

import math
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from .recompute_claims import FUNCTIONS, ROOT, STORED

STUDIES = ROOT / "python" / "headgate" / "studies"
#: Given to the law itself, and not measured in a run.
NOT_OF_RUNS = {"cuts"}


def claims_of(study: str) -> dict[str, dict[str, Any]]:
    """Read what each claim asks, with the files that a study's claims extend."""
    path: Path | None = STUDIES / study.replace("-", "_") / "claims.toml"
    asked: dict[str, dict[str, Any]] = {}
    while path:
        file = tomllib.loads(path.read_text(encoding="utf-8"))
        for claim in file.get("claim", []):
            asked[claim["id"]] = claim.get("value", {}) | asked.get(claim["id"], {})
        path = path.parent / file["extends"] if "extends" in file else None
    return asked


def with_numbers() -> Iterator[Any]:
    for study, scale in STORED.items():
        file = ROOT / "results" / study / scale / "findings.parquet"
        stored = duckdb.read_parquet(str(file)).df().set_index("claim").ours.dropna()
        asked = claims_of(study)
        for claim in stored.index.intersection(list(asked)):
            if asked[claim]["function"] not in NOT_OF_RUNS:
                yield pytest.param(study, asked[claim], stored[claim], id=f"{study}-{claim}")


@pytest.mark.parametrize(("study", "asked", "stored"), list(with_numbers()))
def test_a_second_program_finds_the_same(study: str, asked: dict[str, Any], stored: float) -> None:
    given = {name: value for name, value in asked.items() if name != "function"}
    ours = FUNCTIONS[asked["function"]](study, **given)
    assert math.isclose(ours, stored, rel_tol=1e-9, abs_tol=1e-12), (ours, stored)


def test_it_knows_nothing_of_the_package() -> None:
    text = Path(__file__).with_name("recompute_claims.py").read_text(encoding="utf-8")
    assert "import headgate" not in text
    assert "from headgate" not in text
    assert sum(bool(line.strip()) for line in text.splitlines()) <= 200
