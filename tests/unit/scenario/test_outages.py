"""Outages of links: their times in the plan, their losses, recovery after them, and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headgate
from headgate import Scenario
from headgate.base.errors import ScenarioError
from headgate.cli.check import describe_link
from headgate.figures.spec.flows import draw_cwnd, draw_throughput
from headgate.figures.spec.ports import draw_queue
from headgate.figures.spec.run import Run

ONE = {"start": "2 s", "duration": "300 ms"}
S = 10**12


def dumbbell(*outages: dict[str, str], **keys: Any) -> Scenario:
    network = {"rate": "20 Mbit/s", "rtt": "40 ms", "duration": "6 s", "outages": outages}
    return headgate.dumbbell(flows=["cubic"], **(network | keys))


def spans(scenario: Scenario) -> list[list[tuple[float, float]]]:
    """Return start and end (s) of the outages of each link."""
    return [
        [(one["at_ps"] / S, one["until_ps"] / S) for one in link.get("outages", ())]
        for link in scenario.plan()[0]["links"]
    ]


def test_an_outage_takes_both_directions_down_unless_reverse_says_otherwise() -> None:
    both = [(2.0, 2.3)]
    assert spans(dumbbell(ONE)) == [both, both]
    assert spans(dumbbell(ONE, reverse={"outages": []})) == [both, []]
    assert spans(dumbbell(reverse={"outages": [ONE]})) == [[], both]
    assert "outages" not in dumbbell().plan()[0]["links"][0]


def test_a_periodic_outage_repeats_until_the_run_ends() -> None:
    made = dumbbell({"start": "1 s", "duration": "100 ms", "every": "2 s"}, ONE)
    assert spans(made)[0] == [(1.0, 1.1), (2.0, 2.3), (3.0, 3.1), (5.0, 5.1)]


def test_a_link_of_a_graph_has_outages_too(tmp_path: Path) -> None:
    links = [{"ends": ["a", "b"], "outages": [ONE]}, {"ends": ["b", "c"]}]
    routers = [{"name": name} for name in "abc"]
    network = {"kind": "graph", "routers": routers, "links": links, "buffer": "10 packets"}
    flow = {"kind": "flows", "cca": "reno", "source": "a", "receiver": "c"}
    made = Scenario.from_dict(
        {
            "duration": "3 s",
            "network": {**network, "rate": "1 Mbit/s", "delay": "1 ms"},
            "traffic": [flow],
        }
    )
    assert spans(made) == [[(2.0, 2.3)], [(2.0, 2.3)], [], []]
    assert spans(Scenario.from_dict(made.to_dict(resolved=True))) == spans(made)


@pytest.mark.parametrize(
    ("outages", "place", "says"),
    [
        ([ONE, {"start": "2.1 s", "duration": "1 s"}], "network.outages[1]",
         "begins at 2.1 s, while network.outages[0] lasts until 2.3 s; they must not overlap"),
        ([{"start": "6 s", "duration": "1 s"}], "network.outages[0].start",
         "6 s is after the end of the run, which lasts 6 s"),
        ([ONE | {"every": "300 ms"}], "network.outages[0].every",
         "300 ms is not allowed; it must be longer than the duration, 300 ms"),
        ([{"start": "0 s", "duration": "1 ps", "every": "2 ps"}], "network.outages[0].every",
         "repeats more than 1,000,000 times"),
        ([ONE | {"queue": "flush"}], "network.outages[0].queue", "'drop' or 'keep'"),
        ([{"start": "1 s"}], "network.outages[0].duration", "required"),
        ([{"start": "1 s", "duration": "0 s"}], "network.outages[0].duration", "greater than 0"),
        ([{"at": "1 s", "duration": "1 s"}], "network.outages[0].at", "not a key"),
    ],
)  # fmt: skip
def test_a_mistake_is_refused(outages: list[dict[str, str]], place: str, says: str) -> None:
    with pytest.raises(ScenarioError) as error:
        dumbbell(*outages).plan()
    assert error.value.place == place
    assert says in error.value.sentence


def test_check_shows_outages() -> None:
    link = dumbbell(ONE, {"start": "4 s", "duration": "100 ms"}).plan()[0]["links"][0]
    assert describe_link(link).endswith("buffer 67 packets, down for 400 ms in 2 outages")


def test_an_outage_in_reverse_is_refused_at_its_place() -> None:
    late = {"start": "9 s", "duration": "1 s"}
    with pytest.raises(ScenarioError) as error:
        dumbbell(reverse={"outages": [ONE, late]}).plan()
    assert error.value.place == "network.reverse.outages[1].start"


def test_a_course_may_lose_everything_but_has_no_rate_of_zero(tmp_path: Path) -> None:
    course = tmp_path / "c.csv"
    course.write_text("time_s,rate_bps,loss\n0,20e6,0\n2,20e6,1\n3,20e6,0\n")
    made = dumbbell(rate=None, course=str(course))
    ports = made.run().tables["ports"]
    assert ports["lost"][0] > 0
    assert ports["outage_losses"][0] == 0
    course.write_text("time_s,rate_bps\n0,20e6\n2,0\n")
    with pytest.raises(ScenarioError, match=r"write an outage in the scenario: outages = \[\{ st"):
        dumbbell(rate=None, course=str(course)).plan()


@pytest.mark.parametrize("queue", ["drop", "keep"])
@pytest.mark.parametrize("in_flight", ["deliver", "lose"])
def test_losses_of_outages_are_counted_apart(queue: str, in_flight: str) -> None:
    result = dumbbell(ONE | {"queue": queue, "in_flight": in_flight}).run()
    ports = result.tables["ports"]
    assert list(ports["down_s"]) == [0.3, 0.3]
    losses = int(ports["outage_losses"][0])
    assert (losses > 0) == ("drop" in queue or "lose" in in_flight)
    assert losses <= ports["drops"][0] + ports["lost"][0]
    assert result.tables["checks"]["relative_error"][0] == 0
    assert ("lost in outages" in str(result)) == (ports["outage_losses"].sum() > 0)


def test_the_mean_rate_of_a_link_excludes_outages() -> None:
    ports = dumbbell({"start": "3 s", "duration": "1.5 s"}, measure={"warmup": "3 s"}).run().ports
    assert ports["rate_bps"][0] == pytest.approx(20e6 * 0.5)
    assert ports["down_s"][0] == 1.5
    assert 0 < ports["utilisation"][0] <= 1


def first_arrival_after(outage_s: float) -> float:
    """Return when data arrives again after an outage of both directions that begins at 10 s."""
    profile = {"min_rto": "1 s", "receive_window": "20 packets"}
    made = headgate.dumbbell(
        flows=["reno"], rate="100 Mbit/s", rtt="40 ms", duration="40 s", transport=profile,
        outages=[{"start": "10 s", "duration": f"{outage_s} s"}],
        measure={"series": {"interval": "10 ms"}},
    )  # fmt: skip
    series = made.run().tables["series"]
    rows = (series["of"] == "flow") & (series["t_s"] > 10.1)
    arrives = np.nan_to_num(series["arrival_rate_bps"][rows]) > 0
    return float(series["t_s"][rows][np.argmax(arrives)])


@pytest.mark.parametrize(
    ("outage_s", "expected_s"), [(0.9, 11), (1.1, 13), (2.9, 13), (3.1, 17), (6.9, 17), (7.1, 25)]
)
def test_a_flow_recovers_at_the_first_timeout_after_the_outage(
    outage_s: float, expected_s: float
) -> None:
    """RFC 6298: the time-out is 1 s, its minimum, and doubles.

    The RTT is constant because the window of 20 packets leaves the queue empty. The timer starts
    with the last ACK, which arrives at most 20 ms and one window after 10 s. It expires 1, 3, 7
    and 15 s later. The retransmission after the end of the outage arrives half a round trip later.
    """
    assert expected_s <= first_arrival_after(outage_s) <= expected_s + 0.1


def test_a_queue_that_is_kept_needs_no_timeout() -> None:
    """The window waits in the queue, and its ACKs return within a round trip."""
    made = headgate.dumbbell(
        flows=["reno"], rate="100 Mbit/s", rtt="40 ms", duration="14 s",
        transport={"receive_window": "20 packets", "min_rto": "1 s"}, reverse={"outages": []},
        outages=[{"start": "10 s", "duration": "900 ms", "queue": "keep"}],
    )  # fmt: skip
    flows = made.run().tables["flows"]
    assert (flows["timeouts_total"][0], flows["retransmissions_total"][0]) == (0, 0)


def test_no_thread_changes_a_run_with_outages() -> None:
    routers = [{"name": name} for name in "abc"]
    keys = {"delay": "2 ms", "rate": "10 Mbit/s"}
    links = [{"ends": list(ends), "outages": [ONE]} | keys for ends in ("ab", "bc")]
    ends = {"kind": "flows", "source": "a", "receiver": "c"}
    flows = [{**ends, "cca": cca} for cca in ("bbr", "reno")]
    network = {"kind": "graph", "routers": routers, "links": links}
    made = Scenario.from_dict({"duration": "5 s", "network": network, "traffic": flows})
    digests = {made.run(threads=threads).meta["digest"] for threads in (1, 2, 3)}
    assert len(digests) == 1


def test_pictures_over_time_shade_outages() -> None:
    result = dumbbell(ONE, {"start": "5.5 s", "duration": "3 s"}).run()
    run = Run("one", result.tables, result.meta)
    assert run.list_rates("bottleneck")[1].tolist() == [20e6]
    assert run.meta["outages"]["bottleneck"] == {"start_s": [2.0, 5.5], "end_s": [2.3, 6.0]}
    for draw in (draw_throughput, draw_cwnd, draw_queue):
        picture = draw([run])
        assert picture is not None
        assert all(panel.outages == ((2.0, 2.3), (5.5, 6.0)) for panel in picture.panels)
