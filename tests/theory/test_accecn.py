"""Accurate ECN (RFC 9768) against a slow program made from its text, and against the exact echo."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.traced import run_traced

from headgate import Scenario, Trace

from .accecn_program import Client, Server

ACCURATE = {"ecn": True, "ecn_feedback": "accurate"}
WITHOUT_OPTION = ACCURATE | {"accecn_option": False}
FLOWS = Trace(flows=["all"])
#: Marks every packet with a probability, of any queue.
SOME_MARKED = {"name": "ecn-mangle", "ect0": "ce", "share": 0.05}


def scenario(
    transport: dict[str, Any],
    cca: str = "dctcp",
    duration: str = "10 s",
    count: int = 2,
    **network: Any,
) -> Scenario:
    link = {"kind": "dumbbell", "rate": "20 Mbit/s", "rtt": "40 ms", "buffer": "4 BDP"}
    return Scenario.from_dict(
        {
            "duration": duration,
            "measure": {"warmup": "0 s"},
            "transport": transport,
            "network": {**link, "queue": "threshold", **network},
            "traffic": [{"kind": "flows", "cca": cca, "name": "bulk", "count": 2}],
        }
    )


def count_marks(transport: dict[str, Any], **network: Any) -> tuple[int, float]:
    """Return the marked packets that arrived, and those that senders know of."""
    result = scenario(transport, **network).run(seed=1)
    return int(result.responses["segments_marked"][0]), float(
        result.flows["marked_total_packets"].sum()
    )


def test_every_segment_acknowledged_is_the_exact_echo() -> None:
    """With an ACK for each segment and no loss, both feedbacks say the same of each segment."""
    exact = scenario({}).run(seed=1)
    assert exact.ports["marks"][0] > 1000
    assert exact.ports["drops"][0] == 0
    for option in (True, False):
        transport = {"ecn_feedback": "accurate", "accecn_option": option}
        assert scenario(transport).run(seed=1).digest == exact.digest


@pytest.mark.parametrize("delayed", [False, True])
@pytest.mark.parametrize("transport", [ACCURATE, WITHOUT_OPTION])
def test_without_lost_acks_all_marks_are_known(transport: dict[str, Any], delayed: bool) -> None:
    """Two marks trigger an ACK, so that no ACK reports more, and the field cannot wrap."""
    arrived, known = count_marks(transport | {"delayed_ack": delayed}, impairments=[SOME_MARKED])
    assert arrived > 100
    assert 0 <= arrived - known <= 10  # ACKs on their way


def count_marks_of_whole_flows(transport: dict[str, Any]) -> tuple[int, int]:
    """Count marks as :func:`count_marks` of fifty whole flows if 40 % of the ACKs are lost."""
    link = {"kind": "dumbbell", "rate": "100 Mbit/s", "rtt": "40 ms", "buffer": "4 BDP"}
    flows = {"kind": "flows", "cca": "reno", "count": 50, "size": "500 packets"}
    made = Scenario.from_dict(
        {
            "duration": "10 min",
            "measure": {"warmup": "0 s"},
            "transport": {"ecn": True, **transport},
            "network": link | {"impairments": [SOME_MARKED], "reverse": {"loss": 0.4}},
            "traffic": [flows],
        }
    )
    result = made.run(seed=1)
    assert result.responses["flows_completed"][0] == 50
    known = result.flows["marked_total_packets"].sum()
    return int(result.responses["segments_marked"][0]), int(known)


def test_lost_acks_hide_no_mark() -> None:
    arrived, known = count_marks_of_whole_flows(ACCURATE)
    assert known == arrived > 500


def test_lost_acks_are_read_as_the_safest_case_without_the_option() -> None:
    """Marks are never underestimated. The exact echo errs if ACKs are lost."""
    arrived, known = count_marks_of_whole_flows(WITHOUT_OPTION)
    assert known > arrived > 500
    arrived, known = count_marks_of_whole_flows({"ecn_feedback": "exact"})
    assert known != arrived


def test_a_classic_receiver_gives_classic_feedback() -> None:
    wanted = scenario(ACCURATE | {"ecn_receiver": "classic"}, "reno").run(seed=1)
    classic = scenario({"ecn": True, "ecn_feedback": "classic"}, "reno").run(seed=1)
    assert wanted.digest == classic.digest
    off = scenario(ACCURATE | {"ecn_receiver": "off"}, "reno").run(seed=1)
    assert off.ports["marks"][0] == 0


def read_fields(transport: dict[str, Any], folder: Path, **network: Any) -> tuple[set[str], int]:
    """Return the flags of data as they leave, and their number in the first round trip."""
    made = scenario(transport, "reno", "2 s", **network)
    events = run_traced(made, folder / "out", FLOWS)[2]
    sent = events["event"] == "sent"
    first = events["t_s"][events["event"] == "acknowledged"].min()
    return set(events["flags"][sent]), int((events["t_s"][sent] < first).sum())


def test_a_mangled_syn_turns_ecn_off(tmp_path: Path) -> None:
    """The answer reports that the field of the SYN has changed (RFC 9768 section 3.2.2.3)."""
    made_capable = {"name": "ecn-mangle", "not_ect": "ect0"}
    assert read_fields(ACCURATE, tmp_path / "a", impairments=[made_capable])[0] == {""}
    assert read_fields(ACCURATE, tmp_path / "b", impairments=["ecn-bleach"])[0] == {"ect0"}
    capable = ACCURATE | {"ecn_control": True}  # only a capable SYN shows that routers bleach
    assert read_fields(capable, tmp_path / "c", impairments=["ecn-bleach"])[0] == {""}
    assert read_fields(capable, tmp_path / "d")[0] == {"ect0"}
    classic = {"ecn": True}  # which cannot know
    assert read_fields(classic, tmp_path / "e", impairments=[made_capable])[0] == {
        "ect0",
        "ect0 cwr",
    }


def test_a_marked_syn_begins_with_one_segment(tmp_path: Path) -> None:
    marked = {"name": "ecn-mangle", "ect0": "ce"}
    transport = ACCURATE | {"ecn_control": True}
    assert read_fields(transport, tmp_path / "a", impairments=[marked])[1] == 2 * 1
    assert read_fields(transport, tmp_path / "b")[1] == 2 * 10


@pytest.mark.parametrize(
    ("transport", "network"),
    [
        ({}, {}),
        ({"preset": "linux"}, {"loss": 0.01}),
        ({"delayed_ack": True}, {"loss": 0.02, "reverse": {"loss": 0.3}}),
        ({"recovery": "newreno", "delayed_ack": True}, {"loss": 0.01, "reverse": {"loss": 0.2}}),
        ({"preset": "linux", "ecn_control": True}, {"reverse": {"loss": 0.9}}),
    ],
)
def test_the_program_of_the_rfc_agrees(
    tmp_path: Path, transport: dict[str, Any], network: dict[str, Any]
) -> None:
    """The trace alone gives each ACE field, each ACK that a mark triggers, and each mark."""
    made = scenario(
        WITHOUT_OPTION | transport, duration="5 s", impairments=[SOME_MARKED], **network
    )
    compare_with_program(made, tmp_path / "out", is_lossless=not network.get("reverse"))


def compare_with_program(made: Scenario, folder: Path, *, is_lossless: bool = False) -> int:
    """Compare each flow with the program. Return the number of marks that the senders know of."""
    result, _, events = run_traced(made, folder, FLOWS)
    known = {f"bulk.{n}": marks for n, marks in enumerate(result.flows["marked_total_packets"])}
    profile = made.transport.resolved
    for flow, marked in known.items():
        mine = events.where(events["flow"] == flow)
        server = Server(delays=bool(profile["delayed_ack"]))
        client = Client(sack=profile["recovery"].startswith("sack"))
        server.follow(mine)
        client.follow(mine)
        assert client.marked == marked, flow
        if is_lossless:
            assert 0 <= server.marked - client.marked <= 10
    return int(sum(known.values()))


def draw_sequences(draw: np.random.Generator) -> Scenario:
    """Draw a network of fifty flows whose marks, delayed ACKs, losses and lost ACKs are random."""
    share, loss, lost_acks = (
        float(draw.choice(among)) for among in ([0.01, 0.1, 0.5, 1.0], [0, 0.02], [0, 0.3, 0.8])
    )
    transport: dict[str, Any] = {"preset": "linux"} if draw.random() < 0.3 else {}
    transport["delayed_ack"] = bool(draw.random() < 0.7)
    transport["recovery"] = str(draw.choice(["sack", "newreno"]))
    transport["ecn_control"] = bool(draw.random() < 0.5)
    link = {"kind": "dumbbell", "rate": "100 Mbit/s", "rtt": "40 ms", "buffer": "1 BDP"}
    marks = {"name": "ecn-mangle", "ect0": "ce", "share": share}
    if lost_acks:
        link["reverse"] = {"loss": lost_acks}
    size = f"{draw.integers(20, 150)} packets"
    flows = {"kind": "flows", "cca": str(draw.choice(["reno", "dctcp"])), "count": 50, "size": size}
    return Scenario.from_dict(
        {
            "duration": "6 s",
            "measure": {"warmup": "0 s"},
            "transport": WITHOUT_OPTION | transport,
            "network": {**link, "loss": loss, "impairments": [marks]},
            "traffic": [{**flows, "name": "bulk"}],
        }
    )


@pytest.mark.parametrize("number", range(20))
def test_the_program_agrees_on_a_thousand_random_sequences(tmp_path: Path, number: int) -> None:
    made = draw_sequences(np.random.default_rng(number))
    assert compare_with_program(made, tmp_path / "out") > 0


def share_with_prague(transport: dict[str, Any], **network: Any) -> tuple[float, float]:
    """Return the rates of two flows of Prague and of two of Reno over DualPI2, bit/s."""
    link = {"kind": "dumbbell", "rate": "40 Mbit/s", "rtt": "20 ms", "buffer": "infinite"}
    flows = {"kind": "flows", "count": 2}
    made = Scenario.from_dict(
        {
            "duration": "40 s",
            "measure": {"warmup": "10 s"},
            "transport": transport,
            "network": {**link, "queue": "dualpi2", **network},
            "traffic": [flows | {"cca": name, "name": name} for name in ("prague", "reno")],
        }
    )
    rates = [float(rate) for rate in made.run(seed=1).flows["goodput_bps"]]
    return sum(rates[:2]), sum(rates[2:])


@pytest.mark.parametrize("option", [True, False])
@pytest.mark.parametrize("delayed", [False, True])
def test_prague_shares_dualpi2_as_with_the_exact_echo(option: bool, delayed: bool) -> None:
    exact = share_with_prague({"delayed_ack": delayed})
    accurate = {"ecn_feedback": "accurate", "accecn_option": option, "delayed_ack": delayed}
    assert share_with_prague(accurate) == pytest.approx(exact, rel=0.05)


def test_the_handshake_is_that_of_table_2(tmp_path: Path) -> None:
    asked = {"": "cwr", "ect0": "ae", "ce": "cwr ae"}
    for number, field in enumerate(asked):
        transport = ACCURATE | {"ecn_control": field != ""}
        changes = [{"name": "ecn-mangle", "ect0": "ce"}] if field == "ce" else []
        made = scenario(transport, "reno", "1 s", impairments=changes)
        events = run_traced(made, tmp_path / str(number), FLOWS)[2]
        syns = events["flags"][events["event"] == "syn_sent"]
        assert set(syns) == {"ect0 ece cwr ae" if field else "ece cwr ae"}
        answers = events["flags"][events["event"] == "syn_ack_sent"]
        assert {" ".join(w for w in one.split() if w != "ect0") for one in answers} == {
            asked[field]
        }
    acks = events["flags"][events["event"] == "ack_sent"]
    assert len(np.unique(acks)) == 8  # each ACE field, as all packets are marked
