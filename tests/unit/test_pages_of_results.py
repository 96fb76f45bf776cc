"""Pages of results begin with the answer, its picture, date, version and command."""

import re
from pathlib import Path

import pytest

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
