"""The sentences, the tables and the data of the report."""

from collections.abc import Callable
from functools import partial
from itertools import product

import numpy as np

from headgate import Table
from headgate.lab import Listing, Runs, make_possible
from headgate_studies.designed import tidy
from headgate_studies.paths import largest_queue_share, loss_rate, mean_of, queue_share, utilisation
from headgate_studies.vcp import jobs, measures
from headgate_studies.vcp.findings import FAST_MBPS, fairness
from headgate_studies.vcp.measures import (
    HALF_A_LINE,
    MEASURES,
    SHORT,
    VOICE,
    at,
    compared,
    levels,
    mean_completion_s,
    sweep,
    voice_delay_ms,
    voice_loss,
)

BOTH = ("VCP", "VCP released")
#: The scheme whose figures are listed beside the remembered ones.
REMEMBERED = "VCP released"
TOLD = {
    "bandwidth": "bandwidth",
    "delay": "round trip",
    "spread": "round trips spread by up to a fifth",
    "flows": "number of flows",
}
ONE_WAY = (utilisation, queue_share)


def sentences(runs: Runs) -> tuple[str, ...]:
    """Describe VCP's results and failures; sentences without runs at this scale are left out."""
    made = (
        _efficient, _rules, _fast, _queue, _fair, _joining, _bits, _short, _voice, _fluid, _beside,
        _wireless,
    )  # fmt: skip
    return make_possible(made, runs)


def _efficient(runs: Runs) -> str:
    listed = ", ".join(
        f"{name} {100 * min(sweep(runs, 'bandwidth', name, least=FAST_MBPS).values()):.0f} %"
        for name in compared(runs)
    )
    return f"Least utilisation from {FAST_MBPS:g} Mbit/s up with 50 flows each way: {listed}."


def _fast(runs: Runs) -> str:
    level = max(levels(runs, "fastest"))
    listed = ", ".join(
        f"{name} {100 * at(runs, 'fastest', name, level):.0f} %"
        for name in runs.setup.settings["at_once"]
    )
    return f"At {level:g} Mbit/s and 80 ms: {listed}."


def _queue(runs: Runs) -> str:
    queue = 100 * at(runs, "delay", "VCP", jobs.RTT_S * 1e3, queue_share)
    slow = min(levels(runs, "bandwidth"))
    crowded, lost = (
        100 * at(runs, "bandwidth", "VCP", slow, of) for of in (queue_share, loss_rate)
    )
    return (
        f"VCP's queue takes {queue:.1f} % of the buffer at 150 Mbit/s and 80 ms, and"
        f" {crowded:.0f} % at {slow:g} Mbit/s, with less than a packet for each flow and"
        f" {lost:.2g} % lost."
    )


def _fair(runs: Runs) -> str:
    listed = ", ".join(f"{name} {measures.rtt_exponent(runs, name):.2f}" for name in compared(runs))
    index = fairness(runs, "VCP", "40-330")
    return (
        f"Rate goes with the round trip, from 40 to 330 ms, to the power of: {listed}; Jain's index"
        f" of VCP there is {index:.2f}."
    )


def _joining(runs: Runs) -> str:
    listed = ", ".join(
        f"{name} {np.mean(measures.fair_after_s(runs['joining', name])):.0f} s"
        for name in compared(runs)
    )
    return f"From a join until rates are fair (Jain's index 0.95), 45 Mbit/s and 40 ms: {listed}."


def _bits(runs: Runs) -> str:
    listed = ", ".join(
        f"{100 * measures.long_over_cross(runs, name):.0f} % under {name}"
        for name in runs.setup.settings["over_a_chain"]
    )
    return f"Rate of a flow over three links, over that of a flow over one link: {listed}."


def _short(runs: Runs) -> str:
    rate = max(levels(runs, "short", most=HALF_A_LINE))
    times = {name: mean_completion_s(runs, name, rate, (1, SHORT)) for name in compared(runs)}
    listed = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in times.items())
    return (
        f"Files of up to {SHORT} packets, {rate:g} a second beside 50 flows each way, take in the"
        f" mean: {listed}."
    )


def _voice(runs: Runs) -> str:
    listed = ", ".join(
        f"{name} {at(runs, 'real time', name, 0.0, voice_delay_ms):.1f} ms and"
        f" {100 * at(runs, 'real time', name, 0.0, voice_loss):.2g} % lost"
        for name in compared(runs)
    )
    return f"Queueing on a round trip of a voice flow beside those flows: {listed}."


def _fluid(runs: Runs) -> str:
    swings = ", ".join(
        f"{100 * measures.load_swing(runs['stability', k]):.1f} % with k = {k:g}"
        for k in runs.setup.settings["ks"]
    )
    return (
        "With the exact load every flow settles at its share of the target plus 1/(k t_rho)"
        f" packets/s; the load then moves by {swings}. Fifty flows add 1000 packets/s: on"
        " 150 Mbit/s, more than the 2 % that are kept free, so a queue remains."
    )


def _beside(runs: Runs) -> str:
    listed = {
        name: [measures.share_of_vcp(run) for run in runs.replicates("beside tcp", name)]
        for name in BOTH
    }
    shares = ", ".join(f"{100 * np.mean(of):.1g} % under {name}" for name, of in listed.items())
    return f"Share of five flows of VCP beside five of TCP at one port: {shares}."


def _wireless(runs: Runs) -> str:
    use = {
        name: mean_of(utilisation, runs.replicates("lossy", name, 1e-3)) for name in compared(runs)
    }
    listed = ", ".join(f"{name} {100 * share:.0f} %" for name, share in use.items())
    return f"Use of 50 Mbit/s by one flow with a random loss of one packet in a thousand: {listed}."


def _rules(runs: Runs) -> str:
    paper, released = (
        {x: at(runs, "delay", name, x) for x in levels(runs, "delay", 80, 800)} for name in BOTH
    )
    level = min(paper, key=lambda x: paper[x] - released[x])
    spread = at(runs, "spread", "VCP", level)
    return (
        f"With a round trip of {level:g} ms VCP uses {100 * paper[level]:.0f} % by the paper's"
        f" rules ({100 * spread:.0f} % if round trips are spread by up to a fifth), and"
        f" {100 * released[level]:.0f} % by the released ones."
    )


def tables(runs: Runs) -> tuple[Listing, ...]:
    """Return every table of the report; one whose runs this scale lacks is left out."""
    beside = [partial(_both, part) for part in ("bandwidth", "delay", "spread", "flows")]
    made: list[Callable[[Runs], Listing]] = [_base, _list_rules, *beside, _list_voice, _completion]
    return make_possible([*made, _list_recalled, _one_way, _xis], runs)


def data(runs: Runs) -> tuple[Table, ...]:
    """Return the measures of every run, one table a part."""
    return tidy(runs, MEASURES)


def _base(runs: Runs) -> Listing:
    level = jobs.RTT_S * 1e3
    rows = [
        (name, *(at(runs, "delay", name, level, of) for of in MEASURES.values()))
        for name in compared(runs)
    ]
    return Listing(
        "The base",
        "150 Mbit/s, 80 ms, 50 flows each way.",
        ("scheme", *(name.replace("_", " ") for name in MEASURES)),
        rows,
    )


def _list_voice(runs: Runs) -> Listing:
    rows = [
        (name, share, *(at(runs, "real time", name, share, of) for of in VOICE.values()))
        for share in levels(runs, "real time")
        for name in compared(runs)
    ]
    return Listing(
        "A voice beside each scheme",
        "50 packets a second beside 50 flows each way at 150 Mbit/s and 80 ms, and video that takes"
        " a share of the line; neither yields. Queueing on its round trips, and how much it changes"
        " from a packet to the next.",
        ("beside", "video", *VOICE),
        rows,
    )


def _completion(runs: Runs) -> Listing:
    rows = [
        (f"{rate:g}", *(mean_completion_s(runs, name, rate, (1, SHORT)) for name in compared(runs)))
        for rate in levels(runs, "short")
    ]
    return Listing(
        "How long short files take",
        f"Mean completion time in seconds of files of up to {SHORT} packets beside 50 flows each"
        " way, from the SYN to the last packet at the receiver. From 625 files a second on they"
        " alone would take more than the line.",
        ("files a second", *compared(runs)),
        rows,
    )


def _xis(runs: Runs) -> Listing:
    names = ("TCP", "VCP", "Scalable TCP")
    rows = [
        (name, xi, measures.rise_s(runs["xi", xi]), measures.peak_load(runs["xi", xi]))
        for name, xi in zip(names, runs.setup.settings["xis"], strict=True)
    ]
    return Listing(
        "What xi sets",
        "Seconds in which a lone flow takes 75 % of 20 Mbit/s; the largest load its router saw.",
        ("as", "xi", "seconds", "largest load"),
        rows,
    )


def _list_rules(runs: Runs) -> Listing:
    of = (utilisation, measures.queue_packets)
    places = list(product(runs.setup.settings["rule_rtts_ms"], runs.setup.settings["rule_counts"]))
    rows = []
    for rule in runs.setup.settings["rules"]:
        done = [runs.replicates("rules", rule, *place) for place in places]
        rows.append((rule, *(mean_of(m, one) for one in done for m in of)))
    heads = (f"{x:g} ms, {n} + {n}" for x, n in places)
    return Listing(
        "What each of the released rules does",
        "150 Mbit/s; each line with the rules above it. Ends of ns-2: an ACK for each packet, Reno"
        " recovery, host links of twice the line's rate. Constants: gamma 0.95, load in whole per"
        " cent, (rtt/100 ms)^2, overload alone ends a rest. Utilisation and mean queue in packets.",
        ("rule", *(text for head in heads for text in (head, "queue"))),
        rows,
    )


def _both(part: str, runs: Runs) -> Listing:
    of = (utilisation, queue_share, loss_rate)
    rows = [
        (f"{x:g}", *(at(runs, part, name, x, each) for name in BOTH for each in of))
        for x in levels(runs, part)
    ]
    heads = ("utilisation", "queue", "loss")
    return Listing(
        f"The paper's rules and the released ones: {TOLD[part]}",
        "Queues are shares of the buffer. The released rules use the hosts of ns-2 and host links"
        " of twice the line's rate.",
        ("level", *heads, *(f"{head}, released" for head in heads)),
        rows,
    )


def _one_way(runs: Runs) -> Listing:
    rows = []
    for x in levels(runs, "delay"):
        done = runs.replicates("one way", x)
        alone = [mean_of(of, done) for of in ONE_WAY]
        rows.append((f"{x:g}", *(at(runs, "delay", "VCP", x, of) for of in ONE_WAY), *alone))
    return Listing(
        "What the flows back do",
        "VCP at 150 Mbit/s with 50 flows each way, and with 50 one way only. ACKs that wait behind"
        " data leave together, so that data leaves in bursts that no load over 200 ms shows.",
        ("round trip (ms)", "utilisation", "queue", "one way: utilisation", "queue"),
        rows,
    )


def _list_recalled(runs: Runs) -> Listing:
    rows: list[tuple[str, str, str]] = []
    for row in (_recall_bandwidth, _recall_delay, _recall_flows, _recall_lot):
        rows.append(row(runs))
    return Listing(
        "Figures remembered from the paper, beside ours",
        "None was read; none is judged. Ours are by the released rules.",
        ("of", "remembered", "ours"),
        rows,
    )


def _most(runs: Runs, part: str, of: Callable[..., float]) -> float:
    return max(at(runs, part, REMEMBERED, x, of) for x in levels(runs, part))


def _recall_bandwidth(runs: Runs) -> tuple[str, str, str]:
    all_levels = levels(runs, "bandwidth")
    below = max(
        at(runs, "bandwidth", "XCP", x) - at(runs, "bandwidth", REMEMBERED, x) for x in all_levels
    )
    queue, lost = (
        at(runs, "bandwidth", REMEMBERED, all_levels[0], of) for of in (queue_share, loss_rate)
    )
    return (
        "bandwidths",
        "at most 7 % below XCP; at 100 kbit/s half the buffer, 0.6 % lost",
        f"at most {100 * below:.1f} %; {100 * queue:.0f} %, {100 * lost:.2g} % lost",
    )


def _recall_delay(runs: Runs) -> tuple[str, str, str]:
    long = [at(runs, "delay", REMEMBERED, x) for x in levels(runs, "delay", 801)]
    short = [at(runs, "delay", REMEMBERED, x, queue_share) for x in levels(runs, "delay", 0, 5)]
    return (
        "round trips",
        "above 800 ms 85 to 94 %; below 5 ms a queue of up to 15 %; no drops",
        f"{100 * min(long):.0f} to {100 * max(long):.0f} %; {100 * max(short):.0f} %;"
        f" {100 * _most(runs, 'delay', loss_rate):.2g} % lost",
    )


def _recall_flows(runs: Runs) -> tuple[str, str, str]:
    mean, largest = (100 * _most(runs, "flows", of) for of in (queue_share, largest_queue_share))
    return (
        "flows",
        "queue below 5 % in the mean, 38 % at most, no drops",
        f"{mean:.1f} %, {largest:.0f} %, {100 * _most(runs, 'flows', loss_rate):.2g} % lost",
    )


def _recall_lot(runs: Runs) -> tuple[str, str, str]:
    done = runs.replicates("parking lot", REMEMBERED)
    rows = [measures.hop_row(done[0], hop) for hop in range(1, jobs.HOPS + 1)]
    use, queue, room = (
        np.mean([np.asarray(run.ports[name], float)[rows] for run in done])
        for name in ("utilisation", "mean_queue_packets", "buffer_packets")
    )
    lost = max(float(np.max(np.asarray(run.ports["loss_rate"], float)[rows])) for run in done)
    return (
        "parking lot",
        "94 % in the mean, queue below 0.2 %, no drops",
        f"{100 * use:.1f} %, {100 * queue / room:.2g} %, {100 * lost:.2g} % lost",
    )
