"""A warning names senders without their routers, and routers without their senders."""

from pathlib import Path
from typing import Any

import pytest

from headgate import Scenario
from headgate.base import catalog
from headgate.base.errors import HeadgateWarning, SchemeWarning
from headgate.scenario.plan_warnings import scenario_warnings

from .scenarios import DUMBBELL, RENO, scenario

CCAS = Path(__file__).parents[1] / "ccas"
THRESHOLD = {"name": "threshold", "mark": "20 packets"}


def warnings_of(made: Scenario) -> list[str]:
    return scenario_warnings(made, *made.plan())


def doubts(network: dict[str, Any], *ccas: str) -> list[str]:
    flows = [{**RENO, "cca": cca} for cca in ccas]
    return warnings_of(scenario({**DUMBBELL, **network}, *flows))


@pytest.mark.parametrize("cca", ["rcp", "vcp", "xcp"])
def test_a_warning_names_senders_without_their_routers(cca: str) -> None:
    (said,) = doubts({}, cca)
    assert said == (
        f"'{cca}': no link on a path of its '{cca}' senders (bottleneck) has the router feedback "
        f"'{cca}', so they behave as 'reno' does there; write network.feedback = \"{cca}\""
    )
    assert not doubts({"feedback": cca}, cca)


def test_dctcp_wants_marks_on_its_way() -> None:
    (said, _phase) = doubts({}, "dctcp", "reno")
    assert "'dctcp' senders (bottleneck) marks packets" in said
    for queue in (THRESHOLD, "pie", {"name": "codel", "ecn": "on"}):
        assert not doubts({"queue": queue}, "dctcp"), queue
    for queue in ("codel", {"name": "pie", "ecn": "off"}):
        assert doubts({"queue": queue}, "dctcp"), queue


@pytest.mark.parametrize("queue", [card.name for card in catalog.devices() if card.kind == "queue"])
def test_a_discipline_without_marks_is_warned_of(queue: str) -> None:
    """Two flows of Prague are marked in a run, or the warning says that they are not."""
    network = {**DUMBBELL, "buffer": "2 BDP", "queue": queue}
    made = scenario(network, {**RENO, "cca": "prague", "count": 2}, duration="5 s")
    ports = made.run().ports
    assert (sum(ports["marks"]) > 0) != any("marks packets" in said for said in warnings_of(made))


ECN = {**RENO, "transport": {"ecn": True}}


@pytest.mark.parametrize(
    ("queue", "remedy"),
    [
        ("codel", 'write network.queue = {name = "codel", ecn = "on"}'),
        ({"name": "pie", "ecn": "off"}, 'write network.queue = {name = "pie", ecn = "on"}'),
        ("drop_tail", 'or network.queue = "dualpi2"'),
        ("dualpi2", ""),
        ({"name": "codel", "ecn": "on"}, ""),
        (THRESHOLD, ""),
    ],
)
def test_ecn_that_no_link_answers_is_warned_of(queue: object, remedy: str) -> None:
    made = scenario({**DUMBBELL, "queue": queue}, {**ECN, "count": 2}, duration="5 s")
    said = warnings_of(made)
    assert len(said) == bool(remedy)
    assert all(text.endswith(remedy) and "ecn is on, but no link" in text for text in said)
    assert (sum(made.run().ports["marks"]) > 0) == (not remedy)


@pytest.mark.parametrize(
    ("cca", "said"),
    [
        ("bbr", "'bbr'"),
        ("vivace", "'vivace'"),
        ({"name": "bbr3", "variant": "linux-v3"}, "'bbr3'"),
        ({"name": "copa", "competes": "no"}, "'copa'"),
        ("bbr3", ""),
        ("copa", ""),
        ("cubic", ""),
    ],
)
def test_ecn_with_an_algorithm_that_ignores_marks_is_warned_of(cca: object, said: str) -> None:
    made = scenario({**DUMBBELL, "queue": {"name": "codel", "ecn": "on"}}, {**ECN, "cca": cca})
    found = [text for text in warnings_of(made) if "marks, so packets are marked" in text]
    assert len(found) == bool(said)
    for text in found:
        assert f"ecn is on, but {said} ignores marks" in text
        assert text.endswith('does not slow down; write transport = {ecn = "off"}')
    plain = {**RENO, "cca": cca, "transport": {"ecn": "off"}}
    assert not [text for text in warnings_of(scenario(DUMBBELL, plain)) if "ignores" in text]


def test_marks_that_no_traffic_understands_are_warned_of() -> None:
    """Disciplines that mark by default are not warned of."""
    network = {**DUMBBELL, "queue": {"name": "codel", "ecn": "on"}}
    (said,) = warnings_of(scenario(network, RENO))
    assert "ecn is on at bottleneck and 1 more link, but no traffic uses ECN" in said
    media = {"kind": "media", "rate_controller": "scream"}
    own = {**RENO, "cca": {"source": f"{CCAS / 'reno.py'}:Reno"}}  # which may use ECN
    for other in (ECN, {**RENO, "cca": "dctcp"}, own, media, {"kind": "live"}):
        assert not warnings_of(scenario(network, RENO, other)), other
    for queue in ("codel", "pie", "dualpi2", "drop_tail"):
        assert not warnings_of(scenario({**DUMBBELL, "queue": queue}, RENO)), queue


def test_an_impairment_that_marks_serves_dctcp() -> None:
    for way in ("ingress", "impairments"):
        assert not doubts({way: [{"name": "ecn-mangle", "ect0": "ce"}]}, "dctcp")
        assert doubts({way: [{"name": "ecn-mangle", "ect0": "ect1"}]}, "dctcp")


def test_a_warning_names_routers_without_senders() -> None:
    (said,) = doubts({"feedback": "xcp"}, "reno")
    assert said == (
        "network.feedback: no traffic uses 'xcp', so its router feedback at bottleneck "
        "and 1 more link has no effect"
    )
    assert not doubts({"feedback": "xcp"}, "reno", "xcp")


def test_a_router_beside_the_way_does_not_help() -> None:
    network = {
        "kind": "graph",
        "rate": "10 Mbit/s",
        "delay": "1 ms",
        "routers": [{"name": name} for name in "abc"],
        "links": [{"ends": ["a", "b"]}, {"ends": ["b", "c"], "feedback": "rcp"}],
    }
    flow = {**RENO, "cca": "rcp", "source": "a"}
    (said,) = warnings_of(scenario(network, {**flow, "receiver": "b"}))
    assert "(a-b)" in said
    assert not warnings_of(scenario(network, {**flow, "receiver": "c"}))


def test_a_mix_and_a_flow_list_are_looked_at_algorithm_by_algorithm(tmp_path: Path) -> None:
    users = {"kind": "web", "users": 4, "size": "9 packets"}
    mix = {**users, "cca": [{"cca": "reno", "share": 0.5}, {"cca": "xcp", "share": 0.5}]}
    (said,) = warnings_of(scenario(DUMBBELL, mix))
    assert said.startswith("'users': ")
    (tmp_path / "f.csv").write_text("start_s,size_packets,cca\n0,1,rcp\n")
    listed = {"kind": "replay", "cca": "reno", "name": "mine", "file": str(tmp_path / "f.csv")}
    (said,) = warnings_of(scenario(DUMBBELL, listed))
    assert said.startswith("'mine': ")


def test_a_run_warns_in_a_category_of_ours() -> None:
    assert issubclass(SchemeWarning, HeadgateWarning)
    with pytest.warns(SchemeWarning, match="has the router feedback 'xcp'"):
        result = scenario(DUMBBELL, {**RENO, "cca": "xcp"}, duration="1 s").run()
    assert len(result.meta["warnings"]) == 1


def test_the_catalogue_lists_the_needs_of_an_algorithm() -> None:
    needs = {cca.name: (cca.scheme, cca.needs_marks) for cca in catalog.ccas()}
    assert [name for name, need in needs.items() if need != (None, False)] == [
        "dctcp",
        "prague",
        "rcp",
        "vcp",
        "xcp",
    ]
    assert needs["xcp"] == ("xcp", False)


@pytest.mark.parametrize("kind", ["poisson", "on_off"])
def test_arrivals_that_start_after_the_run_cause_the_same_warning(kind: str) -> None:
    keys = {
        "poisson": {"load": 0.3, "size": "9 packets"},
        "on_off": {"hosts": 3, "on": "1 s", "off": "1 s"},
    }
    made = scenario(DUMBBELL, {"kind": kind, "cca": "reno", **keys[kind], "start": "30 s"})
    (said,) = warnings_of(made.replaced({"duration": "10 s"}))
    assert "would start at 30 s, after the end of the run, which lasts 10 s" in said


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (
            {"start": "10 s"},
            "traffic[0].start: 'reno' would start at 10 s, after the end of the run, which lasts "
            "10 s",
        ),
        (
            {"count": 5, "start": "8 s", "stagger": "1 s"},
            "traffic[0].stagger: 3 of the 5 flows of 'reno' would start after the end of the run, "
            "which lasts 10 s",
        ),
        ({"count": 5, "start": "8 s", "stagger": "0.5 s"}, "1 of the 5 flows"),
        ({"count": 4, "start": "8 s", "stagger": "0.5 s"}, ""),
        ({"count": 5, "start": "9 s"}, ""),
    ],
)
def test_flows_that_start_after_the_run_cause_a_warning(keys: dict[str, Any], said: str) -> None:
    late = scenario(DUMBBELL, {**RENO, **keys}).replaced({"duration": "10 s"})
    found = warnings_of(late)
    assert len(found) == bool(said)
    assert all(said in one and "lengthen duration" in one for one in found)


def test_rows_of_a_flow_list_that_start_after_the_run_cause_a_warning(tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("start_s,size_packets\n0,1\n9,1\n10,1\n")
    listed = {"kind": "replay", "cca": "reno", "name": "mine", "file": str(tmp_path / "f.csv")}
    late = scenario(DUMBBELL, listed).replaced({"duration": "10 s"})
    (said,) = warnings_of(late)
    assert said.startswith("traffic[0].file: 1 of the 3 flows of 'mine' would start after")
