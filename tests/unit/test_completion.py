"""Shell completion: the answers that bash, zsh, fish and PowerShell get to their requests."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HEADGATE = Path(sys.executable).with_name("headgate")


def ask(shell: str, *words: str) -> str:
    """Return the completions that a shell gets for a line with an unfinished last word."""
    line = " ".join(["headgate", *words])
    variables = {
        "bash": {"COMP_WORDS": line, "COMP_CWORD": str(len(words))},
        "zsh": {"_TYPER_COMPLETE_ARGS": line},
        "fish": {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
        "powershell": {
            "_TYPER_COMPLETE_ARGS": line,
            "_TYPER_COMPLETE_WORD_TO_COMPLETE": words[-1],
        },
    }[shell]
    environment = os.environ | variables | {"_HEADGATE_COMPLETE": f"complete_{shell}"}
    return subprocess.run(
        [HEADGATE], check=False, capture_output=True, text=True, env=environment
    ).stdout


@pytest.mark.parametrize(
    ("shell", "words", "offered"),
    [
        ("bash", ("exp",), "experiment"),
        ("bash", ("experiment", "ru"), "run"),
        ("bash", ("catalog", "fq"), "fq-codel"),
        ("zsh", ("study", "nist-1"), "nist-1b"),
        ("fish", ("init", "--from", "own"), "own-cca"),
        ("powershell", ("catalog", "fq"), "fq-codel"),
    ],
)
def test_commands_and_names_are_offered(shell: str, words: tuple[str, ...], offered: str) -> None:
    assert offered in ask(shell, *words)


def test_columns_are_offered_behind_the_dot_and_nothing_that_does_not_fit() -> None:
    assert ask("bash", "describe", "flows.good").split() == ["flows.goodput_bps"]
    assert ask("bash", "describe", "por").split() == ["ports"]
    assert ask("bash", "schema", "cl").split() == ["cluster", "claims"]
    assert not ask("bash", "study", "xyz").strip()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("plot", "--only", "rtt,cw"), "rtt,cwnd"),
        (("plot", "--format", "png,s"), "png,svg"),
        (("study", "--scale", "qu"), "quick"),
        (("export", "--table", "flo"), "flows"),
    ],
)
def test_values_of_options_are_offered(words: tuple[str, ...], offered: str) -> None:
    assert ask("bash", *words).split() == [offered]


def test_names_of_studies_are_offered_without_importing_them() -> None:
    asks = (
        "import sys; from headgate.cli.complete import studies; assert 'nist-1a' in studies('ni');"
        "print([name for name in sys.modules if name.startswith('headgate_studies')])"
    )
    completed = subprocess.run(
        [sys.executable, "-c", asks], check=True, capture_output=True, text=True
    )
    assert completed.stdout.strip() == "[]"


def script_of(shell: str) -> str:
    """Return the output of `headgate --show-completion` for a shell."""
    environment = os.environ | {"_HEADGATE_COMPLETE": f"source_{shell}"}
    return subprocess.run(
        [HEADGATE], check=True, capture_output=True, text=True, env=environment
    ).stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_the_script_of_a_shell_is_one(shell: str, tmp_path: Path) -> None:
    script = script_of(shell)
    assert "_HEADGATE_COMPLETE" in script
    if shell != "powershell" and shutil.which(shell):  # which checks no script without running it
        (tmp_path / "script").write_text(script)
        subprocess.run([shell, "-n", tmp_path / "script"], check=True)


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_a_line_with_the_script() -> None:
    typed = f'COMP_WORDS=({HEADGATE} repr); COMP_CWORD=1; _headgate_completion "{HEADGATE}"'
    done = subprocess.run(
        ["bash", "-c", f"{script_of('bash')}\n{typed}\necho ${{COMPREPLY[@]}}"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == ["reproduce"]
