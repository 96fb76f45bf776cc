"""A whole study, small: from the command line to the report, and again from the store."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from headgate.cli.main import app
from headgate.run import pool
from headgate.studies import runner, study

RUNS = 8 * 4 * 2


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shrink the quick scale until it takes seconds."""
    whole = study.load("tcp-replacements")
    quick = whole.plan.scales["quick"].model_copy(
        update={
            "size": 0.002,
            "seeds": 2,
            "fixed": {"warmup": "1 s", "period": "1 s", "periods": 3},
        }
    )
    plan = whole.plan.model_copy(update={"scales": {**whole.plan.scales, "quick": quick}})
    changed = study.Study(whole.folder)
    changed.__dict__["plan"] = plan
    monkeypatch.setattr(runner, "load", lambda _: changed)


def run(out: Path, *more: str) -> dict[str, object]:
    command = ["study", "tcp-replacements", "--scale", "quick", "--out", str(out), "--json", *more]
    done = CliRunner().invoke(app, command, catch_exceptions=False)
    assert done.exit_code == 0
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.usefixtures("small")
def test_a_study_runs_is_stored_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run(tmp_path, "--workers", "2")
    assert set(first) == {"study", "claims", "cpu_s", "packet_hops"}
    assert len(list((tmp_path / "runs").iterdir())) == RUNS
    page = tmp_path / "report.html"
    assert page.stat().st_size < 5_000_000
    assert len(list((tmp_path / "figures").glob("*.svg"))) == page.read_text().count("<figure>")
    monkeypatch.setattr(
        pool, "simulate", lambda *_, **__: pytest.fail("a finished run was repeated")
    )
    assert run(tmp_path) == first


def test_the_list_names_the_studies() -> None:
    done = CliRunner().invoke(app, ["study", "list", "--json"])
    assert "tcp-replacements" in {row["name"] for row in json.loads(done.stdout)}
