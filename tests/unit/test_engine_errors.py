"""An error that ends a run of the engine is one sentence, in Python and on the command line."""

from pathlib import Path

import numpy as np
import pytest

from headgate import Scenario, dumbbell
from headgate.base.errors import CcaError, HeadgateError, join_lines
from headgate.data.measures.formula import evaluate
from headgate.engine.live import arrivals as arrivals_module
from headgate.engine.live.arrivals import replay

from ..errors.command import headgate

BAD = """
import math

class Bad:
    def on_ack(self, ack, path, window):
        window.cwnd = math.nan

    def on_congestion(self, event, path, window):
        pass

class Raises(Bad):
    def on_ack(self, ack, path, window):
        raise ValueError("first line\\nsecond line")
"""
LIVE = """
duration = "2 s"
[network]
kind = "dumbbell"
rate = "5 Mbit/s"
rtt = "20 ms"
buffer = "10 packets"
[[traffic]]
kind = "live"
hosts = ["a"]
peers = ["b"]
[[traffic]]
kind = "flows"
cca = "bad.py:NAME"
"""


@pytest.fixture
def live(tmp_path: Path) -> Path:
    """A scenario with an algorithm that fails, and the packets of a run in real time."""
    (tmp_path / "bad.py").write_text(BAD)
    (tmp_path / "s.toml").write_text(LIVE.replace("NAME", "Bad"))
    log = np.zeros(3, arrivals_module._ROW)
    log["time_ps"] = np.arange(3) * 10**9
    log["from"], log["to"], log["size_bytes"] = 0, 1, 1000
    (tmp_path / "arrivals.log").write_bytes(arrivals_module._MAGIC + log.tobytes())
    # the run lasts as long as the log: a packet after a second
    log["time_ps"][2] = 10**12
    (tmp_path / "arrivals.log").write_bytes(arrivals_module._MAGIC + log.tobytes())
    return tmp_path


@pytest.mark.usefixtures("lists")
def test_a_log_of_another_version_is_one_sentence(live: Path) -> None:
    log = (live / "arrivals.log").read_bytes()
    (live / "arrivals.log").write_bytes(b"HGARRIV1" + log[8:])
    done = headgate("run", live / "s.toml", "--trust", "--arrivals", live / "arrivals.log")
    assert done.exit_code == 2
    assert "arrivals.log: another version of Headgate wrote this log" in done.sentence


@pytest.mark.usefixtures("lists")
@pytest.mark.parametrize(
    ("cca", "said"), [("Bad", "cwnd became NaN"), ("Raises", "ValueError: first line second line")]
)
def test_an_algorithm_that_fails_in_a_replay_of_arrivals_is_one_sentence(
    cca: str, said: str, live: Path
) -> None:
    (live / "s.toml").write_text(LIVE.replace("NAME", cca))
    done = headgate("run", live / "s.toml", "--trust", "--arrivals", live / "arrivals.log")
    assert done.exit_code == 2
    assert "bad.py" in done.sentence
    assert said in done.sentence
    with pytest.raises(CcaError, match=said):
        replay(Scenario.load(live / "s.toml", trust=True), live / "arrivals.log")


@pytest.fixture
def lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user who has allowed nothing yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.mark.usefixtures("lists")
def test_a_message_of_several_lines_is_one_line(live: Path) -> None:
    text = (
        LIVE.replace("NAME", "Raises")
        .replace('[[traffic]]\nkind = "live"', "")
        .replace('hosts = ["a"]\npeers = ["b"]', "")
    )
    (live / "s.toml").write_text(text)
    done = headgate("run", live / "s.toml", "--trust")
    assert r"\n" not in done.errors
    assert len(done.errors.splitlines()) == 1
    assert join_lines("a\n  b\r\n\n c\n") == "a b c"


def test_an_error_of_several_lines_is_printed_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise HeadgateError("the graph:\n  line 2\n\n  line 3\n")

    monkeypatch.setattr("headgate.design.generate.load_design", fail)
    assert headgate("design", "show", "x").errors == "headgate: the graph: line 2 line 3\n"


def test_a_link_that_could_send_nothing_is_used_by_nothing(tmp_path: Path) -> None:
    """The only opportunity of the trace comes after the run."""
    (tmp_path / "late.trace").write_text("5000\n")
    made = dumbbell(
        trace={"file": str(tmp_path / "late.trace"), "repeat": False},
        rtt="20 ms",
        buffer="10 packets",
        flows=["reno"],
    )
    result = made.run("1 s")
    assert result.ports["utilisation"][0] == 0.0
    assert result.tables["links"]["utilisation"][0] == 0.0


def test_a_share_of_nothing_is_none() -> None:
    columns = {"part": np.array([0.0, 1.0, 1.0]), "whole": np.array([0.0, 0.0, 4.0])}
    found = evaluate("share(2 * part, whole)", columns.__getitem__)
    np.testing.assert_array_equal(found, [0.0, np.nan, 0.5])
