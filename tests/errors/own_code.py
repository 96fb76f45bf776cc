"""Helpers for wrong CCAs and disciplines: an error names its line and is one sentence."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from .command import Done


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A user who has compiled nothing yet."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


def line_of(path: Path, text: str, after: str) -> int:
    """Give the number of the first line with `text` in the class `after`, or its base."""
    lines = path.read_text().splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith(f"class {after}("))
    if "(Raises)" in lines[start]:
        return line_of(path, text, "Raises")
    return next(n for n, line in enumerate(lines[start:], start + 1) if text in line)


def assert_refused(done: Done, says: str, file: str = "") -> None:
    """Check that a command fails with one sentence that states the mistake and its place."""
    assert done.exit_code == 2
    assert file in done.sentence
    assert says in done.sentence


def assert_refused_at(done: Done, says: str, path: Path, line: str, after: str) -> None:
    """Check the line of the class too, if one is given."""
    place = f"{path.name}, line {line_of(path, line, after)}: " if line else ""
    assert_refused(done, says, place)
