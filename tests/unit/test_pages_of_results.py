"""Pages of results begin with the answer, its picture, date, version and command.

Their dates and CPU times are those of the stored findings.
"""

import re
from datetime import date
from pathlib import Path

import pytest

from headgate.experiment.stored import Basis, StoredResults

STORED = Path(__file__).parents[2] / "studies" / "results"
PAGES = Path(__file__).parents[2] / "docs" / "results"
#: Figures of runs that were made before pictures were kept.
WITHOUT_PICTURE = {"nist-mixed-quick.md"}
#: The last line of the head of a page.
HEAD = 32
DATED = re.compile(
    r"^\*Version \d+\.\d+\.\d+, \d+ [A-Z][a-z]+ 20\d\d: `headgate study", re.MULTILINE
)


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.stem)
def test_a_page_begins_with_answer_picture_date_and_command(page: Path) -> None:
    head = "\n".join(page.read_text().splitlines()[:HEAD])
    title, answer, *_ = head.split("\n\n")
    assert title.startswith("# ")
    assert answer[0].isalpha(), "the answer comes first"
    assert ("\n![" in head) == (page.name not in WITHOUT_PICTURE)
    assert "```sh\nheadgate " in head, "a command makes it again"
    assert page.name == "index.md" or DATED.search(head), "version, date and command"


def state(page: Path) -> str:
    """The lines of a page's head that state version, date and command, up to the first command."""
    return page.read_text().partition("*Version ")[2].partition("```sh")[0]


#: `headgate study NAME --scale SCALE` with the date before it.
FIRST = re.compile(r"(\d+ \w+ 20\d\d): `headgate study\s+([\w-]+)\s+--scale\s+(\w+)`")
CPU_TIME = re.compile(r"([\d.,]+)\s+CPU\s+(hours|seconds)")


def find_stored() -> dict[str, tuple[str, Basis]]:
    """The text of each page whose first command has stored findings, with their basis."""
    found = {}
    for page in sorted(PAGES.glob("*.md")):
        if not (first := FIRST.search(state(page))):
            continue
        if stored := StoredResults(STORED / first[2] / first[3]).read():
            found[page.stem] = (state(page), stored.basis)
    return found


@pytest.mark.parametrize("page", (found := find_stored()))
def test_a_page_states_the_date_and_the_cost_of_its_stored_findings(page: str) -> None:
    text, basis = found[page]
    first = FIRST.search(text)
    day = date.fromisoformat(basis.date)
    assert first
    assert first[1] == f"{day:%-d %B %Y}"
    if cost := CPU_TIME.search(text):
        number = cost[1].replace(",", "")
        digits = len(number.partition(".")[2])
        cpu = basis.cpu_s / 3600 if cost[2] == "hours" else basis.cpu_s
        assert float(number) == round(cpu, digits or None)


def test_most_pages_have_stored_findings() -> None:
    assert len(found) >= 20
