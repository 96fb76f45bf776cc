"""TOML of strangers: its cost is limited, and the error for a file that is not TOML is clear."""

import os
import time
from pathlib import Path

import pytest

from headgate.base.errors import ScenarioError
from headgate.base.files import DEEPEST, LARGEST, MOST_PARTS, parse_toml, read_toml_file

from ..errors.command import headgate

KEY = ".".join(["a"] * 20_000)
HOSTILE = {
    "lists": ("a=" + "[" * 2000, "more than 40 tables or lists within each other"),
    "lists that are closed": ("a=" + "[" * 60 + "]" * 60, "more than 40 tables or lists"),
    "tables": ("a=" + "{a=" * 2000, "more than 40 tables or lists within each other"),
    "digits": ("duration=" + "9" * 5000, "a number of too many digits; integers have 64 bits"),
    "underscores": ("duration=" + "9_" * 5000 + "9", "a number of too many digits"),
    "hexadecimal": ("seed=0x" + "f" * 100_000, "seed is an integer of 400000 bits"),
    "in a list": ("a=[{b=[1, 0x" + "f" * 17 + "]}]", r"a\[0\]\.b\[1\] is an integer of 68 bits"),
    "dotted key": (f"\n\n{KEY} = 1", "line 3 has a key of more than 40 parts"),
    "dotted head": (f"[{KEY}]", "line 1 has a key of more than 40 parts"),
    "quoted key": (".".join(['"a"'] * 5000) + " = 1", "a key of more than 40 parts"),
    "blanks in a key": (" . ".join(["'a'", "b"] * 5000) + " = 1", "a key of more than 40 parts"),
    "inline key": (f"x = {{{KEY} = 1}}", "a key of more than 40 parts"),
    "heads": ("\n".join(f"[{KEY[: 2 * n + 1]}]" for n in range(500)), "more than 40 parts"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_at_once(name: str, tmp_path: Path) -> None:
    text, said = HOSTILE[name]
    (tmp_path / "x.toml").write_text(text)
    begun_s = time.process_time()
    with pytest.raises(ScenarioError, match=f"x.toml: this is not TOML: .*{said}"):
        read_toml_file(tmp_path / "x.toml")
    assert time.process_time() - begun_s < 2


@pytest.mark.parametrize(
    "command",
    [
        ["run"], ["check"], ["experiment", "check"], ["experiment", "run"], ["design", "show"],
        ["report"], ["fluid", "fast", "--network"], ["emulate"],
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["lists", "digits", "dotted key"])
def test_every_command_says_it_in_a_sentence(command: list[str], name: str, tmp_path: Path) -> None:
    (tmp_path / "report.toml").write_text(HOSTILE[name][0])
    file = tmp_path if command == ["report"] else tmp_path / "report.toml"
    done = headgate(*command, file)
    assert done.exit_code == 2
    assert len(done.sentence) < 400


@pytest.mark.parametrize("name", ["lists", "digits", "dotted key"])
def test_files_that_a_file_names_are_read_within_the_same_limits(name: str, tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text(HOSTILE[name][0])
    factors = '[factors]\n"network.rtt" = ["1 ms", "2 ms"]\n'
    text = f'scenario = "base.toml"\nresponses = ["goodput_bps"]\n{factors}'
    (tmp_path / "e.toml").write_text(text)
    done = headgate("experiment", "check", tmp_path / "e.toml")
    assert "base.toml: this is not TOML" in done.sentence
    (tmp_path / "study.toml").write_text(HOSTILE[name][0])
    assert "study.toml: this is not TOML" in headgate("study", tmp_path).sentence


@pytest.mark.parametrize("value", ["[" * 2000, "9" * 5000, "{" + KEY + "=1}"])
def test_values_of_the_command_line_too(value: str, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text("duration = '1 s'\n")
    done = headgate("check", tmp_path / "s.toml", "--set", f"seed={value}")
    assert done.exit_code == 2
    assert done.sentence.startswith("headgate: --set seed: ")


def test_files_that_users_write_are_read() -> None:
    depth = DEEPEST - 1
    assert parse_toml("a=" + "[" * depth + "]" * depth)
    assert parse_toml(".".join(["a"] * MOST_PARTS) + " = 1")
    assert parse_toml(f"seed = {2**64 - 1}") == {"seed": 2**64 - 1}
    floats = [n / 10 for n in range(1000)]
    assert parse_toml(f"a = {floats}") == {"a": floats}
    assert parse_toml("a = '" + "x" * 10**6 + "'")["a"] == "x" * 10**6
    assert parse_toml('"a.b.c" = 1\n[x."1.2"]\ny = 3\n') == {"a.b.c": 1, "x": {"1.2": {"y": 3}}}


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    with path.open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(ScenarioError, match="is larger than 16 MB"):
        read_toml_file(path)


def test_line_ends_of_all_systems_are_read(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_bytes(b"\xef\xbb\xbfa = 1\r\nb = 2\rc = 3\n")
    assert read_toml_file(tmp_path / "x.toml") == {"a": 1, "b": 2, "c": 3}


# Files that are no files --------------------------------------------------------------------------

PIPE = "it is a pipe or a device, not a file"


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe.toml")
    return tmp_path / "pipe.toml"


@pytest.mark.parametrize("command", [["check"], ["run"], ["experiment", "check"]])
def test_a_pipe_without_a_writer_is_refused(command: list[str], pipe: Path) -> None:
    assert headgate(*command, pipe).sentence.endswith(f"cannot be read: {PIPE}")


def test_a_device_is_refused() -> None:
    assert headgate("check", "/dev/zero").sentence.endswith(PIPE)


@pytest.mark.parametrize("keys", ['trace = "x"', 'queue = "./x.py:Q"', 'course = "x"'])
def test_a_pipe_that_a_scenario_names_is_refused(keys: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x")
    os.mkfifo(tmp_path / "x.py")
    rate = 'rate = "1 Mbit/s"' if "queue" in keys else ""
    text = f'[network]\nkind = "dumbbell"\nrtt = "20 ms"\n{rate}\n{keys}\n'
    (tmp_path / "s.toml").write_text(f'{text}[[traffic]]\nkind = "flows"\ncca = "reno"\n')
    done = headgate("check", tmp_path / "s.toml")
    assert done.exit_code == 2
    assert PIPE in done.sentence or "there is no file" in done.sentence


def test_a_path_that_no_file_has_is_refused(tmp_path: Path) -> None:
    text = '[network]\nkind = "dumbbell"\nrtt = "20 ms"\nrate = "1 Mbit/s"\n'
    (tmp_path / "s.toml").write_text(f'{text}[[traffic]]\ncca = "a\\u0000b.py:X"\n')
    assert headgate("check", tmp_path / "s.toml").exit_code == 2
