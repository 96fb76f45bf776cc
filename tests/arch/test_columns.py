"""A column is one line: the engine's in its table, ours with the formula that forms it."""

import re
from collections.abc import Iterator

import numpy as np
import pytest

from headgate import Scenario
from headgate.base import catalog
from headgate.data.columns import EVERY_TABLE, Column
from headgate.data.measures.formula import evaluate, form

from .repository import PACKAGE, ROOT

#: Two counters of the network, one of flows, whose names mean nothing else.
COUNTERS = ("duplicate_acks", "cwnd_increases", "timed_segments")
#: These are words, or need more than arithmetic.
NOT_FORMED = {
    ("flows", "class"),
    ("series", "throughput_bps"),
    ("series", "arrival_rate_bps"),
    ("windows", "share"),
    ("checks", "relative_error"),
}


def lines_that_name(word: str) -> Iterator[str]:
    """Give the lines of the program that name a counter, but for tests and comments."""
    sources = [*ROOT.glob("crates/headgate-[!a]*/src/**/*.rs"), *PACKAGE.rglob("*.py")]
    for path in sources:
        if path.stem == "tests":
            continue
        code = path.read_text(encoding="utf-8").split("#[cfg(test)]", maxsplit=1)[0]
        for line in code.splitlines():
            if re.search(rf"\b{word}\b", line) and not line.strip().startswith(("//", "#")):
                yield line.strip()


@pytest.mark.parametrize("counter", COUNTERS)
def test_a_counter_is_declared_in_one_line(counter: str) -> None:
    uses = ("+=", "Column(")  # increments, and derived columns
    found = [line for line in lines_that_name(counter) if not any(use in line for use in uses)]
    declared = [line for line in found if re.match(rf"{counter}( as \w+)?: ", line)]
    assert len(declared) == 1
    others = [line for line in found if line not in declared]
    # a table of Python may give the position of the column
    assert all(re.fullmatch(rf'"{counter}(_packets)?",', line) for line in others), others


def test_every_column_that_the_engine_fills_is_in_a_table() -> None:
    tables = {**EVERY_TABLE, "series_flows": EVERY_TABLE["series"]}
    tables["series_ports"] = EVERY_TABLE["series"]
    for table, counted in catalog.columns().items():
        if table in tables:
            assert {said.name for said in counted} <= {column.name for column in tables[table]}


def test_of_two_definitions_the_first_stands() -> None:
    (gauge,) = (column for column in EVERY_TABLE["series"] if column.name == "gauge")
    assert "algorithm (flows)" in gauge.definition


def formulas() -> Iterator[tuple[str, Column]]:
    """Give every column that arithmetic forms, with its table."""
    for table, columns in EVERY_TABLE.items():
        for column in columns:
            if column.formula and (table, column.name) not in NOT_FORMED:
                yield table, column


def test_what_is_written_of_a_column_is_how_it_is_formed() -> None:
    """Worked out again from the other columns of a run, as far as they are shown."""
    flow = {"kind": "flows", "cca": "reno", "size": "100 packets"}
    network = {"kind": "dumbbell", "rate": "10 Mbit/s", "rtt": "40 ms"}
    given = {"network": network, "traffic": [flow], "duration": "2 s"}
    tables = Scenario.from_dict(given).run().tables
    found = 0
    for name, column in formulas():
        if name not in tables:  # real packets are only in a run in real time (test_emulate.py)
            continue
        table = tables[name]
        names = re.findall(r"[a-z]\w*", column.formula)
        if set(names) <= set(table.columns):
            expected = evaluate(column.formula, table.__getitem__)
            np.testing.assert_array_equal(table[column.name], expected, f"{name}.{column.name}")
            found += 1
    assert found > 40


def test_a_formula_may_name_another() -> None:
    columns = [column for column in EVERY_TABLE["responses"] if column.name in {"y1", "y2"}]
    facts = {"transmitting_sum": np.array([6, 1]), "samples": np.array([3, 0]), "sources": 4}
    formed = form(columns, facts)
    assert formed["y2"][0] == 0.5
    assert np.isnan(formed["y2"][1])


def test_nothing_but_arithmetic_is_worked_out() -> None:
    with pytest.raises(ValueError, match="neither a name, a number, share"):
        evaluate("__import__('os')", lambda _: np.ones(1))


@pytest.mark.parametrize("word", ["D", "F", "N", "DFN", "DD", "fast", "normal"])
def test_the_engine_knows_no_class_of_any_network(word: str) -> None:
    sources = [
        ROOT / "crates" / f"headgate-{crate}" / "src" for crate in ("model", "netsim", "lab")
    ]
    for path in (path for source in sources for path in source.rglob("*.rs")):
        if path.stem not in {"tests", "sample", "catalog"}:  # a CCA of the catalogue is called so
            code = path.read_text(encoding="utf-8").split("#[cfg(test)]", maxsplit=1)[0]
            assert f'"{word}"' not in code, path
