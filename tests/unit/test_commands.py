"""The output of the commands for people and for machines."""

import json
import os
import signal
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path

import pytest
from typer.testing import CliRunner

from headgate import __version__
from headgate.base import catalog
from headgate.base.errors import FailedRunsError
from headgate.cli.main import app, main
from headgate.data.columns import TABLES
from headgate.lab.leases import Leases

ROOT = Path(__file__).parents[2]
FIRST = str(ROOT / "examples" / "first.toml")


def test_options_with_another_name_now_are_refused_with_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["headgate", "study", "nist-1b", "--plan", "d.toml"])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert capsys.readouterr().err == "headgate: --plan is now --design\n"


def test_memory_that_runs_out_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run_out(**_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("headgate.cli.main.app", run_out)
    monkeypatch.setattr("sys.argv", ["headgate", "bench"])
    with pytest.raises(SystemExit, match="1"):
        main()
    said = capsys.readouterr().err
    assert said == "headgate: memory ran out; take a smaller scale, or fewer --workers\n"


def test_each_failed_run_has_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A message of another library that spans several lines is printed on one line."""

    def fail(**_: object) -> None:
        raise FailedRunsError("2 of 9 runs failed:", "cca=a: out of room", "cca=b: one\n  two")

    monkeypatch.setattr("headgate.cli.main.app", fail)
    monkeypatch.setattr("sys.argv", ["headgate", "bench"])
    with pytest.raises(SystemExit, match="1"):
        main()
    said = capsys.readouterr().err.splitlines()
    assert said == ["headgate: 2 of 9 runs failed:", "  cca=a: out of room", "  cca=b: one two"]


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_a_run_that_is_stopped_keeps_its_state(sent: signal.Signals, tmp_path: Path) -> None:
    """A batch system sends SIGTERM before it kills."""
    words = [sys.executable, "-m", "headgate", "run", FIRST, "--out", str(tmp_path / "out")]
    with subprocess.Popen(
        [*words, "--set", "duration=10000 s"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        while not (tmp_path / "out").is_dir():
            assert process.poll() is None
            time.sleep(0.02)
        time.sleep(0.5)
        process.send_signal(sent)
        errors = process.communicate(timeout=60)[1]
    assert process.returncode == 1
    assert "the same command resumes it" in errors.splitlines()[-1]


def test_sigterm_to_every_process_of_a_study_keeps_the_runs_in_hand(tmp_path: Path) -> None:
    words = ["study", "nist-1b", "--scale", "quick", "--workers", "1", "--out", str(tmp_path)]
    with subprocess.Popen(
        [sys.executable, "-m", "headgate", *words],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        while not any(lease.share for lease in Leases(tmp_path).all()):
            assert process.poll() is None
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGTERM)
        errors = process.communicate(timeout=60)[1]
    assert process.returncode == 1
    assert errors.splitlines()[-1].startswith("headgate: stopped with 0 of ")
    assert list((tmp_path / "snapshots").glob("[!.]*"))
    assert not list((tmp_path / "running").iterdir())


def printed(*arguments: str) -> str:
    done = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_every_command_explains_itself() -> None:
    text = printed("--help")
    for name in ("run", "check", "catalog", "describe", "study", "reproduce", "plot", "bench"):
        assert name in text
        assert "Usage" in printed(name, "--help")
        assert printed(name, "-h") == printed(name, "--help")


def test_version() -> None:
    assert printed("--version").split() == ["headgate", __version__]
    assert __version__ == metadata.version("headgate")


def test_the_catalogue_lists_every_card_and_describes_one_in_full() -> None:
    names = [card.name for card in catalog.list_everything()]
    head, *lines, empty, said = printed("catalog").splitlines()
    assert head.split() == ["name", "kind", "driven", "by", "NIST", "title", "and", "rule"]
    assert [line.split()[0] for line in lines] == names
    assert not empty
    assert said.startswith("NIST: number and name in the study")
    assert [cca["name"] for cca in json.loads(printed("catalog", "--json"))] == names
    card = printed("catalog", "fast")
    for param in catalog.cca("fast").params:
        assert f"{param.name} = " in card
    assert json.loads(printed("catalog", "tcp", "--json"))["name"] == "reno"


def test_every_card_of_the_catalogue_is_printed() -> None:
    for card in catalog.list_everything():
        shown = printed("catalog", card.name)
        assert card.title in shown
        assert "driven by  impairment" not in shown


def test_the_catalogue_describes_disciplines_and_both_sides_of_a_scheme() -> None:
    assert "queue discipline" in printed("catalog", "fq-codel")
    kinds = [card["kind"] for card in json.loads(printed("catalog", "rcp", "--json"))]
    assert kinds == ["cca", "feedback", "fluid"]
    card = printed("catalog", "rcp")
    for param in [*catalog.cca("rcp").params, *catalog.device("feedback", "rcp").params]:
        assert f"{param.name} = " in card


@pytest.mark.parametrize("word", ["STCP", "6", "stcp"])
def test_an_algorithm_answers_to_its_names_in_the_nist_study(word: str) -> None:
    assert "NIST       6 STCP" in printed("catalog", word)


def test_no_word_means_two_algorithms() -> None:
    words = [word for cca in catalog.ccas() for word in cca.names]
    assert len(set(words)) == len(words)


def test_describe_knows_every_column() -> None:
    text = printed("describe")
    for name, columns in TABLES.items():
        assert name in text
        for column in columns:
            assert column.definition in text
            assert not column.formula or f"\n      = {column.formula}\n" in text
    assert "\\n" not in text
    only = json.loads(printed("describe", "flows.goodput_bps", "--json"))
    assert [column["unit"] for column in only["flows"]] == ["bit/s"]


def test_check_describes_the_resolved_scenario() -> None:
    text = printed("check", FIRST)
    assert "is valid: 2 routers, 2 links" in text
    assert "buffer 333 packets" in text
    resolved = json.loads(printed("check", FIRST, "--seed", "5", "--json"))
    assert resolved["seed"] == 5
    assert resolved["transport"]["min_rto"] == "200 ms"


@pytest.mark.parametrize("settings", [(), ("--set", "duration=3 s", "--set", "traffic.1.cca=reno")])
def test_run_prints_a_summary_for_machines(settings: tuple[str, ...]) -> None:
    short = ("--set", "duration=2 s", "--set", "measure.warmup=1 s")
    summary = json.loads(printed("run", FIRST, *short, *settings, "--json"))
    assert {"seed", "cpu_s", "packet_hops", "digest", "ccas", "responses"} <= summary.keys()
    flows = {row["cca"]: row["flows"] for row in summary["ccas"]}
    assert flows == ({"reno": 2} if settings else {"reno": 1, "fast": 1})


def test_run_prints_tables_for_people() -> None:
    text = printed("run", FIRST, "--set", "duration=2 s", "--set", "measure.warmup=1 s")
    assert "Flows by algorithm" in text
    assert "bottleneck" in text
    assert "packet-hops" in text
