"""Commands in the documentation are commands: each line is read as the program reads it.

Scenarios that they run are planned with their options, and no folder gets two scenarios.
"""

import re
import shlex
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from string import Template
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

from headgate.cli.main import app
from headgate.cli.options import load

from .repository import ROOT
from .test_docs import PAGES, blocks

PROGRAM = typer.main.get_command(app)


def lines_of(page: Path) -> Iterator[str]:
    """Every command line of headgate, in blocks of a shell, without its comment.

    The variable of a loop takes its first value.
    """
    for block in blocks(page, "sh"):
        loops = dict(re.findall(r"for (\w+) in (\S+)", block))
        for line in Template(block).safe_substitute(loops).replace("\\\n", " ").splitlines():
            command = re.split(r"\s#\s|\s*&&\s*|\s*;\s*|\s*\|\s+", line.strip())[0]
            if command.startswith("headgate "):
                yield command


COMMANDS = [(page, line) for page in PAGES for line in lines_of(page)]


@pytest.mark.parametrize(("page", "line"), COMMANDS, ids=lambda part: getattr(part, "name", ""))
def test_a_command_is_read(page: Path, line: str) -> None:
    words = shlex.split(line)[1:]
    context = None
    program = PROGRAM
    while hasattr(program, "commands") and words and not words[0].startswith("-"):
        program = program.commands[words.pop(0)]
    if "--install-completion" not in words:
        context = program.make_context("headgate", words)
    # names of live hosts are options of `emulate`
    assert context is None or not context.args or context.allow_extra_args


def runs_of(line: str) -> dict[str, Any]:
    """The options of `headgate run`; none for another command."""
    _, command, *words = shlex.split(line)
    if command != "run":
        return {}
    return PROGRAM.commands["run"].make_context("run", words).params  # type: ignore[attr-defined]


SHIPPED = sorted({line for _, line in COMMANDS if line.startswith("headgate run examples/")})


@pytest.mark.parametrize("line", SHIPPED)
def test_the_scenario_of_a_run_is_planned(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    asked = runs_of(line)
    values = (asked[name] for name in ("scenario", "settings", "seed", "ccas"))
    load(*values, unset=asked["unset"], trust=True).plan()


def test_a_folder_gets_one_scenario_over_all_pages() -> None:
    names = ("scenario", "settings", "unset", "seed", "ccas")
    scenarios = defaultdict(set)
    for _, line in COMMANDS:
        if (asked := runs_of(line)) and asked["out"]:
            scenarios[asked["out"]].add(str([asked[name] for name in names]))
    assert {out: found for out, found in scenarios.items() if len(found) > 1} == {}


def test_the_readme_says_where_the_program_is() -> None:
    (first, *_) = blocks(ROOT / "README.md", "sh")[1:]
    assert first.startswith(". .venv/bin/activate")
    assert ".venv/bin/headgate" in first


def test_make_predict_ends_with_three_commands_that_exist() -> None:
    text = (ROOT / "Makefile").read_text()
    recipe = text[text.index("\npredict:") : text.index(".PHONY: test\n")]
    said = re.findall(r"'  \$\(BIN\)/headgate (.*?) +#", recipe)
    assert len(said) == 3
    for line in said:
        command, *words = shlex.split(line)
        PROGRAM.commands[command].make_context(command, words)  # type: ignore[attr-defined]


def test_files_that_the_readme_names_are_there() -> None:
    named = {
        word.partition(":")[0]
        for line in lines_of(ROOT / "README.md")
        for word in shlex.split(line)
        if word.startswith("examples/")
    }
    assert named
    assert all((ROOT / name).is_file() for name in named)


def test_the_program_starts_where_its_help_says() -> None:
    done = CliRunner().invoke(app, ["--help"])
    assert "To start: headgate init." in " ".join(done.output.split())
