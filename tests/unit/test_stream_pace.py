"""Streams by simulated time: steps, speed, and `headgate stream`."""

import json
import os
import pty
import re
import shlex
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from headgate import Result, Scenario
from headgate.base.errors import HeadgateError, ScenarioError
from headgate.cli.main import app
from headgate.cli.stream import Course, View
from headgate.engine.run.pace import MOST_LATE_S, Pace, make_pace

from ..arch.repository import ROOT

#: The longest window of the engine on the path below: half of its delay of 20 ms each way.
WINDOW_S = 0.02


def make_scenario(**changes: Any) -> Scenario:
    plain = {
        "title": "two flows",
        "duration": "2 s",
        "network": {"kind": "dumbbell", "rate": "10 Mbit/s", "rtt": "40 ms", "buffer": "1 BDP"},
        "traffic": [{"kind": "flows", "cca": cca} for cca in ("reno", "cubic")],
    }
    return Scenario.from_dict({**plain, **changes})


class Clock:
    """A wall clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now_s, self.slept = 100.0, 0.0

    def sleep(self, wait_s: float) -> None:
        self.now_s += wait_s
        self.slept += wait_s


def test_steps_are_equal_on_every_machine() -> None:
    scenario = make_scenario()
    updates = list(scenario.stream(flows=["*"], step_s=0.1))
    assert len(updates) == 20
    for number, update in enumerate(updates, 1):
        assert 0.1 * number - WINDOW_S <= update.time_s <= 0.1 * number + 1e-9
    again = list(scenario.stream(flows=["*"], step_s=0.1, threads=2))
    assert [len(one.events) for one in again] == [len(one.events) for one in updates]
    assert [one.time_s for one in again] == [one.time_s for one in updates]
    for before, after in pairwise(updates):
        assert before.events["t_s"].max(initial=0) <= after.events["t_s"].min(initial=9)


def test_a_run_by_steps_has_the_same_result() -> None:
    scenario = make_scenario()
    stream = scenario.stream(step_s=0.003)
    assert len(list(stream)) > 300
    assert stream.result.digest == scenario.run().digest


def test_a_speed_determines_the_step() -> None:
    assert make_pace(None, None, 0.1).step_s == pytest.approx(0.01)
    assert make_pace(0.5, None, "2").step_s == pytest.approx(1.0)
    assert make_pace(None, 0.25, 4).step_s == 0.25
    for unlimited in (None, "max"):
        assert make_pace(None, None, unlimited).step_s is None


def test_updates_wait_for_the_wall_clock() -> None:
    clock = Clock()
    pace = Pace(step_s=0.1, speed=0.5, now=lambda: clock.now_s, sleep=clock.sleep)
    for number in range(1, 11):
        pace.wait_for(0.1 * number)
        assert clock.now_s == pytest.approx(100 + 0.2 * number)
    clock.now_s += 0.15  # slow work is made up for
    pace.wait_for(1.1)
    assert clock.now_s == pytest.approx(102.2)
    clock.now_s += 60.0  # a pause is not
    before = clock.slept
    pace.wait_for(1.2)
    pace.wait_for(1.3)
    assert clock.slept == before  # both are due already: 0.5 s and 0.3 s ago
    pace.wait_for(2.3)
    assert clock.slept - before == pytest.approx((2.3 - 1.2) / 0.5 - MOST_LATE_S)


def test_a_stream_that_is_left_does_not_wait_for_its_result() -> None:
    scenario = make_scenario(duration="200 s")
    stream = scenario.stream(speed=1.0)
    next(stream)
    assert stream.result.digest == scenario.run().digest  # 200 s would exceed the test's limit


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"speed": 0}, "speed: 0 is not allowed; write simulated seconds per second, such as 1"),
        ({"speed": "fast"}, "speed: 'fast' is not allowed"),
        ({"speed": float("nan")}, "speed: nan is not allowed"),
        ({"step_s": 0}, "step_s: 0 s is not allowed; it must be above 0"),
        ({"step_s": 1, "every_s": 1}, "every_s: counts wall time, and step_s simulated time"),
        ({"every_s": float("inf")}, "every_s: inf s is not allowed"),
        ({"speed": 1e-14}, "speed: an update would cover less than a picosecond"),
    ],
)
def test_wrong_paces_are_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(ScenarioError) as raised:
        make_scenario().stream(**given)
    assert says in str(raised.value)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "two.toml"
    path.write_text(
        'title = "two flows"\nduration = "2 s"\n[network]\nkind = "dumbbell"\n'
        'rate = "10 Mbit/s"\nrtt = "40 ms"\nbuffer = "1 BDP"\n'
        '[[traffic]]\nkind = "flows"\ncca = "reno"\n[[traffic]]\nkind = "flows"\ncca = "cubic"\n'
    )
    return path


def stream(*words: str) -> Any:
    return CliRunner().invoke(app, ["stream", *words])


def test_the_command_prints_lines_in_a_pipe(file: Path, tmp_path: Path) -> None:
    done = stream(str(file), "--speed", "max", "--out", str(tmp_path / "run"))
    assert done.exit_code == 0, done.output
    assert "reno" in done.stdout
    assert "bottleneck" in done.stdout
    assert "2.00 s: reno " in done.stdout
    ran = CliRunner().invoke(app, ["run", str(file), "--json"])
    kept = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert kept["digest"] == json.loads(ran.stdout)["digest"]
    assert (
        CliRunner().invoke(app, ["plot", str(tmp_path / "run"), "--format", "html"]).exit_code == 0
    )


def test_the_command_prints_updates_for_machines(file: Path) -> None:
    lines = stream(str(file), "--speed", "10", "--json").stdout.splitlines()
    *updates, last = [json.loads(line) for line in lines]
    assert [round(one["time_s"]) for one in updates] == [1, 2]  # 10 * 0.1 s
    names = {row["name"] for one in updates for row in one["series"]}
    assert names == {"reno", "cubic", "bottleneck"}
    assert last["ccas"]


def test_a_terminal_shows_flows_and_queues(file: Path) -> None:
    here, there = pty.openpty()
    words = [sys.executable, "-m", "headgate", "stream", str(file), "--speed", "4"]
    environment = {**os.environ, "COLUMNS": "100", "LINES": "40", "TERM": "xterm"}
    program = subprocess.Popen(words, stdout=there, stderr=there, env=environment)
    os.close(there)
    said = b""
    try:
        while part := os.read(here, 65536):
            said += part
    except OSError:  # the program has closed the terminal
        pass
    assert program.wait() == 0
    text = said.decode()
    assert "of 2 s" in text
    assert "simulated seconds per second" in text
    assert "a sample each 100 ms" in text
    assert "█" in text


def test_a_line_of_blocks_shows_the_share_of_the_highest() -> None:
    course = Course("queue_packets")
    for value in (0.0, 7.0, 14.0, float("nan")):
        course.take({"queue_packets": value})
    assert course.draw() == "▁▅█ "  # 7/14 of seven steps is 3.5, which rounds to the even 4


def test_the_fullest_ports_are_shown_in_the_order_of_the_network() -> None:
    view = View(make_scenario(), 1.0)
    for number, packets in enumerate((3.0, 9.0, 1.0, 0.0, 7.0, 5.0)):
        view._ports[f"port {number}"] = Course("queue_packets")
        view._ports[f"port {number}"].take({"queue_packets": packets})
    assert [name for name, _ in view._fullest()] == ["port 0", "port 1", "port 4", "port 5"]


def test_slow_motion_proposes_more_samples() -> None:
    assert "measure.series.interval='10 ms'" in View(make_scenario(), 0.1)._say_interval()
    assert "--set" not in View(make_scenario(), 1.0)._say_interval()


def test_a_scenario_without_series_is_refused(file: Path) -> None:
    done = stream(str(file), "--set", "measure.series=none")
    assert isinstance(done.exception, HeadgateError)
    assert "measure.series is 'none', so there is nothing to show" in str(done.exception)


def test_the_demonstration_shows_what_its_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs" / "how-to" / "teach.md").read_text(encoding="utf-8")
    [first, *_] = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    commands = [shlex.split(line.partition("#")[0])[1:] for line in first.strip().splitlines()]
    assert len(commands) <= 5
    monkeypatch.chdir(tmp_path)
    for words in commands:
        fast = [*words, "--speed", "max"] if words[0] == "stream" else [*words]
        assert CliRunner().invoke(app, fast).exit_code == 0, words
    for name, winner in (("small", "bbr"), ("large", "cubic")):
        flows = Result.read(tmp_path / "out" / name).flows
        assert flows["cca"][flows["goodput_bps"].argmax()] == winner
        assert (tmp_path / "out" / name / "figures" / "pictures.html").is_file()
