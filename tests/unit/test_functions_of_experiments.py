"""Responses that are user-defined functions: code, which a stranger's file may only name."""

import json
from pathlib import Path

from headgate import Experiment, Result, Scenario

from ..errors.command import headgate as command
from .small_experiment import BASE, FILE, lists  # noqa: F401 - a fixture

MINE = """
from pathlib import Path
Path(__file__).with_name("it-ran").touch()

def drops(result):
    return result.ports["drops"].sum()

def broken(result):
    return result.ports["nothing"]
"""


def own(folder: Path, name: str = "drops") -> Path:
    """An experiment as a stranger sends it, with a function beside it."""
    (folder / "mine.py").write_text(MINE)
    Scenario.from_dict(BASE).save(folder / "base.toml")
    text = FILE.replace('"goodput_bps"', f'{{name = "mine", function = "./mine.py:{name}"}}')
    (folder / "own.toml").write_text(text.replace("replicates = 3", "replicates = 1"))
    return folder / "own.toml"


def test_a_function_that_only_a_file_names_does_not_run(tmp_path: Path) -> None:
    file = own(tmp_path)
    assert command("experiment", "check", file).exit_code == 0
    done = command("experiment", "run", file, "--out", tmp_path / "out")
    assert done.exit_code == 2
    assert "names this function, which is code" in done.sentence
    assert not (tmp_path / "it-ran").exists()
    assert not (tmp_path / "out" / "runs").exists()


def test_a_function_that_was_allowed_measures(tmp_path: Path) -> None:
    file = own(tmp_path)
    out = ("--out", tmp_path / "out", "--set", "tables=all")
    done = command("experiment", "run", file, "--trust", *out, "--json")
    report = json.loads(done.output)
    runs = {
        Path(p).parent: Result.read(Path(p).parent) for p in tmp_path.glob("out/runs/*/run.json")
    }
    drops = sorted(float(run.ports["drops"].sum()) for run in runs.values())
    mine = [row["mean"] for row in report["means"] if row["response"] == "mine"]
    assert sorted(mine) == drops
    assert (tmp_path / "it-ran").exists()


def test_a_function_that_fails_is_one_sentence_and_loses_no_run(tmp_path: Path) -> None:
    file = own(tmp_path, "broken")
    done = command("experiment", "run", file, "--trust", "--out", tmp_path / "out")
    assert "responses.mine: ports: there is no column 'nothing'" in done.sentence
    assert len(list(tmp_path.glob("out/runs/*/run.json"))) == 12


def test_a_function_of_the_program_measures(tmp_path: Path) -> None:
    def drops(result: Result) -> float:
        """Packets dropped."""
        return float(result.ports["drops"].sum())

    found = Experiment(
        BASE, {"cca": ["reno", "cubic"]},
        responses=[drops, {"name": "same", "sql": "SELECT sum(drops) FROM ports"}],
    ).run(tmp_path, workers=1)  # fmt: skip
    assert found.runs["drops"].tolist() == found.runs["same"].tolist()
    assert found.runs["drops"].min() > 0
