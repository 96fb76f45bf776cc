"""The page of the comparison with other simulators shows what the stored measurements say."""

import pytest
from scripts.peers import figures
from scripts.peers.cases import LONG, SHORT

PAGE = figures.PAGE.read_text()


@pytest.mark.parametrize("name", ["speed", "agreement", "cases", "completion"])
def test_the_page_has_the_table_of_the_measurements(name: str) -> None:
    assert f"<!-- {name} -->\n\n{figures.tables()[name]}\n\n<!-- end -->" in PAGE


def test_every_case_was_run_as_often_as_it_says() -> None:
    rows = figures.read("agreement.csv")
    for case in (*LONG, *SHORT):
        for program in ("headgate", "ns-3"):
            mine = [row for row in rows if (row["program"], row["case"]) == (program, case.name)]
            assert len(mine) == case.repeats * len(case.ccas), (program, case.name)
