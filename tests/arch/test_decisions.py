"""Decision records follow one form, and the files and names that they mention exist."""

import re
import tomllib
from functools import cache
from pathlib import Path
from pkgutil import resolve_name

import pytest

from .repository import ROOT, tracked_files

HERE = Path(__file__)
RECORDS = sorted((ROOT / "docs" / "decisions").glob("*.md"))
DATE = r"\d{4}-\d\d-\d\d"
LINK = r"\[\d{4}\]\(\d{4}-[\w-]+\.md\)"
STATUS = re.compile(
    rf"Status: (accepted {DATE}(, amended (by {LINK}( and {LINK})?|{DATE}))?"
    rf"|superseded by {LINK} on {DATE})\."
)
SECTIONS = ["Context", "Decision", "Consequences", "Measured", "Alternatives"]
OPTIONAL = {"Measured", "Alternatives"}
FILES = (".rs", ".py", ".md", ".js", ".h", ".toml")
#: Files of users, which the repository does not contain.
OF_USERS = {"experiment.toml", "study.toml", "mine.py"}
#: Groups of entry points, which look like modules.
GROUPS = tomllib.loads((ROOT / "studies" / "pyproject.toml").read_text())["project"]["entry-points"]


@cache
def words() -> set[str]:
    """Every word of the sources and tests in Rust, Python and C."""
    kinds = {".rs", ".py", ".h"}
    files = [path for path in tracked_files() if path.suffix in kinds and path.name != HERE.name]
    return {word for path in files for word in re.findall(r"\w+", path.read_text("utf-8"))}


def quoted(page: Path) -> list[str]:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    return [" ".join(found.split()) for found in re.findall(r"`([^`]+)`", text)]


def test_records_are_numbered_without_gaps() -> None:
    assert [int(path.name[:4]) for path in RECORDS] == list(range(1, len(RECORDS) + 1))


@pytest.mark.parametrize("page", RECORDS, ids=lambda page: page.stem)
def test_a_record_has_a_title_a_status_and_the_sections(page: Path) -> None:
    title, empty, status, *rest = page.read_text(encoding="utf-8").split("\n")
    assert re.fullmatch(rf"# {page.name[:4]} [A-Z].*", title)
    assert not empty
    lines = [status, *rest[: rest.index("")]]
    assert STATUS.fullmatch(" ".join(lines))
    found = [line.removeprefix("## ") for line in rest if line.startswith("## ")]
    assert found == [name for name in SECTIONS if name in found]
    assert set(SECTIONS) - OPTIONAL <= set(found)


@pytest.mark.parametrize("page", RECORDS, ids=lambda page: page.stem)
def test_files_that_a_record_mentions_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#]+)", text):
        assert (page.parent / link).is_file(), link
    for number, link in re.findall(r"\[(\d{4})\]\(([^)]+)", text):
        assert link.startswith(number), link
    for name in quoted(page):
        if re.fullmatch(r"[\w./-]+", name) and name.endswith(FILES) and name not in OF_USERS:
            assert (ROOT / name).is_file(), name
        elif re.match(r"(crates|docs|python|tests|scripts|examples)/", name):
            assert (ROOT / name).exists(), name


@pytest.mark.parametrize("page", RECORDS, ids=lambda page: page.stem)
def test_names_of_code_that_a_record_mentions_exist(page: Path) -> None:
    for name in quoted(page):
        if name in GROUPS:
            continue
        if re.fullmatch(r"headgate(\.\w+)+", name):
            resolve_name(name)
        elif macro := re.fullmatch(r"(\w+)!", name):
            assert macro[1] in words(), name
        elif re.fullmatch(r"\w+(::\w+)*(<\w+>)?", name) and re.search(r"[A-Z][a-z]|::|\w_\w", name):
            assert set(re.findall(r"\w+", name)) <= words(), name
