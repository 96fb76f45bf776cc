"""Every column of every table of results: its unit, what it means, how it is formed.

What the engine counted has no formula; the rest is formed here from the counts.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """What a column says. `unit` is "1" for counts and ratios, "" for words."""

    name: str
    unit: str
    definition: str
    formula: str = ""


FLOWS = (
    Column("traffic", "", "Name of the traffic that the flow belongs to."),
    Column("law", "", "Law of congestion control, by its name in the catalogue."),
    Column(
        "class",
        "",
        "Classes of the two routers, in alphabetical order; empty where routers have none.",
        "sort(class of source's router, class of receiver's router)",
    ),
    Column("source", "", "Router that the sending host sits at."),
    Column("receiver", "", "Router that the receiving host sits at."),
    Column("status", "", "At the end: connecting, running, finished, failed or abandoned."),
    Column("start_s", "s", "When the first SYN was sent."),
    Column("size_packets", "packets", "Size of the file; 0 = endless."),
    Column(
        "fct_receiver_s",
        "s",
        "Completion time as the receiver sees it, from the first SYN sent to the last packet "
        "arrived; missing unless finished, and where `stop` ended the flow.",
    ),
    Column(
        "fct_sender_s",
        "s",
        "Completion time as the sender sees it, from the first SYN sent to the last ACK; missing "
        "unless finished.",
    ),
    Column("established_s", "s", "Duration of the handshake; missing unless established."),
    Column(
        "goodput_bps",
        "bit/s",
        "Payload delivered a second while active, after the warm-up.",
        "8 * segment_bytes * delivered_packets / active_s",
    ),
    Column("delivered_packets", "packets", "Packets acknowledged in order, after the warm-up."),
    Column(
        "delivered_total_packets",
        "packets",
        "Packets acknowledged in order, from the start of the flow on.",
    ),
    Column("active_s", "s", "Time between start and end of the flow, after the warm-up."),
    Column("retransmissions", "packets", "Packets sent again, after the warm-up."),
    Column("timeouts", "1", "Retransmission time-outs, after the warm-up."),
    Column("recoveries", "1", "Episodes of fast recovery, after the warm-up."),
    Column(
        "retransmissions_total", "packets", "Packets sent again, from the start of the flow on."
    ),
    Column("timeouts_total", "1", "Retransmission time-outs, from the start of the flow on."),
    Column("recoveries_total", "1", "Episodes of fast recovery, from the start of the flow on."),
    Column("min_rtt_s", "s", "Least round trip measured, from the start of the flow on."),
    Column("mean_rtt_s", "s", "Mean of the round trips measured, from the start of the flow on."),
    Column(
        "mean_cwnd_packets",
        "packets",
        "Mean congestion window at its ACKs, from the start of the flow on.",
    ),
)

PORTS = (
    Column("link", "", "Name of the link that the port feeds."),
    Column("from", "", "Router that the link leaves."),
    Column("to", "", "Router that the link enters."),
    Column(
        "rate_bps",
        "bit/s",
        "Rate at which the link sends, or would; its mean after the warm-up where it changes: a new"
        " rate begins when what was queued before it has left.",
    ),
    Column("delay_s", "s", "Propagation delay of the link."),
    Column("buffer_packets", "packets", "What may wait, in full packets; inf = no limit."),
    Column("arrivals", "packets", "Packets that arrived at the queue, after the warm-up."),
    Column("arrived_bytes", "B", "Bytes that arrived at the queue, after the warm-up."),
    Column(
        "drops",
        "packets",
        "Packets dropped after the warm-up: no room for them, or their queue's discipline.",
    ),
    Column("dropped_bytes", "B", "Bytes of the packets dropped, after the warm-up."),
    Column("lost", "packets", "Packets lost on the link once they were sent, after the warm-up."),
    Column(
        "departures", "packets", "Packets sent on the link to their last bit, after the warm-up."
    ),
    Column("sent_bytes", "B", "Bytes sent on the link, parts of packets too, after the warm-up."),
    Column("marks", "packets", "Packets marked as having met congestion, after the warm-up."),
    Column(
        "utilisation",
        "1",
        "Share of what the link could have sent after the warm-up.",
        "8 * sent_bytes / (rate_bps * elapsed_s)",
    ),
    Column(
        "throughput_bps",
        "bit/s",
        "Bits sent a second, after the warm-up.",
        "8 * sent_bytes / elapsed_s",
    ),
    Column(
        "loss_rate",
        "1",
        "Share of the packets that were dropped, of those dropped or sent after the warm-up.",
        "drops / (drops + departures)",
    ),
    Column(
        "mean_queue_packets",
        "packets",
        "Mean over the time after the warm-up of the number waiting, the packet in service apart.",
        "time waited by all packets together / elapsed_s",
    ),
    Column("max_queue_packets", "packets", "Greatest number waiting, after the warm-up."),
    Column(
        "mean_wait_s",
        "s",
        "Time waited in the queue for each packet sent, after the warm-up.",
        "time waited by all packets together / departures",
    ),
    Column("elapsed_s", "s", "Time measured: from the end of the warm-up on."),
)

SERIES = (
    Column("t_s", "s", "Time since the start of the run."),
    Column("of", "", "What the row is about: flow or port."),
    Column("name", "", "Name of the flow or of the link."),
    Column("cwnd_packets", "packets", "Congestion window (flows)."),
    Column("ssthresh_packets", "packets", "Slow-start threshold; inf = unset (flows)."),
    Column("srtt_s", "s", "Smoothed round trip (flows)."),
    Column("pacing_rate_bps", "bit/s", "Pacing rate on the wire; inf = unpaced (flows)."),
    Column(
        "gauge",
        "1",
        "What the law (flows), the router or else the discipline (ports) shows of itself, in its"
        " own unit; missing if nothing.",
    ),
    Column("in_flight_packets", "packets", "Packets sent and not acknowledged (flows)."),
    Column("delivered_packets", "packets", "Packets acknowledged since the start (flows)."),
    Column(
        "throughput_bps",
        "bit/s",
        "Payload acknowledged (flows) or bits sent (ports) a second since the row before.",
        "difference of delivered or sent bits / difference of t_s",
    ),
    Column("queue_packets", "packets", "Packets waiting (ports)."),
    Column("sent_bytes", "B", "Bytes sent since the start (ports)."),
    Column("drops", "packets", "Packets dropped since the start (ports)."),
    Column(
        "drop_probability",
        "1",
        "Probability that an arrival is dropped (ports of a fluid run; missing in a packet run).",
    ),
)

NETWORK = (
    Column("t_s", "s", "Time since the start of the run."),
    Column("active_flows", "1", "Flows that are established and not finished."),
    Column("connecting_flows", "1", "Flows in their handshake."),
    Column("finished_flows", "1", "Flows finished since the start."),
)

_RESPONSES_BY_NUMBER = (
    Column(
        "y1",
        "1",
        "Sources with a flow under way, mean of the samples.",
        "transmitting_sum / samples",
    ),
    Column("y2", "1", "Proportion of the sources transmitting.", "y1 / sources"),
    Column(
        "y3",
        "packets",
        "Segments entering the network per interval.",
        "segments_in interval_s / (end_s - start_s)",
    ),
    Column(
        "y4",
        "packets",
        "Segments leaving the network per interval.",
        "segments_out interval_s / (end_s - start_s)",
    ),
    Column("y5", "1", "Loss rate: dropped over entered.", "segments_dropped / segments_in"),
    Column(
        "y5_literal",
        "1",
        "The loss rate as the slides print it; near 1/2 for a network without loss.",
        "y4 / (y3 + y4)",
    ),
    Column(
        "y6",
        "1",
        "Flows completing per interval.",
        "flows_completed interval_s / (end_s - start_s)",
    ),
    Column("y7", "1", "Flow-completion rate.", "y6 / (y6 + y1)"),
    Column(
        "y8",
        "1",
        "Connection failures per interval.",
        "connection_failures interval_s / (end_s - start_s)",
    ),
    Column("y9", "1", "Connection-failure rate.", "y8 / (y8 + y1)"),
    Column("y10", "1", "Retransmission rate.", "retransmissions / segments_in"),
    Column("y11", "packets", "Congestion window of a flow.", "cwnd_sum / active_sum"),
    Column(
        "y12",
        "1",
        "Window increases per interval.",
        "cwnd_increases interval_s / (end_s - start_s)",
    ),
    Column(
        "y13", "1", "Duplicate ACKs per interval.", "duplicate_acks interval_s / (end_s - start_s)"
    ),
    Column("y14", "1", "Time-outs per interval.", "timeouts interval_s / (end_s - start_s)"),
    Column("y15", "s", "Round trip, mean of its samples.", "rtt_sum_s / rtt_count"),
    Column("y16", "s", "Queuing delay of a segment on its way.", "wait_sum_s / segments_out"),
)

#: What every run calls its files: of given size, without end, of Web users.
FILES = ("file", "long-lived", "web object")

PAIRS = ("DD", "DF", "DN", "FF", "FN", "NN")

_CLASS_RESPONSES = tuple(
    Column(
        f"y{number}",
        "packets/s",
        f"Segments a second on a {pair} flow, mean over the flows finished; missing if none.",
        f"rate_sum_{pair} / flows_{pair}",
    )
    for number, pair in enumerate(PAIRS, start=17)
)

_RESPONSE_FACTS = (
    Column("interval_s", "s", "Between two samples; what is counted is given for one interval."),
    Column("samples", "1", "Intervals sampled in the period."),
    Column("sources", "1", "All sources: Web users, single flows, hosts that begin flows."),
    Column("transmitting_sum", "1", "Sum over the samples of sources with a flow under way."),
    Column("active_sum", "1", "Sum over the samples of flows under way."),
    Column("connecting_sum", "1", "Sum over the samples of flows in their handshake."),
    Column("segments_in", "packets", "Data packets sent, retransmissions among them."),
    Column("segments_out", "packets", "Data packets that reached their receivers."),
    Column(
        "segments_dropped", "packets", "Data packets dropped, or lost once a link had sent them."
    ),
    Column("flows_completed", "1", "Flows finished."),
    Column("connection_failures", "1", "Connections that failed: no SYN was answered."),
    Column("flows_abandoned", "1", "Flows that their users gave up."),
    Column("retransmissions", "packets", "Data packets sent again."),
    Column("cwnd_sum", "packets", "Sum of the windows of active flows over the samples."),
    Column("cwnd_increases", "1", "Times that a window grew."),
    Column("duplicate_acks", "1", "Duplicate ACKs that reached senders."),
    Column("timeouts", "1", "Retransmission time-outs."),
    Column("rtt_sum_s", "s", "Sum of the round-trip samples."),
    Column("rtt_count", "1", "Round-trip samples."),
    Column(
        "wait_sum_s",
        "s",
        "Time that data packets waited at router ports within the period, in all.",
    ),
    *(Column(f"flows_{pair}", "1", f"{pair} flows finished.") for pair in PAIRS),
    *(
        Column(f"rate_sum_{pair}", "packets/s", f"Sum of packets / fct of {pair} flows finished.")
        for pair in PAIRS
    ),
)

RESPONSES = (
    Column("start_s", "s", "Start of the measurement period."),
    Column("end_s", "s", "End of the measurement period."),
    *_RESPONSES_BY_NUMBER,
    *_CLASS_RESPONSES,
    Column(
        "connecting",
        "1",
        "Flows in their handshake, mean of the samples.",
        "connecting_sum / samples",
    ),
    *_RESPONSE_FACTS,
)

#: Every result has these tables, those of fluid models too.
TABLES: dict[str, tuple[Column, ...]] = {
    "flows": FLOWS,
    "ports": PORTS,
    "series": SERIES,
    "network": NETWORK,
    "responses": RESPONSES,
}
