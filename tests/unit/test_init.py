"""Files to begin with: each runs as it is written, and overwrites nothing."""

import json
import shlex
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.errors.command import headgate

from headgate import Experiment, Scenario
from headgate.experiment.templates import KINDS


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "experiment"])
def test_written_files_and_printed_commands_run(kind: str) -> None:
    made = json.loads(headgate("init", "--from", kind, "--json").output)
    assert made["files"][0] == f"{kind}.toml"
    check, run, plot = (shlex.split(command)[1:] for command in made["next"])
    checked = headgate(*check)
    assert "is valid" in checked.output
    assert "warning" not in checked.errors
    short = ["--set", 'duration="6 s"', "--set", "measure.warmup=2 s"]
    done = headgate(*run, *short)
    assert done.exit_code == 0, done.errors
    assert not done.errors.startswith("warning")
    assert "Flows by algorithm" in done.output
    assert headgate(*plot).exit_code == 0


@pytest.mark.parametrize("kind", ["dumbbell", "web", "abilene"])
def test_a_scenario_names_the_folder_that_is_said(kind: str) -> None:
    made = json.loads(headgate("init", "--from", kind, "mine.toml", "--json").output)
    text = Path("mine.toml").read_text()
    assert made["next"][1] in text
    assert "OUT" not in text


def test_an_experiment_is_right() -> None:
    made = json.loads(headgate("init", "--from", "experiment", "mine.toml", "--json").output)
    assert made["files"] == ["mine.toml"]
    assert not Experiment.load("mine.toml").check()
    check, dry_run, run, plot = (shlex.split(command)[1:] for command in made["next"])
    assert headgate(*check).exit_code == 0
    assert headgate(*dry_run, "--help").exit_code == 0
    short = ("replicates=1", "scenario.duration=3 s", "scenario.measure.warmup=1 s")
    assert headgate(*run, *(word for one in short for word in ("--set", one))).exit_code == 0
    assert headgate(*plot, "--format", "svg").output.split()[0].endswith("throughput-delay.svg")


@pytest.mark.parametrize("cca", ["reno", "cubic", "bbr3"])
def test_no_goodput_of_the_experiment_exceeds_the_rate_of_its_link(cca: str) -> None:
    """Data that arrived before the warm-up's end and is acknowledged after it weighs little."""
    headgate("init", "--from", "experiment", "mine.toml")
    text = Path("mine.toml").read_text()
    base = largest_queue(tomllib.loads(text)["scenario"], cca)
    for seed in (1, 2, 3):
        result = base.run(seed=seed)
        flows, ports = result.flows, result.ports
        acknowledged = np.nansum(flows["goodput_bps"] * flows["active_s"])
        assert acknowledged / ports["elapsed_s"].max() < ports["rate_bps"].max()


def largest_queue(written: dict[str, Any], cca: str) -> Scenario:
    """The condition with the largest queue, in which most is left over from the warm-up."""
    network = {**written["network"], "buffer": "2 BDP", "rtt": "80 ms"}
    traffic = [{**one, "cca": cca} for one in written["traffic"]]
    return Scenario.from_dict({**written, "network": network, "traffic": traffic})


def test_a_new_experiment_prints_the_next_command() -> None:
    lines = headgate("experiment", "new", "mine one.toml").output.splitlines()
    assert lines[:2] == ["mine one.toml", "Next:"]
    check, run = (shlex.split(line)[1:] for line in lines[2:])
    assert run[:2] == ["experiment", "run"]
    assert headgate(*check).exit_code == 0


def test_descriptions_of_commands_are_aligned() -> None:
    headgate("init", "a_name_that_is_long.toml")
    lines = Path("a_name_that_is_long.toml").read_text().splitlines()[1:4]
    places = [
        line.index(word) for line, word in zip(lines, ("is it", "run it", "windows"), strict=True)
    ]
    assert len(set(places)) == 1


def test_an_algorithm_file_is_written_beside_its_scenario_under_its_name(here: Path) -> None:
    done = headgate("init", "--from", "own-cca", "new/my cca-2.toml")
    assert done.exit_code == 0
    assert sorted(p.name for p in (here / "new").iterdir()) == [
        "my cca-2.toml",
        "my_cca_2.py",
    ]
    text = (here / "new" / "my cca-2.toml").read_text()
    assert tomllib.loads(text)["traffic"][0]["cca"]["source"] == "./my_cca_2.py:Mine"
    assert "FILE" not in text
    assert "headgate check 'new/my_cca_2.py:Mine'" not in text
    assert "'new/my cca-2.toml' --out" in done.output


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_overwritten(kind: str, here: Path) -> None:
    (here / "x.toml").write_text("mine")
    done = headgate("init", "--from", kind, "x.toml")
    assert done.exit_code == 2
    assert done.sentence == "headgate: x.toml: already exists; choose another name"
    assert (here / "x.toml").read_text() == "mine"
    assert [path.name for path in here.iterdir()] == ["x.toml"]


def test_an_algorithm_that_is_there_stops_the_scenario_too(here: Path) -> None:
    (here / "own_cca.py").write_text("mine")
    assert "own_cca.py: already exists" in headgate("init", "--from", "own-cca").sentence
    assert [path.name for path in here.iterdir()] == ["own_cca.py"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--from", "Own_Cca"), "there is no template 'Own_Cca'; did you mean 'own-cca'?"),
        (("--from", "ring"), "templates: dumbbell, web, abilene, own-cca, experiment"),
        (("mine.py",), "mine.py: a scenario is TOML; write mine.toml"),
        (("here/there.toml",), "here/there.toml: cannot be written: "),
    ],
)
def test_a_mistake_is_one_sentence(arguments: tuple[str, ...], says: str, here: Path) -> None:
    (here / "here").write_text("")
    done = headgate("init", *arguments)
    assert done.exit_code == 2
    assert says in done.sentence
