"""Words for a reader who knows no code: terms, ends of flows, levels; and pictures' sizes."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PIL import Image

from headgate.base.plain_text import say_cost
from headgate.design import Factor
from headgate.experiment.reporting import describe_levels
from headgate.figures.analysis.roles import Roles
from headgate.figures.report.heat import ENDS_SAID, name_ends
from headgate.figures.report.html import explain, table
from headgate.figures.report.page import BROAD, picture
from headgate.figures.report.sections import FIRST_ROWS, write_first_rows


def test_common_terms_are_defined_where_that_is_asked_for() -> None:
    said = explain("no algorithm, under any condition; an algorithm again", all_terms=True)
    assert said.count('href="#term-algorithm"') == 1
    assert 'href="#term-condition"' in said
    assert "href" not in explain("no algorithm, under any condition")


@pytest.mark.parametrize(
    ("title", "said"), [("DF throughput (packets/s)", True), ("loss rate", False)]
)
def test_the_two_letters_of_throughputs_are_explained_beside_them(title: str, said: bool) -> None:
    part: Any = SimpleNamespace(roles=Roles(responses=("y",), titles={"y": title}))
    assert ("directly connected to the backbone" in name_ends(part, ["y"])) is said
    assert 'href="#term-dd"' in explain(ENDS_SAID)


def test_levels_of_a_factor_are_numbers_and_words() -> None:
    speed = Factor(name="X1", title="network speed", setting="network.rate", low=0.25, high=1.0)
    assert describe_levels(speed) == "0.25 (slow network) or 1.0 (fast network)"
    cca = Factor(
        name="cca",
        title="cca",
        setting="cca",
        low="reno",
        high="bbr",
        levels=("reno", "cubic", "bbr"),
    )
    assert describe_levels(cca) == "reno, cubic or bbr"


@pytest.mark.parametrize(("width", "broad"), [(BROAD, False), (BROAD + 1, True)])
def test_only_a_broad_picture_takes_a_whole_row(tmp_path: Path, width: int, broad: bool) -> None:
    Image.new("RGB", (width, 20)).save(tmp_path / "one.png")
    assert ('class="broad"' in picture(tmp_path / "one.png", "one", "")) is broad


@pytest.mark.parametrize(("cpu_s", "said"), [(0.361, "0.36"), (9.66, "9.7"), (1234.4, "1,234")])
def test_a_cost_of_less_than_a_second_is_not_none(cpu_s: float, said: str) -> None:
    assert say_cost(1000, cpu_s) == f"1,000 packet-hops in {said} CPU seconds"


def test_an_analysis_without_a_picture_shows_the_first_rows_of_its_table() -> None:
    def rows(count: int) -> Any:
        return SimpleNamespace(rows=lambda: [{"pair": f"a x b{n}", "p": 0.5} for n in range(count)])

    html = write_first_rows(rows(FIRST_ROWS + 1))
    assert f"Rows: the first {FIRST_ROWS} of {FIRST_ROWS + 1}." in html
    assert html.count("<tr>") == FIRST_ROWS + 1
    assert "Rows: all." in write_first_rows(rows(3))
    assert not write_first_rows(rows(0))


def test_a_number_and_its_unit_stay_on_one_line() -> None:
    html = table(("a", "b"), [("0.5 BDP", "2 more words"), ("buffer 1", "3 s")])
    assert "0.5\N{NO-BREAK SPACE}BDP" in html
    assert "3\N{NO-BREAK SPACE}s" in html
    assert "2 more words" in html
    assert "buffer 1<" in html
