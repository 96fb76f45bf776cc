"""What an experiment file asks in SQL reaches the tables of a run and nothing else."""

import math
import time
from pathlib import Path

import numpy as np
import pytest

from headgate.experiment import sql
from headgate.experiment.sql import SqlError
from headgate.tables import Table, Words

FLOWS = Table(
    "flows",
    {"goodput_bps": np.array([1.0, 2.0, np.nan]), "law": Words.of(["reno", "cubic", "reno"])},
)


def ask(question: str) -> float:
    return sql.number(sql.ask(question, {"flows": FLOWS}))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("SELECT sum(goodput_bps) FROM flows", 3.0),
        ("SELECT avg(goodput_bps) FROM flows", 1.5),  # what is missing is no zero
        ("SELECT count(*) FROM flows WHERE law = 'reno'", 2.0),
        ("SELECT sum(goodput_bps * 2) FROM flows", 6.0),
        ("SELECT count(*) FROM (SELECT * FROM flows)", 3.0),
        ("WITH own AS (SELECT goodput_bps AS g FROM flows) SELECT max(g) FROM own", 2.0),
        ("SELECT max(f.goodput_bps) FROM flows f", 2.0),
        ("SELECT max(flows.goodput_bps) FROM flows", 2.0),
        ("SELECT goodput_bps FROM flows WHERE law = 'none'", math.nan),
    ],
)
def test_questions_are_answered(question: str, answer: float) -> None:
    assert ask(question) == pytest.approx(answer, nan_ok=True)
    assert sql.ask_all([question, "SELECT 1"], {"flows": FLOWS}) == pytest.approx(
        [answer, 1], nan_ok=True
    )


SECRET = Table("secret", {"x": np.ones(1)})


@pytest.mark.parametrize(
    "question",
    [
        "SELECT count(*) FROM read_csv('/etc/passwd')",
        "SELECT count(*) FROM read_text('/etc/passwd')",
        "SELECT count(*) FROM glob('/*')",
        "SELECT count(*) FROM '/etc/passwd'",
        "SELECT x FROM SECRET",  # a variable of this file
        "SELECT getenv('HOME')",
        "COPY flows TO 'out.csv'",
        "ATTACH 'out.db'",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "SELECT 1; SELECT 2",
        "CREATE TABLE own AS SELECT 1",
        "SELECT count(*) FROM query('COPY flows TO ''out.csv''')",
        "SELECT * FROM flows",
        "SELECT law FROM flows",
        "SELECT max(law) FROM flows",
    ],
)
def test_nothing_else_is(question: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SqlError) as refused:
        ask(question)
    assert "\n" not in str(refused.value)
    assert not list(tmp_path.iterdir())


def test_no_question_takes_longer_than_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql, "TIME_S", 0.3)
    begun_s = time.perf_counter()
    with pytest.raises(SqlError, match=r"takes longer than 0\.3 s"):
        ask("SELECT count(*) FROM range(1000000000) a, range(1000000000) b WHERE a.range = b.range")
    assert time.perf_counter() - begun_s < 20
    assert ask("SELECT 1") == 1


def test_no_question_takes_more_memory_than_it_may() -> None:
    with pytest.raises(SqlError, match="Out of Memory"):
        ask("SELECT length(string_agg(range::VARCHAR, repeat('x', 1000))) FROM range(100000000)")
