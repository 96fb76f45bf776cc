"""The scenarios of the study: a function for each sweep, with what its runs differ by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from headgate import Scenario
from headgate.lab import Labels, Setup
from headgate_studies.fast.theory import AGAINST_RENO, EVEN
from headgate_studies.paths import (
    MBPS,
    NO_SERIES,
    PACKET_BITS,
    bdp_packets,
    draw_starts,
    flow,
    in_seconds,
    packets,
    path,
    scale_times,
    seconds,
    starts,
)

ALPHA = 100
RECALLED_ALPHA = {"100 Mbit/s": 100, "1 Gbit/s": 200}
#: w = baseRTT/RTT w + alpha, letter by letter.
LITERAL = {"gamma": 1.0, "update_rounds": 1, "mi_threshold_s": 0.0, "variant": "paper"}
#: The form of the slides; the algorithm's other forms double whenever the queue is empty.
PAPER = {"variant": "paper"}
SIMPLE = {"variant": "simple"}
#: Without doubling while the queue is empty.
PLAIN = {**SIMPLE, "mi_threshold_s": 0.0}
#: The agent of ns-2, and how it repairs losses.
AGENT = {"variant": "ns2"}
AGENT_TRANSPORT = {"preset": "ns2", "recovery": "sack1"}
FORMS: dict[str, Mapping[str, Any]] = {"paper": PAPER, "simple": SIMPLE, "agent": AGENT}
#: One update in every other round trip, at once: the map of which the theorem speaks.
MAP = {"variant": "paper", "burstiness": "none"}
#: RFC 6298; with less, the rise of the queue at the start is a time-out.
PATIENT = {"min_rto": "1 s"}
UPDATES_OF_REST = 24

WEIGHTS = (50, 100, 200)
BETWEEN_LATECOMERS_S = 20.0
LONG_FAT: dict[str, Any] = {"rate": "1 Gbit/s", "rtt": "180 ms", "buffer": "1 BDP"}
OC192: dict[str, Any] = {"rate": "9.5 Gbit/s", "rtt": "264 ms"}
#: Frames of 9000 B, as in the record of the same group at SC2004.
JUMBO = {"segment": "8960 B", "header": "40 B"}
#: 25,280 km of fibre are 126.4 ms.
OC192_CLAIMED_LOSS = 1e-7
SC2004: dict[str, Any] = {"rate": "9.5 Gbit/s", "rtt": "252.8 ms", "buffer": "0.25 BDP"}
SC2004_FLOWS = 18
SHORT_WEIGHTS = (10, 20, 40)
SHORT_LATECOMERS, SHORT_LATE_ALPHA, BETWEEN_SHORT_LATECOMERS_S = 3, 60, 100.0
#: Two fifths of the buffer on the path of KAIST.
BURSTS, BURST_PACKETS = 10, 3000
JAIN_RTTS_S = (0.05, 0.10, 0.15, 0.20)
DSL_RATE, DSL_BUFFER, DSL_ALPHA = "512 kbit/s", 50, 8
LOST_PACKET = 40_000


def fast(start_s: float = 0.0, alpha: float = ALPHA, **params: Any) -> Any:
    """Describe a FAST flow, in the paper's form unless it names another."""
    return flow("fast", start_s, params={"alpha": alpha, **PAPER, **params})


def rest_s(rate_mbps: float, rtt_s: float, flows: int, alpha: float) -> float:
    """Return the time until a flow reaches equilibrium.

    An update every other round trip takes alpha/(2w) of a flow's distance; after a number over that
    share, e^-12 of it is left.
    """
    packets_per_s = rate_mbps * MBPS / PACKET_BITS
    window = packets_per_s * rtt_s / flows + alpha
    return 2 * (rtt_s + flows * alpha / packets_per_s) * UPDATES_OF_REST * window / alpha


def _line(rate_mbps: float, rtt_s: float, buffer: str = "infinite") -> dict[str, Any]:
    return {"rate": f"{rate_mbps} Mbit/s", "rtt": seconds(rtt_s), "buffer": buffer}


def _at_rest(
    line: Mapping[str, Any], flows: list[Any], rest: float, series: str = NO_SERIES
) -> Scenario:
    """Measure a long time after the last start."""
    last = max(in_seconds(each["start"]) for each in flows)
    times = seconds(last + 1.5 * rest), seconds(last + rest)
    return path(flows, times, {**line, "transport": PATIENT}, series)


def _times(setup: Setup, part: str) -> tuple[str, str]:
    return scale_times(setup.settings[part], setup.settings["size"])


def obey_the_letter(_: Setup) -> Scenario:
    """One flow in the literal form."""
    return _at_rest(_line(100, 0.1), [fast(0.0, ALPHA, **LITERAL)], 60)


def start_together(_: Setup, *, flows: int, seed: int) -> Scenario:
    """N flows whose SYNs meet no data: every baseRTT is true."""
    begun = [fast(start, 50) for start in starts(seed, flows, 0.01)]
    return _at_rest(_line(100, 0.04), begun, rest_s(100, 0.04, flows, 50))


def vary_capacity(_: Setup, *, rate_mbps: float, rtt_s: float) -> Scenario:
    """Two flows."""
    flows = [fast(start, 50) for start in starts(1, 2, rtt_s / 4)]
    return _at_rest(_line(rate_mbps, rtt_s), flows, rest_s(rate_mbps, rtt_s, 2, 50))


def vary_gamma(_: Setup, *, gamma: float) -> Scenario:
    """One flow that obeys the map."""
    return _at_rest(_line(100, 0.1), [fast(0.0, ALPHA, gamma=gamma, **MAP)], 20, series="10 ms")


def weigh(_: Setup, *, seed: int) -> Scenario:
    """Flows of different alpha."""
    begun = zip(starts(seed, 3, 0.01), WEIGHTS, strict=True)
    flows = [fast(start, alpha) for start, alpha in begun]
    return _at_rest(_line(100, 0.04), flows, rest_s(100, 0.04, 3, min(WEIGHTS)))


def mix_round_trips(_: Setup, *, seed: int) -> Scenario:
    """Four flows with different round trips."""
    begun = zip(starts(seed, 4, 0.002), (0.02, 0.04, 0.08, 0.16), strict=True)
    flows = [{**fast(start, 50), "rtt": seconds(rtt)} for start, rtt in begun]
    return _at_rest(_line(100, 0.02), flows, rest_s(100, 0.16, 4, 50))


def come_late(_: Setup, *, flows: int) -> Scenario:
    """One flow after the other."""
    begun = [fast(i * BETWEEN_LATECOMERS_S, 50) for i in range(flows)]
    return _at_rest(_line(100, 0.04), begun, BETWEEN_LATECOMERS_S, series="100 ms")


def fill_short_buffer(setup: Setup, *, form: str, buffer: float) -> Scenario:
    """One flow on 1 Gbit/s and 100 ms, as the agent's own runs have it."""
    network: dict[str, Any] = {"rate": "1 Gbit/s", "rtt": "100 ms", "buffer": f"{buffer} BDP"}
    if form == "agent":
        network["transport"] = AGENT_TRANSPORT
    flows = [fast(0.0, RECALLED_ALPHA["1 Gbit/s"], **FORMS[form])]
    return path(flows, _times(setup, "short"), network)


def weigh_in_short_buffer(_: Setup, *, buffer: float, seed: int) -> Scenario:
    """Flows of different alpha, of which a tenth of the path holds the sum."""
    begun = zip(starts(seed, 3, 0.02), SHORT_WEIGHTS, strict=True)
    flows = [fast(start, alpha) for start, alpha in begun]
    rest = rest_s(100, 0.1, 3, min(SHORT_WEIGHTS))
    return _at_rest(_line(100, 0.1, f"{buffer} BDP"), flows, rest)


def come_late_to_short_buffer(_: Setup, *, buffer: float) -> Scenario:
    """One flow after the other, whose queue a tenth of the path holds."""
    between = BETWEEN_SHORT_LATECOMERS_S
    begun = [fast(i * between, SHORT_LATE_ALPHA) for i in range(SHORT_LATECOMERS)]
    return _at_rest(_line(400, 0.1, f"{buffer} BDP"), begun, between)


def choose_buffers(_: Setup) -> Iterator[Labels]:
    """Buffers and alpha beside Reno, each with doubling and without."""
    cells = dict.fromkeys((*AGAINST_RENO, *EVEN))
    for (buffer, alpha), sender in product(cells, ("doubling", "no-doubling")):
        yield {"sender": sender, "buffer": buffer, "alpha": alpha}


def meet_reno(setup: Setup, *, sender: str, buffer: float, alpha: float, seed: int) -> Scenario:
    """FAST comes first, to an empty queue."""
    bdp = bdp_packets(100 * MBPS, 0.05)
    params: Mapping[str, Any] = SIMPLE if sender == "doubling" else PLAIN
    flows = [fast(0.0, alpha * bdp, **params), flow("reno", 2 + starts(seed, 1, 5)[0])]
    network = {"rate": "100 Mbit/s", "rtt": "50 ms", "buffer": f"{buffer} BDP"}
    return path(flows, _times(setup, "against_reno"), network)


def overfill(setup: Setup, *, room: str, seed: int) -> Scenario:
    """Eight flows, and a buffer that takes their alpha, or half of it."""
    count, alpha = 8, 50
    flows = [fast(start, alpha) for start in starts(seed, count, 0.01)]
    network = {
        "rate": "100 Mbit/s",
        "rtt": "40 ms",
        "buffer": packets(setup.settings["rooms"][room] * count * alpha),
        "transport": PATIENT,
    }
    return path(flows, _times(setup, "overfull"), network, "20 ms")


def _alone(cca: str) -> Any:
    if cca == "fast":
        # paced: the bursts of its start would end doubling at a tenth of such a path
        return fast(0.0, RECALLED_ALPHA["1 Gbit/s"], burstiness="pace")
    # Westwood+ as its authors had it in ns-2 and in their Linux of 2004
    return flow(cca, params={"variant": "ns2"} if cca == "westwood" else None)


def fill_long_path(setup: Setup, *, cca: str, loss: float, seed: int) -> Scenario:
    """One flow on 1 Gbit/s and 180 ms."""
    return path([_alone(cca)], _times(setup, "long_fat"), LONG_FAT | {"loss": loss}, seed=seed)


def ask_for_two_gbit(setup: Setup) -> Iterator[Labels]:
    """One run, if the scale has it."""
    return ({} for _ in range(int(setup.settings["long_fat"]["two_gbit"])))


def fill_two_gbit(setup: Setup) -> Scenario:
    """Two flows on twice the rate."""
    alpha = RECALLED_ALPHA["1 Gbit/s"]
    flows = [fast(start, alpha, burstiness="pace") for start in (0.0, 0.01)]
    return path(flows, _times(setup, "long_fat"), LONG_FAT | {"rate": "2 Gbit/s"})


def fill_oc192(setup: Setup, *, cca: str, loss: float, buffer: float, seed: int) -> Scenario:
    """One flow on 9.5 Gbit/s."""
    return _oc192(setup, _alone(cca), {"buffer": f"{buffer} BDP", "loss": loss}, seed)


def _oc192(setup: Setup, flow_alone: Any, network: Mapping[str, Any], seed: int) -> Scenario:
    whole = {**OC192, **network, "transport": JUMBO}
    return path([flow_alone], _times(setup, "oc192"), whole, seed=seed)


def vary_fast_on_oc192(setup: Setup, *, form: str, alpha: int, seed: int) -> Scenario:
    """FAST alone there, at the loss and in the buffer of the claims."""
    one = fast(0.0, alpha, burstiness="pace", **FORMS[form])
    return _oc192(setup, one, {"buffer": "1 BDP", "loss": OC192_CLAIMED_LOSS}, seed)


def fill_sc2004(setup: Setup) -> Scenario:
    """All flows of the record at once."""
    begun = starts(1, SC2004_FLOWS, 1.0)
    flows = [fast(start, RECALLED_ALPHA["1 Gbit/s"]) for start in begun]
    return path(flows, _times(setup, "sc2004"), SC2004 | {"transport": JUMBO})


def fill_half_a_buffer(setup: Setup, *, cca: str) -> Scenario:
    """One flow, and a buffer of half the path."""
    return path([_alone(cca)], _times(setup, "kaist"), {**LONG_FAT, "buffer": "0.5 BDP"})


def burst_into_half_a_buffer(setup: Setup, *, cca: str, seed: int) -> Scenario:
    """One flow and half a buffer, beside bursts of packets at ten times the line's rate."""
    times = _times(setup, "kaist")
    duration, warmup = map(in_seconds, times)
    apart = (duration - warmup) / BURSTS
    begun = [warmup + (n + late) * apart for n, late in enumerate(draw_starts(seed, BURSTS, 0.9))]
    keys: dict[str, Any] = {"params": {"rate_mbps": 10_000}, "size": packets(BURST_PACKETS)}
    bursts = [flow("constant", start, **keys) for start in begun]
    return path([_alone(cca), *bursts], times, {**LONG_FAT, "buffer": "0.5 BDP"})


def share_fairly(setup: Setup, *, cca: str, seed: int) -> Scenario:
    """Four flows with round trips from 50 to 200 ms."""
    network = {"rate": "800 Mbit/s", "rtt": "50 ms", "buffer": "2000 packets"}
    begun = zip(starts(seed, 4, 0.01), JAIN_RTTS_S, strict=True)
    flows = [{**_own(cca, start), "rtt": seconds(rtt)} for start, rtt in begun]
    return path(flows, _times(setup, "jain"), network)


def _own(cca: str, start_s: float) -> Mapping[str, Any]:
    return fast(start_s) if cca == "fast" else flow(cca, start_s)


def upload(setup: Setup, *, cca: str, rtt_ms: int) -> Scenario:
    """One flow on a DSL line."""
    one = fast(0.0, DSL_ALPHA) if cca == "fast" else flow("reno")
    network = {"rate": DSL_RATE, "rtt": f"{rtt_ms} ms", "buffer": packets(DSL_BUFFER)}
    return path([one], _times(setup, "dsl"), network, "100 ms")


def lose_at_random(setup: Setup, *, rate: str, sender: str, loss: float, seed: int) -> Scenario:
    """One flow under random loss; the longer the slower the path is."""
    part, alpha = setup.settings["random_loss"], RECALLED_ALPHA[rate]
    duration = part["duration_100m" if rate == "100 Mbit/s" else "duration_1g"]
    senders: dict[str, Mapping[str, Any]] = {
        "doubling": fast(0.0, alpha, **SIMPLE),
        "no-doubling": fast(0.0, alpha, **PLAIN),
        "paper": fast(0.0, alpha, mi_threshold_s=0.0),
        "reno": flow("reno"),
    }
    times = scale_times({**part, "duration": duration}, setup.settings["size"])
    network = {"rate": rate, "rtt": "100 ms", "loss": loss}
    return path([senders[sender]], times, network, seed=seed)


def vary_burstiness(setup: Setup, *, burstiness: str) -> Scenario:
    """One flow, its packets at once, spread or paced."""
    flows = [fast(0.0, ALPHA, burstiness=burstiness)]
    network = {"rate": "100 Mbit/s", "rtt": "100 ms", "buffer": "2 BDP"}
    return path(flows, _times(setup, "burstiness"), network, "5 ms")


def lose_one(setup: Setup) -> Scenario:
    """One packet is lost, so that loss control is seen."""
    network = {"rate": "100 Mbit/s", "rtt": "100 ms", "buffer": "2 BDP", "lose": [LOST_PACKET]}
    return path([fast()], _times(setup, "burstiness"), network, "10 ms")
