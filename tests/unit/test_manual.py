"""The manual page: as the help has it, and nothing in it that man would read otherwise."""

import shutil
import subprocess
from pathlib import Path

import pytest
import typer.main
from tests.errors.command import headgate

from headgate.cli.main import app
from headgate.cli.manual import each_command, make_page

PROGRAM = typer.main.get_command(app)
PAGE = (
    Path(__file__).resolve().parents[2]
    / "headgate.data" / "data" / "share" / "man" / "man1" / "headgate.1"
)  # fmt: skip


def test_the_committed_page_matches_the_help() -> None:
    assert PAGE.read_text() == make_page(PROGRAM), "run `make schemas`"
    assert headgate("man").output == PAGE.read_text()


def test_it_has_every_command_and_option() -> None:
    text = PAGE.read_text().replace("\\-", "-")
    for name, command in each_command(PROGRAM.commands):  # type: ignore[attr-defined]
        section = text.partition(f'.SS "headgate {name} ')[2].partition(".SS ")[0]
        for option in (
            o for p in command.params if p.param_type_name != "argument" for o in p.opts
        ):
            assert f"\\fB{option}\\fR" in section, (name, option)


def test_every_line_is_a_macro_or_text() -> None:
    macros = (".TH ", ".SH ", ".SS ", ".TP", ".PP", ".B ")
    for line in PAGE.read_text().splitlines():
        assert line
        assert not line.startswith("'")
        assert not line.startswith(".") or line.startswith(macros)


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_groff_has_no_warning() -> None:
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", PAGE], check=True, capture_output=True, text=True
    )
    assert not done.stderr
    assert "a laboratory for congestion control" in done.stdout


def test_help_keeps_no_line_end_of_a_docstring() -> None:
    """At 80 columns a line that is 100 letters long in the source leaves a ragged one behind."""
    every = dict(each_command(PROGRAM.commands))  # type: ignore[attr-defined]
    assert {"run", "experiment check", "design new"} <= set(every)
    assert [name for name, one in every.items() if "\n" in one.help.replace("\n\n", "")] == []
