"""A part of a trace that there is not: refused, and pictures stay as they are."""

from pathlib import Path

import pytest

from .command import headgate


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("traced")
    file = folder / "s.toml"
    assert headgate("init", file).exit_code == 0
    small = ("--set", "duration=1 s", "--set", "measure.warmup=0 s", "--out", folder / "run")
    done = headgate("run", file, *small, "--trace", "flows=0")
    assert done.exit_code == 0, done
    return folder / "run"


@pytest.mark.parametrize(
    ("ends", "says"),
    [
        (("100", "200"), "--between: 100 to 200 s is not allowed; the trace ends at 1 s"),
        (("1", "2"), "--between: 1 to 2 s is not allowed; the trace ends at 1 s"),
        (("2", "1"), "FROM must be before TO"),
    ],
)
def test_pictures_of_a_time_that_is_not_traced(
    ends: tuple[str, str], says: str, traced: Path
) -> None:
    done = headgate("trace", traced, "--between", *ends)
    assert done.exit_code == 2
    assert says in done.sentence
    assert not (traced / "figures").exists()
