"""Keys of QUIC and TCP: the presets that accept them, and the errors of the others."""

import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.unit.traced import make_scenario, run_traced

from headgate.base.errors import HeadgateError, ScenarioError
from headgate.engine.traces.pcapng import write_pcapng
from headgate.engine.traces.qlog import write_qlog
from headgate.scenario.presets import ONLY_QUIC, ONLY_TCP, PRESETS
from headgate.scenario.transport import Transport

#: A value of each key of TCP that is not that of the preset `quic`.
OTHERS: dict[str, Any] = {
    "recovery": "newreno",
    "rto_rule": "linux",
    "timeout_sacks": "forgotten",
    "timeout_reduction": "each",
    "count": "acks",
    "rtt_sampling": "per_window",
    "syn_retry": "linux",
    "after_idle": "linux",
    "ecn_feedback": "exact",
    "quick_acks": 7,
}


def other_value(name: str) -> Any:
    given = PRESETS["quic"][name]
    return OTHERS.get(name, (not given) if isinstance(given, bool) else "123 ms")


@pytest.mark.parametrize("name", ONLY_TCP)
def test_a_key_of_tcp_is_refused_with_a_reason(name: str) -> None:
    with pytest.raises(
        ScenarioError, match=f"'{name}' is a key of TCP.*{re.escape(ONLY_TCP[name])}"
    ):
        make_scenario(transport={"preset": "quic", name: other_value(name)})


@pytest.mark.parametrize("name", ONLY_QUIC)
@pytest.mark.parametrize("preset", ["default", "linux"])
def test_a_key_of_quic_needs_the_preset(name: str, preset: str) -> None:
    value = "9 ms" if name == "max_ack_delay" else 2
    with pytest.raises(ScenarioError, match=f"'{name}' is a key of QUIC"):
        make_scenario(transport={"preset": preset, name: value})
    assert make_scenario(transport={"preset": "quic", name: value}).transport.resolved[name]


def test_a_profile_that_is_written_out_is_read_again() -> None:
    for preset in PRESETS:
        full = Transport(preset=preset).fill_in()  # type: ignore[arg-type]
        again = Transport.model_validate(full.model_dump(mode="json", exclude_none=True))
        assert again.plan("a") == full.plan("a") == Transport(preset=preset).plan("a")  # type: ignore[arg-type]


def test_only_quic_changes_the_plan() -> None:
    assert [preset for preset in PRESETS if "quic" in Transport(preset=preset).plan("a")] == [
        "quic"
    ]  # type: ignore[arg-type]


def test_a_trace_has_packet_numbers_and_no_capture(tmp_path: Path) -> None:
    made = make_scenario("reno", {"preset": "quic"}, loss=0.01)
    _, stored, events = run_traced(made, tmp_path / "out")
    sent = (events["event"] == "sent") | (events["event"] == "retransmitted")
    for connection in set(events["connection"].tolist()):
        numbers = events["seq"][sent & (events["connection"] == connection)].tolist()
        assert numbers == list(range(len(numbers)))
    with pytest.raises(HeadgateError, match="take --qlog"):
        write_pcapng(stored)
    assert write_qlog(stored)


def test_a_log_has_the_numbers_and_ranges_of_the_trace(tmp_path: Path) -> None:
    made = make_scenario("reno", {"preset": "quic"}, loss=0.01)
    stored = run_traced(made, tmp_path / "out")[1]
    for path in write_qlog(stored):
        records = [json.loads(text) for text in path.read_text().split("\x1e")[1:]]
        sent, lost = set(), set()
        for record in records[1:]:
            data = record["data"]
            if record["name"] == "transport:packet_sent":
                number = data["header"]["packet_number"]
                assert number == len(sent)  # ascending, without gaps
                sent.add(number)
            elif record["name"] == "recovery:packet_lost":
                lost.add(data["header"]["packet_number"])
            elif record["name"] == "transport:packet_received":
                ranges = data["frames"][0]["acked_ranges"]
                assert all(low <= high for low, high in ranges)
                assert all(one[1] + 1 < other[0] for one, other in itertools.pairwise(ranges))
                assert ranges[-1][1] in sent
        assert lost <= sent
