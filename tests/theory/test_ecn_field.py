"""The ECN field: codepoints of senders, negotiation, and routers that change the field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.traced import run_traced

from headgate import Scenario, Trace
from headgate.data.tables import Table
from headgate.engine.run.events import FIELDS
from headgate.engine.traces.frames import CODEPOINTS

CODEL = {"name": "codel", "ecn": "on"}
FLOWS = Trace(flows=["all"])


def scenario(
    transport: dict[str, Any], cca: str = "reno", flows: int = 2, **network: Any
) -> Scenario:
    link = {"kind": "dumbbell", "rate": "20 Mbit/s", "rtt": "40 ms", "buffer": "2 BDP"}
    return Scenario.from_dict(
        {
            "duration": "10 s",
            "measure": {"warmup": "0 s"},
            "transport": transport,
            "network": {**link, "queue": CODEL, **network},
            "traffic": [{"kind": "flows", "cca": cca, "name": "bulk", "count": flows}],
        }
    )


def run(transport: dict[str, Any], cca: str = "reno", **network: Any) -> Any:
    return scenario(transport, cca, **network).run(seed=1)


def fields(events: Table, packets: str) -> set[str]:
    """Return the ECN fields of packets of one kind."""
    flags = events["flags"][events["packet"] == packets]
    return {next((word for word in one.split() if word in FIELDS), "") for one in np.unique(flags)}


def trace(transport: dict[str, Any], folder: Path, cca: str = "reno", **network: Any) -> Table:
    """Return the events of a run."""
    return run_traced(scenario(transport, cca, **network), folder / "out", FLOWS)[2]


def test_a_field_that_is_cleared_before_the_queue_is_like_no_ecn() -> None:
    """Bleaching delays nothing: the run is that of senders without ECN, packet by packet."""
    bleached = run({"ecn": True}, ingress=["ecn-bleach"])
    assert bleached.digest == run({}).digest == run({"ecn": True, "ecn_receiver": "off"}).digest
    assert bleached.ports["ecn_changes"][0] > 0
    assert bleached.ports["marks"][0] == 0


def test_disciplines_treat_both_codepoints_alike() -> None:
    runs = [run({"ecn": ecn}) for ecn in (True, "on", "ect0", "ect1")]
    assert len({result.digest for result in runs}) == 1
    assert runs[0].ports["marks"][0] > 0
    assert run({"ecn": "off"}).digest == run({}).digest != runs[0].digest


def test_marks_that_are_erased_reduce_nothing() -> None:
    """Every mark is undone on the link, so that all reductions are those of losses."""
    erased = run({"ecn": True}, impairments=[{"name": "ecn-mangle", "ce": "ect0"}])
    marks, changes = (erased.ports[name][0] for name in ("marks", "ecn_changes"))
    assert marks == changes > 0
    kept = run({"ecn": True})
    assert marks > 10 * kept.ports["marks"][0]  # nobody answers them


def test_a_link_that_marks_all_reduces_in_each_round_trip() -> None:
    """Reno halves its window in each round trip down to two segments, which need no queue."""
    all_marked = {"name": "ecn-mangle", "not_ect": "ce", "ect1": "ce", "ect0": "ce"}
    result = run({"ecn": True}, impairments=[all_marked])
    assert result.ports["drops"][0] == 0
    # 10 s / 40 ms round trips of two flows with two to four segments, of a path that holds 68
    assert 2 * 250 <= result.ports["departures"][0] <= 2 * 4 * 250 + 100


@pytest.mark.parametrize(("ecn", "field"), [(False, ""), (True, "ect0"), ("ect1", "ect1")])
def test_the_field_of_each_packet_is_traced(tmp_path: Path, ecn: Any, field: str) -> None:
    events = trace({"ecn": ecn, "ecn_acks": True, "ecn_control": True}, tmp_path)
    assert fields(events, "syn") == {""}
    assert fields(events, "syn-ack") == fields(events, "ack") == {field}
    assert fields(events, "data") == ({field, "ce"} if ecn else {""})


def test_control_packets_are_not_capable_by_default(tmp_path: Path) -> None:
    events = trace({"ecn": True}, tmp_path, loss=0.01)
    assert fields(events, "syn") == fields(events, "syn-ack") == fields(events, "ack") == {""}
    again = events.where(events["event"] == "retransmitted")
    assert len(again) > 0
    assert set(again["flags"]) == {""}


def test_an_algorithm_that_needs_marks_keeps_them_with_ecn_off(tmp_path: Path) -> None:
    assert "ect0" in fields(trace({"ecn": "off"}, tmp_path, cca="dctcp"), "data")


@pytest.mark.parametrize("receiver", ["any", "classic", "off"])
def test_dctcp_uses_the_echo_that_is_granted(tmp_path: Path, receiver: str) -> None:
    """CoDel marks one packet at a time. The classic echo then lasts for a round trip."""
    events = trace({"ecn_receiver": receiver}, tmp_path, cca="dctcp")
    received = events.where(events["event"] == "received")
    marked = sum("ce" in flags.split() for flags in received["flags"])
    echoed = int((events["event"] == "echoed").sum())
    if receiver == "off":
        assert (marked, echoed) == (0, 0)
    elif receiver == "any":
        assert 0 <= marked - echoed <= 2  # each segment is acknowledged; some ACKs are on their way
    else:
        assert echoed > 10 * marked


def test_a_syn_that_is_sent_again_falls_back_by_choice(tmp_path: Path) -> None:
    asks: dict[bool, set[str]] = {}
    for fallback in (False, True):
        transport = {"ecn": True, "ecn_fallback": fallback, "syn_timeout": "100 ms"}
        made = scenario(transport, loss=0.3, flows=40)
        _, _, events = run_traced(made, tmp_path / f"{fallback}", FLOWS)
        syns = events.where(events["event"] == "syn_sent")
        _, firsts = np.unique(syns["connection"], return_index=True)
        assert set(syns["flags"][firsts]) == {"ece cwr"}
        asks[fallback] = set(np.delete(syns["flags"], firsts))
    assert asks == {False: {"ece cwr"}, True: {""}}


def test_words_and_numbers_of_the_field_agree() -> None:
    assert {FIELDS[number]: number for number in (1, 2, 3)} == CODEPOINTS
