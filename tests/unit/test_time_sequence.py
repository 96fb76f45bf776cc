"""The time-sequence of a traced flow shows its events, for planted events and for a run."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from headgate.cli.main import app
from headgate.engine.traces.stored import StoredTrace, read_connections, read_first
from headgate.figures.spec.drawing import Line, Picture
from headgate.figures.spec.packets import (
    COLUMNS,
    MOST_OF_KIND,
    draw_first_time_sequence,
    draw_time_sequence,
)
from headgate.figures.spec.run import Run, TracedFlow

from .traced import make_scenario, run_traced

NAN = float("nan")


def make_events(*rows: dict[str, object]) -> TracedFlow:
    """Give a flow whose events have these columns; numbers that are not given are unknown."""
    words = {"event": "", "packet": ""}
    columns = {
        name: np.array([row.get(name, words.get(name, NAN)) for row in rows]) for name in COLUMNS
    }
    return TracedFlow("reno", 1460, columns)


def lines_of(picture: Picture, panel: int = 0) -> dict[str, Line]:
    return {line.name: line for line in picture.panels[panel].lines}


#: Segment 2 is dropped at a port, the receiver holds 3 to 5 by then, and 2 is sent again.
LOSS = make_events(
    {"t_s": 0.0, "event": "sent", "packet": "data", "seq": 1, "cwnd_packets": 4.0,
     "in_flight_packets": 1},
    {"t_s": 0.1, "event": "sent", "packet": "data", "seq": 2, "cwnd_packets": 4.0,
     "in_flight_packets": 2},
    {"t_s": 0.15, "event": "dropped", "packet": "data", "seq": 2},
    {"t_s": 0.16, "event": "dropped", "packet": "ack", "seq": 9},
    {"t_s": 0.2, "event": "acknowledged", "packet": "ack", "seq": 2, "sack1_from": 3,
     "sack1_to": 5, "cwnd_packets": 2.0, "ssthresh_packets": 2.0, "in_flight_packets": 1},
    {"t_s": 0.3, "event": "retransmitted", "packet": "data", "seq": 2},
    {"t_s": 0.9, "event": "timeout"},
)  # fmt: skip


def test_each_kind_of_event_has_its_marks() -> None:
    above = lines_of(draw_time_sequence(LOSS))
    assert list(above) == ["SACK", "ACK", "sent", "retransmitted", "dropped or lost", "time-out"]
    assert above["sent"].x.tolist() == [0.0, 0.1]
    assert above["sent"].y.tolist() == [1, 2]
    assert above["dropped or lost"].y.tolist() == [2], "a lost ACK is not drawn as a segment"
    assert above["retransmitted"].x.tolist() == [0.3]
    assert above["ACK"].y.tolist() == [2]


def test_sack_blocks_and_time_outs_are_bars_with_gaps() -> None:
    above = lines_of(draw_time_sequence(LOSS))
    np.testing.assert_array_equal(above["SACK"].x, [0.2, 0.2, 0.2])
    np.testing.assert_array_equal(above["SACK"].y, [3, 5, NAN])
    np.testing.assert_array_equal(above["time-out"].y, [1, 9, NAN])


def test_windows_are_drawn_below() -> None:
    below = lines_of(draw_time_sequence(LOSS), panel=1)
    assert below["cwnd"].y.tolist() == [4, 4, 2]
    assert below["ssthresh"].y.tolist() == [2]
    assert below["in flight"].y.tolist() == [1, 2, 1]


def test_windows_share_the_time_axis_above_them() -> None:
    above, below = draw_time_sequence(LOSS).panels
    assert above.x_range == below.x_range is not None


def test_a_stretch_of_time_is_shown_alone() -> None:
    picture = draw_time_sequence(LOSS, (0.1, 0.25))
    above = lines_of(picture)
    assert list(above) == ["SACK", "ACK", "sent", "dropped or lost"]
    assert above["sent"].y.tolist() == [2]
    assert [panel.x_range for panel in picture.panels] == [(0.1, 0.25)] * 2


def test_frequent_events_are_thinned_and_rare_ones_are_not() -> None:
    many = [{"t_s": 0.001 * n, "event": "sent", "packet": "data", "seq": n} for n in range(9000)]
    rare = [{"t_s": 1.5, "event": "dropped", "packet": "data", "seq": 1500}]
    picture = draw_time_sequence(make_events(*many, *rare))
    above = lines_of(picture)
    assert MOST_OF_KIND / 2 < len(above["sent"].x) <= MOST_OF_KIND
    assert len(above["dropped or lost"].x) == 1
    assert f"Thinned: {len(above['sent'].x) + 1:,} of 9,001 points" in picture.caption


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("traced") / "run"
    run_traced(make_scenario(), made)
    return made


def test_marks_are_as_many_as_events_of_the_trace(folder: Path) -> None:
    stored = StoredTrace(folder)
    counts = stored.count()
    (first, traced), *others = read_connections(stored)
    above = lines_of(draw_time_sequence(traced))
    assert first == f"time-sequence-{traced.flow}-0"
    assert len(others) == 2
    drops = sum(n for (flow, _, event), n in counts.items()
                if flow == traced.flow and event == "dropped")  # fmt: skip
    both = [lines_of(draw_time_sequence(t)) for _, t in [(first, traced), *others]
            if t.flow == traced.flow]  # fmt: skip
    assert sum(len(lines["dropped or lost"].x) for lines in both) == drops > 0
    assert above["retransmitted"].x.min() > above["dropped or lost"].x.min()


def test_plot_draws_the_first_and_trace_draws_each(folder: Path) -> None:
    names = CliRunner().invoke(app, ["plot", str(folder), "--only", "time-sequence", "--json"])
    assert [Path(path).name for path in json.loads(names.stdout)] == [
        "time-sequence.png", "time-sequence.svg", "pictures.html",
    ]  # fmt: skip
    made = CliRunner().invoke(app, ["trace", str(folder), "--between", "1", "2", "--json"])
    paths = [Path(path) for path in json.loads(made.stdout)]
    assert [path.suffix for path in paths] == [".png", ".svg"] * 3 + [".html"]
    assert all(path.stat().st_size > 1000 for path in paths)
    assert "in flight" in paths[-1].read_text()


def test_without_a_trace_there_is_no_such_picture(tmp_path: Path) -> None:
    assert read_first(tmp_path) is None
    run = Run("", {}, {}, trace_one=lambda: None)
    assert draw_first_time_sequence([run]) is None


def test_the_first_of_several_says_so(folder: Path) -> None:
    traced = read_first(folder)
    assert traced is not None
    picture = draw_first_time_sequence([Run("", {}, {}, trace_one=lambda: traced)])
    assert picture is not None
    assert "The first of 3 traced flows; `headgate trace --plot` draws each." in picture.caption
