"""The cases of quiche's tests: topologies by hand, exception files, and every case."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from headgate import HeadgateError
from headgate.cli.main import app
from headgate_studies.conform import report
from headgate_studies.conform.bbr.made import by_hand
from headgate_studies.conform.case import Case, Observation, Subject
from headgate_studies.conform.exception_files import ExceptionFile, read_file, read_folder, shipped
from headgate_studies.conform.quiche.changes import AT_S, BUNDLED, FAST_BPS, PLAIN
from headgate_studies.conform.quiche.flight import feed, fly, look_at
from headgate_studies.conform.quiche.network import (
    MIB,
    PACKET,
    PACKET_BITS,
    Feeder,
    Link,
    ManySenders,
    Topology,
    policed,
)
from headgate_studies.conform.quiche.suite import ALGORITHM, VARIANTS
from headgate_studies.conform.report import QUICHE, judge, list_variants, run_suite, subjects

#: The tests of `bbr2_simulator_test.cc` at commit 08b2a466, beside those with a rate that rises.
NAMES = set(
    re.findall(
        r"\S+",
        """
NormalStartup NormalStartupB207 NormalStartupB207andB205 NormalStartupBB2S SimpleTransfer
SimpleTransferB2RC SimpleTransferB206 SimpleTransferB207 SimpleTransferBBRB SimpleTransferBBR4
SimpleTransferBBR5 SimpleTransferBBQ1 SimpleTransferSmallBuffer SimpleTransferSmallBufferB2H2
SimpleTransfer2RTTAggregationBytes SimpleTransferAckDecimation BandwidthDecrease
PacketLossOnSmallBufferStartup PacketLossBBQ6SmallBufferStartup PacketLossBBQ7SmallBufferStartup
PacketLossBBQ8SmallBufferStartup PacketLossBBQ9SmallBufferStartup ApplicationLimitedBursts
ApplicationLimitedBurstsWithoutPrior Drain InFlightAwareGainCycling ExitStartupDueToLoss
ExitStartupDueToLossB2SL ExitStartupDueToLossB2NE SenderPoliced StartupStats
ProbeUpAdaptInflightHiGradually LossOnlyCongestionEvent SpuriousLossEvent
ProbeRttAfterQuiescenceImmediatelyExits ProbeBwAfterQuiescencePostponeMinRttTimestamp
SwitchToBbr2MidConnection AdjustNetworkParameters
200InitialCongestionWindowWithNetworkParameterAdjusted
100InitialCongestionWindowFromNetworkParameter
100InitialCongestionWindowWithNetworkParameterAdjusted Bbr2VsBbr2 MultipleBbr2s Bbr2VsBbr1
Bbr2VsReno Bbr2VsRenoB2RC Bbr2VsCubic BadRttSample
""",
    )
)
RISING = set(
    re.findall(
        r"\S+",
        """
BandwidthIncrease BandwidthIncreaseB203 BandwidthIncreaseBBQ0 BandwidthIncreaseBBQ0Aggregation
BandwidthIncreaseB202 BandwidthIncreaseB202Aggregation BandwidthIncreaseAggregation
BandwidthIncreaseBBHI BandwidthIncreaseBBHIAggregation BandwidthIncreaseBBHI_B202Aggregation
BandwidthIncreaseB204 BandwidthIncreaseB204Aggregation BandwidthIncreaseB205
BandwidthIncreaseB205Aggregation BandwidthIncreaseBB2U BandwidthIncreaseBB2UAggregation
BandwidthIncreaseBB2UandBBHIAggregation
""",
    )
)
#: Cases that hold for both variants, each with settings that make it fail.
WRONG = {
    "quiche-transfer": {"cwnd_gain": 6.0},
    "quiche-transfer-b2rc": {"pacing_margin": 0.5},
    "quiche-startup": {"cwnd_gain": 8.0},
    "quiche-small-buffer-startup": {"cwnd_gain": 4.0},
    "quiche-drain": {"cwnd_gain": 1.0},
    "quiche-probe-rtt-quiescence": {"probe_rtt_interval_s": 20.0},
    "quiche-rate-up": {"pacing_margin": 0.5},
    "quiche-beside-itself": {"pacing_margin": 0.5},
}


def bbr3(variant: str = "draft") -> Subject:
    [subject] = subjects([ALGORITHM])
    return subject.following(variant)


def find(name: str) -> Case:
    return next(case for case in QUICHE if case.id == name)


def pairs() -> list[tuple[Case, str]]:
    return [(case, v) for case in QUICHE for v in list_variants(case, bbr3()) if not case.left_out]


@pytest.mark.parametrize(("case", "variant"), pairs(), ids=lambda item: getattr(item, "id", item))
def test_the_case_holds_or_is_an_exception(case: Case, variant: str) -> None:
    [subject] = subjects([ALGORITHM])
    result = judge(case, subject, variant)
    assert result.finding is not None
    known = shipped().get((case.id, ALGORITHM))
    assert result.word == ("exception" if known and variant in known.observed else "holds"), (
        f"expected {result.finding.expected}; got {result.finding.observed}"
    )


def test_every_test_of_the_file_is_a_case() -> None:
    names = {case.source.rpartition(".")[2] for case in QUICHE}
    assert names == NAMES | RISING
    assert len(names) == 65
    assert len(PLAIN) + len(BUNDLED) == len(RISING)
    assert len({case.id for case in QUICHE}) == len(QUICHE)


def test_exception_files_name_cases_and_variants() -> None:
    cases = {case.id: case for case in QUICHE}
    own = {key: file for key, file in shipped().items() if key[0] in cases}
    assert own
    for (name, algorithm), known in own.items():
        assert not cases[name].left_out
        assert algorithm == ALGORITHM
        assert {*known.observed} <= {*VARIANTS}


def test_tests_that_cannot_be_checked_say_why() -> None:
    left_out = [judge(case, bbr3()) for case in QUICHE if case.left_out]
    assert len(left_out) == 9
    assert all(one.word == "not applicable" and len(one.reason) > 20 for one in left_out)


@pytest.mark.parametrize("name", WRONG)
def test_wrong_settings_fail(name: str) -> None:
    assert judge(find(name), bbr3().having(**WRONG[name])).word == "fails"


def test_a_round_trip_and_a_product_are_those_of_quiche() -> None:
    # 1452 B take 1161.6 and 2904 us, cut to whole ones: 2 (2000 + 30000 + 1161 + 2904) us
    usual = Topology()
    assert usual.rtt_s == pytest.approx(0.07213)
    assert (usual.bdp, usual.queue) == (36_065, 72_130)
    assert Topology(queue_bdp=0.5).queue == 18_032
    # 774 and 116160 us: 2 (32000 + 774 + 116160) us at 100 kbit/s
    slow = Topology(Link(15_000_000, 2_000), Link(100_000, 30_000))
    assert slow.rtt_s == pytest.approx(0.297868)
    assert (slow.bdp, slow.queue) == (3_723, 7_446)
    # the second of the eight senders: 14 us less than 2 x 2000 us, 7 B
    assert ManySenders().queue == 2 * 36_058


def test_the_network_of_a_run_has_these_rates_and_buffers() -> None:
    flight = fly(bbr3(), Topology(), MIB, 3)
    # a packet each way: 2 (32 ms + 1.08 ms + 2.7 ms) less what an ACK of 50 B is faster
    assert flight.min_rtt_s == pytest.approx(0.064 + 0.00378 + 0.00014, abs=1e-5)
    network = Topology().network()
    assert [link["buffer"] for link in network["links"]] == ["infinite", "72130 B"]
    assert [link["rate"] for link in network["links"]] == ["10000 kbit/s", "4000 kbit/s"]
    changing = Topology(test=Link(100_000, 30_000)).network({15.0: FAST_BPS})["links"][1]
    assert changing["changes"] == [{"at": "15 s", "rate": "10000 kbit/s"}]
    many = ManySenders().network(2)["links"]
    assert [link["delay"] for link in many] == ["1987 us", "1993 us", "30000 us"]


def test_an_ack_of_an_idle_path_comes_after_its_delays() -> None:
    # 1350 B at 10 and at 4 Mbit/s, 32 ms each way
    assert Topology().path().ack_at(0.0) == pytest.approx(0.00108 + 0.0027 + 0.064)


def test_the_queue_drops_what_finds_it_full() -> None:
    path = Topology().path()
    acks = [path.ack_at(0.0) for _ in range(120)]
    # a packet comes each 1.08 ms and leaves each 2.7 ms: 0.6 of them wait, 53 fit into 72130 B
    first = acks.index(np.inf)
    assert first * 0.6 == pytest.approx(53, abs=2)
    assert path.dropped == pytest.approx((120 - first) * 0.6, abs=2)


def test_waiting_packets_leave_at_the_new_rate() -> None:
    topology = Topology(test=Link(100_000, 30_000), queue_bdp=20)
    path = topology.path(changes=((0.2, FAST_BPS / PACKET_BITS),))
    acks = np.array([path.ack_at(0.0) for _ in range(6)])
    # 108 ms each: the first two start before 0.2 s; the others take 1.08 ms
    assert np.diff(acks) == pytest.approx([0.108, 0.00108, 0.00108, 0.00108, 0.00108], abs=1e-6)


def test_acks_wait_for_their_bundle() -> None:
    path = Topology().path(bundle_s=0.1)
    acks = np.array([path.ack_at(0.007 * at) for at in range(60)])
    times, counts = np.unique(acks, return_counts=True)
    # one each 7 ms: the first, and 14 in the 100 ms after it
    assert np.diff(times) == pytest.approx([0.105] * 3)
    assert list(counts) == [15] * 4
    assert times[0] == pytest.approx(Topology().path().ack_at(0.0) + 0.1)


def test_a_policer_begins_with_its_first_tokens() -> None:
    path = policed(Topology(), 0.25, first=10_000, largest=100_000)
    acks = [path.ack_at(0.0) for _ in range(40)]
    # 7.4 packets at first and 0.25 with each that passes, 2.7 ms: 7.4 + 0.25 n - n < 1 after nine
    assert acks.index(np.inf) == 9
    assert path.dropped > 20


def test_lost_data_are_written_again() -> None:
    path = Topology(queue_bdp=0.3).path()
    sender = feed(bbr3(), path, MIB)
    assert sender.finish(30) < 30
    sender.advance(sender.now_s + 5)
    assert path.dropped > 0
    assert sender.delivered == -(-MIB // 1310)


def test_a_pause_is_no_loss() -> None:
    sender = Feeder(by_hand(bbr3()), Topology().path())
    for _ in range(5):
        sender.offer(30)
        sender.advance(sender.now_s + 4)
    assert (sender.lost, sender.delivered) == (0, 150)


def test_linux_follows_a_rising_rate_with_bundles_of_its_allowance() -> None:
    # the reason of nine exceptions: aggregation counts for at most 0.1 s
    topology = Topology(Link(15_000_000, 2_000), Link(100_000, 30_000))
    found = []
    for bundle_s in (0.1, 0.3):
        path = topology.path(bundle_s=bundle_s, changes=((AT_S, FAST_BPS / PACKET_BITS),))
        sender = feed(bbr3("linux-v3"), path, 2 * MIB)
        sender.finish(AT_S + 50)
        found.append(look_at(sender).largest_mbps)
    assert found[0] > 9.5
    assert found[1] < 1


def test_losses_with_bundles_are_those_of_startup() -> None:
    # the reason of an exception: 134 packets of window find room for 27 + 53 + 53
    topology = Topology()
    sender = feed(bbr3(), topology.path(bundle_s=2 * topology.rtt_s), 12 * MIB)
    sender.advance(3)
    early = sender.lost
    sender.finish(35)
    assert sender.lost == early > 0
    assert topology.queue // PACKET == 53


def write(folder: Path, name: str, **changes: object) -> Path:
    known = {
        "case": "quiche-a",
        "algorithm": ALGORITHM,
        "expected": "1 to 2",
        "reason": "a reason of more than twenty letters",
        "source": "RFC 1",
        **changes,
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in known.items()]
    text = "\n".join([*lines, "[observed]", 'draft = "3"', ""])
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_wrong_exception_file_is_refused(tmp_path: Path) -> None:
    assert read_file(write(tmp_path, "quiche-a.toml")).observed == {"draft": "3"}
    with pytest.raises(HeadgateError, match="its name must be that of the case"):
        read_file(write(tmp_path, "quiche-b.toml"))
    with pytest.raises(HeadgateError, match="reason"):
        read_file(write(tmp_path, "quiche-a.toml", reason="because"))
    with pytest.raises(HeadgateError, match="cause"):
        read_file(write(tmp_path, "quiche-a.toml", cause="unknown"))


@pytest.mark.parametrize(
    ("observed", "status", "word"),
    [("3", "exception", "exception"), ("3", "open", "fails"), ("4", "exception", "fails")],
)
def test_an_exception_holds_for_its_own_values_only(
    observed: str, status: str, word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "quiche-a.toml", status=status)
    files = read_folder(tmp_path)
    monkeypatch.setattr(report, "shipped", lambda: files)
    finding = Observation(False, "1 to 2", observed)
    case = Case("quiche-a", "test A", "x", lambda _: finding, ("bbr3",), variants=VARIANTS)
    [subject] = subjects([ALGORITHM])
    draft, linux = run_suite([subject], 1, [case])
    assert (draft.word, draft.variant) == (word, "draft")
    assert linux.word == "fails"
    assert (draft.exception is not None) == (observed == "3")


def test_a_case_that_holds_needs_no_exception() -> None:
    known = ExceptionFile(
        case="quiche-a",
        algorithm=ALGORITHM,
        expected="1",
        observed={"draft": "2"},
        reason="a reason of more than twenty letters",
        source="RFC 1",
    )
    assert known.covers("draft", "1", "2")
    assert not known.covers("linux-v3", "1", "2")
    assert not known.covers("draft", "1", "1")


def test_the_command_prints_variants_and_exceptions() -> None:
    words = ["conform", "bbr3", "--case", "quiche-drain-pace", "--case", "quiche-drain"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0
    assert "bbr3: 2 hold, 0 fail, 2 exceptions, 0 not applicable" in done.stdout
    assert (
        "Exception in quiche-drain-pace (bbr3 draft), quiche-drain-pace (bbr3 linux-v3): DRAIN"
        in (done.stdout)
    )
    records = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    found = [(record["case"], record["variant"], record["verdict"]) for record in records]
    assert ("quiche-drain", "linux-v3", "holds") in found
    assert ("quiche-drain-pace", "draft", "exception") in found


def test_an_open_failure_is_marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = shipped()["quiche-drain-pace", ALGORITHM]
    still = known.model_copy(update={"status": "open", "reason": "not explained yet, by anyone"})
    monkeypatch.setattr(report, "shipped", lambda: {(known.case, ALGORITHM): still})
    done = CliRunner().invoke(app, ["conform", "bbr3", "--case", "quiche-drain-pace"])
    assert done.exit_code == 1
    assert "bbr3 draft, quiche-drain-pace (open: not explained yet, by anyone): exp" in done.stdout
