"""An unchanged campaign answers from its record; any change makes it analyse again."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from headgate import Experiment
from headgate.base.errors import HeadgateError
from headgate.experiment import recall, report_key, runner
from headgate.experiment.study import study

from ..errors.command import headgate as command
from . import small_study

TEXT = """
title = "small"
scenario = "base.toml"
replicates = 2
responses = ["goodput_bps", {name = "mine", function = "./mine.py:drops"}]
tables = "all"
[factors]
cca = ["reno", "./gentle.py:Gentle"]
[[claims]]
id = "fills"
statement = "The link is used."
value = "min(goodput_bps) / 5e6"
tolerance = ">= 0.1"
"""
BASE = """
duration = "3 s"
network = {kind = "dumbbell", rate = "5 Mbit/s", rtt = "20 ms"}
traffic = [{kind = "replay", cca = "reno", file = "flows.csv"}]
"""
MINE = "def drops(result):\n    return result.ports['drops'].sum()\n"
FLOWS = "start_s,size_bytes\n0,300000\n0.5,20000\n"
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished experiment, its files beside it."""
    folder = tmp_path_factory.mktemp("first")
    (folder / "e.toml").write_text(TEXT)
    (folder / "mine.py").write_text(MINE)
    (folder / "flows.csv").write_text(FLOWS)
    (folder / "base.toml").write_text(BASE)
    shutil.copy(ROOT / "examples" / "ccas" / "gentle.py", folder)
    done = command("experiment", "run", folder / "e.toml", "--trust", "--out", folder / "out")
    assert done.exit_code == 0, done.errors
    (folder / "first.txt").write_text(done.output)
    return folder


@pytest.fixture
def folder(first: Path, tmp_path: Path) -> Iterator[Path]:
    """The same, restored afterwards with the times of its files."""
    shutil.copytree(first, tmp_path / "copy")
    yield first
    shutil.rmtree(first)
    shutil.copytree(tmp_path / "copy", first)


def ask(folder: Path, *more: str) -> Any:
    return command("experiment", "run", folder / "e.toml", "--out", folder / "out", *more)


def is_known(folder: Path, *settings: str) -> bool:
    experiment = Experiment.load(folder / "e.toml", settings, trust=True)
    return recall.recall(experiment.plan_runs(folder / "out")) is not None


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise HeadgateError("made again")

    monkeypatch.setattr(runner, "run_study", refuse)


@pytest.mark.usefixtures("refused")
def test_an_unchanged_experiment_prints_its_answer_again(first: Path) -> None:
    said = (first / "first.txt").read_text()
    assert "Findings" in said
    end = f"Report: {first / 'out' / 'report.html'}"
    assert said.splitlines()[-1] == end
    again = ask(first)
    assert again.output == said.replace(end, f"{end} (nothing has changed since it was made)")
    assert again.errors == ""


def test_programs_get_the_same_answer_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = json.loads(ask(folder, "--json").output)
    (folder / "out" / recall.FILE).unlink()
    assert json.loads(ask(folder, "--json").output) == found
    assert [claim["id"] for claim in found["claims"]] == ["fills"]


def change(name: str, old: str, new: str) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        path = folder / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    return edit


def remove(pattern: str) -> Callable[[Path], None]:
    def unlink(folder: Path) -> None:
        next(folder.glob(pattern)).unlink()

    return unlink


def empty_run(folder: Path) -> None:
    shutil.rmtree(next(folder.glob("out/runs/*")))


def test_an_unchanged_experiment_imports_nothing_that_analyses_or_draws(first: Path) -> None:
    words = ("experiment", "run", first / "e.toml", "--out", first / "out")
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "headgate", *words],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "(nothing has changed since it was made)" in done.stdout
    found = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert not found & {"matplotlib", "scipy", "statsmodels", "altair", "networkx", "pandas"}


CHANGES: dict[str, Callable[[Path], None]] = {
    "title": change("e.toml", '"small"', '"large"'),
    "claim": change("e.toml", ">= 0.1", ">= 0.2"),
    "replicates": change("e.toml", "replicates = 2", "replicates = 3"),
    "function": change("mine.py", ".sum()", ".max()"),
    "file that the scenario reads": change("flows.csv", "300000", "200000"),
    "base": change("base.toml", "5 Mbit/s", "6 Mbit/s"),
    "algorithm": change("gentle.py", "class Gentle", "class Gentle  "),
    "page": change("out/report.html", "</html>", "</html> "),
    "picture": remove("out/figures/*.svg"),
    "table": remove("out/tables/*.csv"),
    "means": remove("out/means.parquet"),
    "run": empty_run,
    "table of a run": remove("out/runs/*/ports.parquet"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_any_change_is_noticed(name: str, folder: Path) -> None:
    assert is_known(folder)
    CHANGES[name](folder)
    assert not is_known(folder)


def test_settings_of_the_command_are_noticed(folder: Path) -> None:
    assert not is_known(folder, "title=other")
    assert not is_known(folder, "scenario.duration=4 s")


def test_another_program_answers_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recall, "hash_program", lambda: b"another")
    assert not is_known(folder)


def test_a_file_of_the_user_beside_the_report_does_not_matter(folder: Path) -> None:
    (folder / "out" / "log.txt").write_text("mine")
    (folder / "out" / "figures" / "mine.png").write_text("mine")
    assert is_known(folder)


def test_a_damaged_record_is_made_again(folder: Path) -> None:
    (folder / "out" / recall.FILE).write_text('{"made_of": 1')
    assert not is_known(folder)
    ask(folder)
    assert is_known(folder)


def test_the_program_is_all_its_files() -> None:
    here = Path(report_key.__file__).parents[1]
    names = {path.name for path in here.rglob("*") if "__pycache__" not in path.parts}
    assert {"page.html", "charts.js", "recall.py"} <= names


def test_the_answer_is_printed_before_anything_is_drawn(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise HeadgateError("drawn")

    monkeypatch.setattr("headgate.figures.report.make.make", refuse)
    monkeypatch.setattr("headgate.figures.plots.style.make_axes", refuse)
    done = ask(folder, "--set", "title=other")
    assert done.sentence == "headgate: drawn"
    assert "Findings" in done.output
    assert "fills" in done.output
    assert "CPU seconds" in done.output


# --- studies --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished study with stored results."""
    folder = tmp_path_factory.mktemp("stored")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "load", lambda _: small_study.shrunk(seeds=1))
        done = ask_study(folder)
    assert done.exit_code == 0, done.errors
    (folder / "first.txt").write_text(done.output)
    return folder


def ask_study(folder: Path) -> Any:
    words = ("--out", folder / "out", "--results", folder / "results")
    return command("study", "tcp-replacements", *words)


@pytest.mark.usefixtures("refused")
def test_an_unchanged_study_plans_no_run(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "load", lambda _: small_study.shrunk(seeds=1))
    monkeypatch.setattr(runner.StudyRun, "jobs", property(lambda _: pytest.fail("planned")))
    said = (stored / "first.txt").read_text().rstrip()
    assert ask_study(stored).output.rstrip() == f"{said} (nothing has changed since it was made)"


def test_stored_results_of_others_are_noticed(
    stored: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = shutil.copytree(stored, tmp_path / "copy")
    monkeypatch.setattr(study, "load", lambda _: small_study.shrunk(seeds=1))
    asked = study.plan_study(
        "tcp-replacements", "quick", folder / "out", results=folder / "results"
    )
    assert recall.recall(asked) is not None
    assert asked.stored is not None
    next(asked.stored.folder.glob("*/runs.parquet")).touch()
    assert recall.recall(asked) is None


def test_files_that_a_setting_names_are_read(tmp_path: Path) -> None:
    """The files of a package do not decide the runs of a study if the user adds others."""
    mine = tmp_path / "mine.csv"
    mine.touch()
    small = small_study.shrunk(seeds=1)
    setup = small.setup(small.scale("quick"))
    assert "identity" not in list(small.inputs(setup, ["identity"]))
    for name in (str(mine), "./mine.py:Mine"):
        changed = {**setup.settings, "within": [{"any": name}]}
        named = setup.__class__(**{**vars(setup), "settings": changed})
        assert "identity" in list(small.inputs(named, ["identity"]))
