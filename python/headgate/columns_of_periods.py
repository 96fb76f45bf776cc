"""Columns of the tables that tell the flows, windows and links of a measurement period apart."""

from __future__ import annotations

from headgate.columns import TABLES, Column

_PERIOD = (
    Column("period", "1", "Number of the measurement period, from 1."),
    Column("start_s", "s", "Start of the period."),
    Column("end_s", "s", "End of the period."),
)

_LAW = Column("law", "", "Law of congestion control, by its name in the catalogue.")

CLASSES = (
    *_PERIOD,
    Column(
        "file",
        "",
        "Kind of file: 'web object' (the ordinary one of Web users), the names of their others,"
        " 'file' (other flows of given size), 'long-lived' (flows without end).",
    ),
    Column("class", "", "Classes of the two routers, as in DD; empty where routers have none."),
    Column("interface", "", "fast where both hosts have fast links, else normal."),
    _LAW,
    Column(
        "rate_packets_s",
        "packets/s",
        "Mean of the flows' own rates, those finished; missing if none.",
        "rate_sum / timed",
    ),
    Column(
        "bulk_rate_packets_s",
        "packets/s",
        "Packets of the flows finished over their time in all: large files count for more.",
        "timed_packets / fct_sum_s",
    ),
    Column(
        "delivered_packets_s",
        "packets/s",
        "Throughput of all these flows together, those under way among them.",
        "delivered_packets / (end_s - start_s)",
    ),
    Column(
        "flow_rate_packets_s",
        "packets/s",
        "What a flow gets while it is under way, those not finished among them.",
        "delivered_packets / active_s",
    ),
    Column("mean_fct_s", "s", "Mean completion time (receiver).", "fct_sum_s / timed"),
    Column("mean_rtt_s", "s", "Mean of the round trips measured.", "rtt_sum_s / rtt_count"),
    Column(
        "mean_fall_packets",
        "packets",
        "Mean size of a window's decrease.",
        "fallen_packets / decreases",
    ),
    Column("started", "1", "Flows started."),
    Column("completed", "1", "Flows finished."),
    Column("failed", "1", "Connections that failed: no SYN was answered."),
    Column("abandoned", "1", "Flows that their users gave up."),
    Column("active_s", "s", "Time that flows were under way, from their first SYN, of all."),
    Column("delivered_packets", "packets", "Packets acknowledged in order, of all these flows."),
    Column("retransmissions", "packets", "Data packets sent again."),
    Column("timeouts", "1", "Retransmission time-outs."),
    Column(
        "decreases",
        "1",
        "Times that a window shrank: at a loss or mark (to ssthresh), at a time-out, on an ACK.",
    ),
    Column("fallen_packets", "packets", "Sum of these decreases."),
    Column("timed", "1", "Flows finished whose receiver had all of the file."),
    Column("timed_packets", "packets", "Their packets."),
    Column("fct_sum_s", "s", "Sum of their completion times (receiver)."),
    Column("rate_sum", "packets/s", "Sum of packets / completion time of each."),
    Column("rtt_sum_s", "s", "Sum of the round-trip samples."),
    Column("rtt_count", "1", "Round-trip samples."),
)

LAWS = (
    *_PERIOD,
    _LAW,
    Column("active", "1", "Flows under way, mean of the samples.", "active_sum / samples"),
    Column(
        "connecting",
        "1",
        "Flows in their handshake, mean of the samples.",
        "connecting_sum / samples",
    ),
    Column(
        "cwnd_packets",
        "packets",
        "Congestion window of a flow whose handshake is over, mean over samples and flows.",
        "cwnd_sum / (active_sum - connecting_sum)",
    ),
    Column(
        "swing_mean_packets",
        "packets",
        "Each sample has a mean window; this is the mean of those over the time.",
    ),
    Column("swing_sd_packets", "packets", "Their standard deviation over the time: oscillation."),
    Column(
        "swing_relative",
        "1",
        "Oscillation relative to the mean.",
        "swing_sd_packets / swing_mean_packets",
    ),
    Column("swing_least_packets", "packets", "The least of the samples' mean windows."),
    Column("swing_greatest_packets", "packets", "The greatest of them."),
    Column("samples", "1", "Intervals sampled."),
    Column("active_sum", "1", "Sum over the samples of flows under way."),
    Column("connecting_sum", "1", "Sum over the samples of flows in their handshake."),
    Column("cwnd_sum", "packets", "Sum of the windows of the other flows over the samples."),
)

WINDOWS = (
    *_PERIOD,
    _LAW,
    Column(
        "from_packets",
        "packets",
        "Least window of the bucket; it ends at twice that (the first at 2, the last nowhere).",
    ),
    Column("count", "1", "Windows seen in it, over flows and samples."),
    Column("share", "1", "Share of the windows of that law and period.", "count / sum of counts"),
)

LINKS = (
    *_PERIOD,
    Column("link", "", "Name of the link that the port feeds."),
    Column("from", "", "Router that the link leaves."),
    Column("to", "", "Router that the link enters."),
    Column("utilisation", "1", "Share of what the link could have sent."),
    Column("throughput_bps", "bit/s", "Bits sent a second.", "8 * sent_bytes / elapsed_s"),
    Column(
        "loss_rate",
        "1",
        "Share of the packets that were dropped, of those dropped or sent.",
        "drops / (drops + departures)",
    ),
    Column(
        "mean_wait_s",
        "s",
        "Time waited in the queue for each packet sent.",
        "wait_sum_s / departures",
    ),
    Column(
        "mean_queue_packets",
        "packets",
        "Mean over the time of the number waiting, the packet in service apart.",
        "wait_sum_s / elapsed_s",
    ),
    Column(
        "sampled_queue_packets",
        "packets",
        "Mean number waiting, as seen in the samples: near mean_queue_packets if both are right.",
        "queue_sum / samples",
    ),
    Column("greatest_sampled_packets", "packets", "Greatest number waiting in a sample."),
    Column("arrivals", "packets", "Packets that arrived at the queue."),
    Column("drops", "packets", "Packets dropped there."),
    Column("departures", "packets", "Packets sent on the link, to their last bit."),
    Column("sent_bytes", "B", "Bytes sent on the link, parts of packets too."),
    Column("wait_sum_s", "s", "Time that packets waited within the period, in all."),
    Column("elapsed_s", "s", "Time measured: the period without its warm-up."),
    Column("samples", "1", "Intervals sampled."),
    Column("queue_sum", "packets", "Sum over the samples of packets waiting."),
)

CHECKS = (
    Column("check", "", "What is counted in two ways, over the whole run or all periods."),
    Column("left", "1", "The first count."),
    Column("right", "1", "The second count."),
    Column(
        "relative_error",
        "1",
        "Their difference: exactly 0 for packets and flows, the error of sampling for waits.",
        "(left - right) / max(|left|, |right|)",
    ),
)

#: Runs of packets have these besides.
OF_PERIODS: dict[str, tuple[Column, ...]] = {
    "classes": CLASSES,
    "laws": LAWS,
    "windows": WINDOWS,
    "links": LINKS,
    "checks": CHECKS,
}

EVERY_TABLE = TABLES | OF_PERIODS
