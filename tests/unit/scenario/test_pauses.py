"""Flows whose applications pause and continue on the same connection."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import headgate
from headgate import Scenario
from headgate.base.errors import ScenarioError

#: It ends 30 ms before a sample, and the first ACK comes 40 ms after its end.
PAUSE = {"start": "4 s", "duration": "3.02 s"}


def scenario(*pauses: dict[str, str], transport: Any = "default", **flow: Any) -> Scenario:
    flow = {"kind": "flows", "cca": "reno", "pauses": list(pauses)} | flow
    return headgate.dumbbell(
        flows=[flow], rate="10 Mbit/s", rtt="40 ms", duration="12 s", transport=transport,
        measure={"series": {"interval": "50 ms"}},
    )  # fmt: skip


def series(made: Scenario, column: str) -> tuple[Any, Any]:
    table = made.run().tables["series"]
    rows = table["of"] == "flow"
    return table["t_s"][rows], table[column][rows]


def test_nothing_arrives_in_a_pause_and_the_flow_stays_one_flow() -> None:
    made = scenario(PAUSE)
    result = made.run()
    t_s, rate = series(made, "arrival_rate_bps")
    inside = (t_s > 4.2) & (t_s <= 7.0)
    assert not rate[inside].any()
    assert rate[(t_s > 3) & (t_s < 4)].all()
    assert rate[t_s > 7.2].all()
    flows = result.tables["flows"]
    assert (len(flows), str(flows["status"][0]), int(flows["size_packets"][0])) == (1, "running", 0)
    assert flows["timeouts_total"][0] == 0


@pytest.mark.parametrize(
    ("after_idle", "expected"), [("rfc5681", 10), ("ns2", 1), ("keep", None), ("rfc7661", None)]
)
def test_the_transport_sets_the_window_after_a_pause(
    after_idle: str, expected: float | None
) -> None:
    """The pause is longer than the time-out and shorter than five minutes."""
    t_s, cwnd = series(scenario(PAUSE, transport={"after_idle": after_idle}), "cwnd_packets")
    before, after = (float(cwnd[np.searchsorted(t_s, at)]) for at in (6.94, 7.04))
    assert after == pytest.approx(before if expected is None else expected)


def test_a_pause_shorter_than_the_timeout_keeps_the_window() -> None:
    profile = {"after_idle": "rfc5681", "min_rto": "1 s"}
    made = scenario({"start": "4 s", "duration": "520 ms"}, transport=profile)
    t_s, cwnd = series(made, "cwnd_packets")
    assert cwnd[np.searchsorted(t_s, 4.54)] == cwnd[np.searchsorted(t_s, 4.44)] > 10


def test_a_file_that_pauses_is_complete_after_as_many_packets() -> None:
    made = scenario({"start": "1 s", "duration": "1 s", "every": "2 s"}, size="3000 packets")
    flows = made.run().tables["flows"]
    assert (str(flows["status"][0]), int(flows["delivered_total_packets"][0])) == ("finished", 3000)
    plain = float(scenario(size="3000 packets").run().tables["flows"]["fct_receiver_s"][0])
    assert flows["fct_receiver_s"][0] > plain + 1


def test_a_flow_that_stops_in_a_pause_is_over() -> None:
    flows = scenario(PAUSE, stop="5 s").run().tables["flows"]
    assert str(flows["status"][0]) == "finished"


def test_without_pauses_the_plan_is_as_before() -> None:
    assert "pauses" not in scenario().plan()[0]["traffic"][0]


@pytest.mark.parametrize(
    ("flow", "place", "says"),
    [
        ({"start": "5 s"}, "traffic[0].pauses", "a flow starts at 5 s, during a pause"),
        ({"count": 3, "stagger": "3 s"}, "traffic[0].pauses", "a flow starts at 6 s, during a"),
        ({"pauses": [PAUSE, PAUSE]}, "traffic[0].pauses[1]", "they must not overlap"),
        ({"pauses": [PAUSE | {"every": "2 s"}]}, "traffic[0].pauses[0].every", "longer than the"),
        ({"pauses": [{"start": "12 s", "duration": "1 s"}]}, "traffic[0].pauses[0].start", "after"),
    ],
)
def test_a_mistake_is_refused(flow: dict[str, Any], place: str, says: str) -> None:
    with pytest.raises(ScenarioError) as error:
        scenario(PAUSE, **flow).run()
    assert error.value.place == place
    assert says in error.value.sentence
