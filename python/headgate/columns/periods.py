"""Columns of the tables that tell the flows, windows and links of a measurement period apart.

Runs of packets have these besides.
"""

from headgate.columns.column import Column, arrange

_PERIOD = (
    Column("period", "1", "Number of the measurement period, from 1."),
    Column("start_s", "s", "Start of the period."),
    Column("end_s", "s", "End of the period."),
)

_LAW = Column("law", "", "Law of congestion control, by its name in the catalogue.")

CLASSES = arrange(
    ["classes"],
    *_PERIOD,
    Column(
        "file",
        "",
        "Kind of file: 'web object' (the ordinary one of Web users), the names of their others,"
        " 'file' (other flows of given size), 'long-lived' (flows without end).",
    ),
    Column(
        "class",
        "",
        "Classes of the two routers, as in DD or core/edge; empty where one has none.",
    ),
    Column(
        "interface",
        "",
        "Class of the slower of the two hosts' links; normal where the network gives none.",
    ),
    _LAW,
    Column(
        "rate_packets_s",
        "packets/s",
        "Mean of the finished flows' own rates; missing if there are none.",
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
        "Throughput of all these flows together, including those still under way.",
        "delivered_packets / (end_s - start_s)",
    ),
    Column(
        "flow_rate_packets_s",
        "packets/s",
        "What a flow gets while it is under way, unfinished flows included.",
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
    ...,
)

LAWS = arrange(
    ["laws"],
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
    "swing_mean_packets",
    "swing_sd_packets",
    Column(
        "swing_relative",
        "1",
        "Oscillation relative to the mean.",
        "swing_sd_packets / swing_mean_packets",
    ),
    "swing_least_packets",
    "swing_greatest_packets",
    ...,
)

WINDOWS = arrange(
    ["windows"],
    *_PERIOD,
    _LAW,
    "from_packets",
    ...,
    Column("share", "1", "Share of the windows of that law and period.", "count / sum of counts"),
)

LINKS = arrange(
    ["links"],
    *_PERIOD,
    Column("link", "", "Name of the link that the port feeds."),
    Column("from", "", "Router that the link leaves."),
    Column("to", "", "Router that the link enters."),
    Column(
        "utilisation",
        "1",
        "Share of what the link could have sent, at the rates that it had.",
        "8 * sent_bytes / capacity_bits",
    ),
    Column("throughput_bps", "bit/s", "Bits sent per second.", "8 * sent_bytes / elapsed_s"),
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
        "Time average of the number of packets waiting, excluding the packet in service.",
        "wait_sum_s / elapsed_s",
    ),
    Column(
        "sampled_queue_packets",
        "packets",
        "Mean number waiting, as seen in the samples: near mean_queue_packets if both are right.",
        "queue_sum / samples",
    ),
    "greatest_sampled_packets",
    "arrivals",
    "drops",
    "departures",
    "sent_bytes",
    "wait_sum_s",
    "elapsed_s",
    "samples",
    "queue_sum",
    ...,
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

OF_PERIODS: dict[str, tuple[Column, ...]] = {
    "classes": CLASSES,
    "laws": LAWS,
    "windows": WINDOWS,
    "links": LINKS,
    "checks": CHECKS,
}
