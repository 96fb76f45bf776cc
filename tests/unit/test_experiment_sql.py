"""The SQL of an experiment file can read the tables of a run and nothing else."""

import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from headgate.data.tables import Table, Words
from headgate.experiment import sql
from headgate.experiment.sql import SqlError

FLOWS = Table(
    "flows",
    {"goodput_bps": np.array([1.0, 2.0, np.nan]), "cca": Words.of(["reno", "cubic", "reno"])},
)


def ask(question: str) -> float:
    return sql.number(sql.ask(question, {"flows": FLOWS}))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("SELECT sum(goodput_bps) FROM flows", 3.0),
        ("SELECT avg(goodput_bps) FROM flows", 1.5),  # a missing value does not count as zero
        ("SELECT count(*) FROM flows WHERE cca = 'reno'", 2.0),
        ("SELECT sum(goodput_bps * 2) FROM flows", 6.0),
        ("SELECT count(*) FROM (SELECT * FROM flows)", 3.0),
        ("WITH own AS (SELECT goodput_bps AS g FROM flows) SELECT max(g) FROM own", 2.0),
        ("SELECT max(f.goodput_bps) FROM flows f", 2.0),
        ("SELECT max(flows.goodput_bps) FROM flows", 2.0),
        ("SELECT count(*) FROM flows JOIN flows AS same USING (cca)", 5.0),
        ("WITH own AS (FROM flows) SELECT count(*) FROM own NATURAL JOIN flows", 2.0),
        ("SELECT goodput_bps FROM flows WHERE cca = 'none'", math.nan),
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
        "SELECT cca FROM flows",
        "SELECT max(cca) FROM flows",
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


HUNGRY = [
    "SELECT length(string_agg(range::VARCHAR, repeat('x', 1000))) FROM range(100000000)",
    "SELECT len(generate_series(1, 2000000000))",
    "SELECT len(range(1000000000))",
    "SELECT length(repeat('0123456789', 400000000))",
    "SELECT length(lpad('', 2000000000, 'x'))",
    "SELECT len(list(a.range)) FROM range(30000) a, range(30000) b",
    "SELECT max(len(list_transform(range(50000000), lambda x: x::VARCHAR || 'some letters')))",
]
#: The peak of a child begins with that of its parent, so a small process asks these questions.
ASK_ALL = """
import json, resource, sys
from headgate.experiment import sql

def try_to_ask(question):
    try:
        return sql.number(sql.ask(question, {}))
    except sql.SqlError as error:
        return str(error)

said = [try_to_ask(question) for question in (*json.loads(sys.argv[1]), "SELECT 1")]
sql._process().close()
print(json.dumps([said, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss]))
"""


def test_no_question_takes_more_memory_than_it_may() -> None:
    """This includes memory of scalar functions, which DuckDB's limit does not count."""
    command = [sys.executable, "-c", ASK_ALL, json.dumps(HUNGRY)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    (*refused, alive), peak_kib = json.loads(done.stdout)
    limits = re.compile("Out of Memory|takes more than|takes longer than")
    assert [text for text in refused if not limits.search(str(text))] == []
    assert alive == 1
    assert 50_000 < peak_kib < 2_000_000


def test_a_query_that_ends_its_process_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask("SELECT 1") == 1
    process = sql._process()._process
    assert process is not None
    process.kill()
    process.wait()
    with pytest.raises(SqlError, match=r"takes more than the 1 GB of memory or the 10 s that"):
        ask("SELECT 2 + 1")
    assert ask("SELECT 3 + 1") == 4


def test_a_process_that_hangs_is_ended_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask("SELECT 1") == 1
    process = sql._process()._process
    assert process is not None
    process.send_signal(signal.SIGSTOP)
    monkeypatch.setattr(sql, "TIME_S", 0.1)
    with pytest.raises(SqlError, match=r"takes longer than 0\.1 s"):
        ask("SELECT 5 + 1")
    assert process.poll() is not None


def test_an_answer_has_a_limit() -> None:
    with pytest.raises(SqlError, match="gives an answer of more than 64 MB"):
        ask("SELECT repeat('x', 70000000)")


def test_queries_of_several_threads_get_the_right_answers() -> None:
    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(ask, (f"SELECT {n} * 2" for n in range(40)))] == [*range(0, 80, 2)]


def test_a_fork_has_another_process() -> None:
    assert ask("SELECT 1") == 1
    if (child := os.fork()) == 0:
        os._exit(0 if ask("SELECT 7") == 7 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert ask("SELECT 8") == 8


def test_a_process_for_sql_ends_with_its_program() -> None:
    program = (
        "import os, signal\n"
        "from headgate.experiment import sql\n"
        "sql.ask('SELECT 1', {})\n"
        "print(sql._process()._process.pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    pid = int(done.stdout)
    for _ in range(200):
        if not Path(f"/proc/{pid}").exists():
            return
        time.sleep(0.1)
    pytest.fail("the process is still there")


def test_a_query_is_planned_once_and_answers_for_each_run() -> None:
    """Each of many runs gets its own numbers, also after other SQL and other kinds of columns."""
    asked = "SELECT sum(x) + (SELECT max(x) FROM ports) FROM flows WHERE y <> 2"
    draw = np.random.default_rng(1)
    for number in range(90):
        x, most = draw.normal(size=(2, 2 + number % 7))
        x[0] = np.nan
        y = Words.of(["1"] * len(x)) if number % 3 == 0 else np.ones(len(x))
        tables = {
            "flows": Table("flows", {"x": np.append(x, 5.0), "y": _append(y, number % 2)}),
            "ports": Table("ports", {"x": most}),
        }
        found = sql.number(sql.ask(asked, tables))
        assert found == pytest.approx(np.nansum(x) + 5.0 * (number % 2 == 0) + most.max())
        other = sql.ask(f"SELECT min(x) + {number} FROM ports", tables)
        assert sql.number(other) == pytest.approx(most.min() + number)


def _append(y: Words | NDArray[Any], odd: int) -> Words | NDArray[Any]:
    last = 1 + odd
    return Words.join([y, Words.of([str(last)])]) if isinstance(y, Words) else np.append(y, last)
