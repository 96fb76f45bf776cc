"""A wrapper of an algorithm, discipline, router or model forwards every hook."""

import re
from pathlib import Path

import pytest

CRATES = Path(__file__).parents[2] / "crates"
HOOKS = "Controller|Discipline|Feedback|Model"
#: Clippy refuses the implementation that leaves a hook to its default; `make lint` runs it.
LINT = "#[deny(clippy::missing_trait_methods)]"
#: Wrappers that are no enums of a registry.
WRAPPERS = ("Plugin", "FastAt", "DelayedStart")


def implementations() -> list[tuple[str, str]]:
    """Give what forwards hooks, and the line before its implementation."""
    found = []
    for file in CRATES.glob("*/src/**/*.rs"):
        lines = file.read_text(encoding="utf-8").splitlines()
        for before, line in zip(["", *lines], lines, strict=False):
            named = re.match(rf"\s*impl (?:{HOOKS}) for (\$?\w+) {{", line)
            if named and (named[1].lstrip("$").startswith("Any") or named[1] in WRAPPERS):
                found.append((named[1], before.strip()))
    return found


def test_all_of_them_are_found() -> None:
    assert {name for name, _ in implementations()} == {"$Any", "AnyQueue", "AnyRouter", *WRAPPERS}


@pytest.mark.parametrize(("name", "before"), implementations())
def test_none_leaves_a_hook_to_its_default(name: str, before: str) -> None:
    assert before == LINT
