"""The report is one page that opens with the network off."""

import re
from pathlib import Path

import pytest

from headgate.errors import StoreError
from headgate.plots.effects import significance
from headgate.plots.style import save
from headgate.report.page import Section, findings, paragraph, picture, table, verdict, write_page
from headgate.stats.effects import main_effect


@pytest.fixture
def page(tmp_path: Path) -> str:
    effect = main_effect("X1", [-1, 1, -1, 1], [1.0, 2.0, 1.1, 2.2])
    (png, _) = save(
        significance({"y1": [effect]}, {"y1": "y1"}, {"X1": "speed"}), tmp_path, "figure"
    )
    rows = [("a < b", 0.123456, 12345, verdict("not run")), ("c", float("nan"), 1, "x")]
    sections = [
        Section("Findings", findings(["one & two"]) + paragraph("three")),
        Section("Claims", table(("claim", "ours", "n", "verdict"), rows)),
        Section("Figure", picture(png, "a figure")),
    ]
    path = write_page(tmp_path / "r.html", "Title", "Question?", sections, "footer")
    return path.read_text()


def test_page_asks_for_nothing_outside(page: str) -> None:
    assert not re.findall(r'(?:src|href)="(?!data:)', page)
    assert "<script" not in page
    assert "@import" not in page


def test_text_is_escaped_and_numbers_are_short(page: str) -> None:
    assert "a &lt; b" in page
    assert "one &amp; two" in page
    assert ">0.1235<" in page
    assert ">12,345<" in page
    assert '<span class="verdict not-run">not run</span>' in page


def test_pictures_are_inside(page: str) -> None:
    assert page.count("data:image/png;base64,") == 1


def test_page_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be written"):
        write_page(tmp_path / "no" / "r.html", "t", "q", [], "f")
