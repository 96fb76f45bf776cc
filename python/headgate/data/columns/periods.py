"""Columns of the tables of measurement periods: classes of flows, algorithms, windows and links.

Only packet runs have these tables.
"""

from headgate.data.columns.column import Column, arrange

_PERIOD = (
    Column("period", "1", "Number of the measurement period, from 1."),
    Column("start_s", "s", "Start of the period."),
    Column("end_s", "s", "End of the period."),
)  # fmt: skip

_CCA = Column("cca", "", "Congestion control algorithm, by its name in the catalogue.")

CLASSES = arrange(
    ["classes"], *_PERIOD,
    Column(
        "file", "",
        "Kind of file: 'web object' (the ordinary one of Web users), the names of their others,"
        " 'file' (other flows of given size), 'long-lived' (endless flows).",
    ),
    Column(
        "class", "",
        "Classes of the two routers, such as DD or core/edge; empty where one has none.",
    ),
    Column(
        "interface", "",
        "Class of the slower of the two hosts' links; normal where the network gives none.",
    ),
    _CCA,
    Column(
        "rate_packets_s", "packets/s",
        "Mean rate of the finished flows, each counted once; missing if there are none.",
        "rate_sum / timed",
    ),
    Column(
        "bulk_rate_packets_s", "packets/s",
        "Packets of the finished flows over the sum of their durations: large files weigh more.",
        "timed_packets / fct_sum_s",
    ),
    Column(
        "delivered_packets_s", "packets/s",
        "Throughput of all these flows together, unfinished ones included.",
        "delivered_packets / (end_s - start_s)",
    ),
    Column(
        "flow_rate_packets_s", "packets/s",
        "Mean throughput of a flow while it is active, unfinished ones included.",
        "delivered_packets / active_s",
    ),
    Column("mean_fct_s", "s", "Mean completion time (receiver).", "fct_sum_s / timed"),
    Column("mean_rtt_s", "s", "Mean of the RTT samples.", "rtt_sum_s / rtt_count"),
    Column(
        "mean_fall_packets", "packets", "Mean size of a decrease of the window.",
        "fallen_packets / decreases",
    ),
    ...,
)  # fmt: skip

CCAS = arrange(
    ["ccas"], *_PERIOD, _CCA,
    Column("active", "1", "Active flows, mean of the samples.", "active_sum / samples"),
    Column(
        "connecting", "1", "Flows in their handshake, mean of the samples.",
        "connecting_sum / samples",
    ),
    Column(
        "cwnd_packets", "packets",
        "Congestion window of flows after their handshake, mean over samples and flows.",
        "cwnd_sum / (active_sum - connecting_sum)",
    ),
    "swing_mean_packets", "swing_sd_packets",
    Column(
        "swing_relative", "1", "Oscillation relative to the mean.",
        "swing_sd_packets / swing_mean_packets",
    ),
    "swing_least_packets", "swing_greatest_packets", ...,
)  # fmt: skip

WINDOWS = arrange(
    ["windows"], *_PERIOD, _CCA, "from_packets", ...,
    Column("share", "1", "Share of the windows of that CCA and period.", "count / sum of counts"),
)  # fmt: skip

LINKS = arrange(
    ["links"], *_PERIOD,
    Column("link", "", "Name of the link that the port feeds."),
    Column("from", "", "Router that the link leaves."),
    Column("to", "", "Router that the link enters."),
    Column(
        "utilisation", "1",
        "Bits sent, as a share of what the link's rate allows; 0 if that is nothing.",
        "share(8 * sent_bytes, capacity_bits)",
    ),
    Column("throughput_bps", "bit/s", "Bits sent per second.", "8 * sent_bytes / elapsed_s"),
    Column(
        "loss_rate", "1", "Packets dropped, as a share of those dropped or sent.",
        "drops / (drops + departures)",
    ),
    Column(
        "mean_wait_s", "s", "Mean time that a packet sent waited in the queue.",
        "wait_sum_s / departures",
    ),
    Column(
        "mean_queue_packets", "packets",
        "Time average of the number of packets waiting, excluding the packet in service.",
        "wait_sum_s / elapsed_s",
    ),
    Column(
        "sampled_queue_packets", "packets",
        "Mean number of packets waiting at the samples; should be near mean_queue_packets.",
        "queue_sum / samples",
    ),
    "greatest_sampled_packets", "arrivals", "drops", "departures", "sent_bytes", "wait_sum_s",
    "elapsed_s", "samples", "queue_sum", ...,
)  # fmt: skip

CHECKS = (
    Column("check", "", "What is counted in two ways, over the whole run or all periods."),
    Column("left", "1", "The first count."),
    Column("right", "1", "The second count."),
    Column(
        "relative_error", "1",
        "Their relative difference: exactly 0 for packets and flows, sampling error for waits.",
        "(left - right) / max(|left|, |right|)",
    ),
)  # fmt: skip

OF_PERIODS: dict[str, tuple[Column, ...]] = {
    "classes": CLASSES,
    "ccas": CCAS,
    "windows": WINDOWS,
    "links": LINKS,
    "checks": CHECKS,
}
