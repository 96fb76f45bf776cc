"""Columns of the tables that every result has, including those of fluid models."""

from headgate.data.columns.column import Column, arrange
from headgate.data.columns.mesonet import FLOWS_OF_PAIRS, OF_NETWORK, OF_PAIRS

#: Kinds of files in every run: of given size, endless, of Web users.
FILES = ("file", "long-lived", "web object")

FLOWS = arrange(
    ["flows"],
    Column(
        "traffic", "",
        "Name of the traffic that the flow belongs to; of single flows and of connections with "
        "bursts, its own.",
    ),
    Column("cca", "", "Congestion control algorithm, by its name in the catalogue."),
    Column("transport", "", "Preset of its transport; further profiles of one are numbered."),
    Column(
        "class", "",
        "Classes of the two routers, in alphabetical order; empty where routers have none.",
        "sort(class of source's router, class of receiver's router)",
    ),
    Column("source", "", "Router that the sending host sits at."),
    Column("receiver", "", "Router that the receiving host sits at."),
    Column("status", "", "At the end: connecting, running, finished, failed or abandoned."),
    "start_s", "size_packets", "fct_receiver_s", "fct_sender_s", "established_s",
    Column(
        "goodput_bps", "bit/s", "Payload delivered per second while active, after the warm-up.",
        "8 * segment_bytes * delivered_packets / active_s",
    ),
    ...,
)  # fmt: skip

PORTS = arrange(
    ["ports"],
    Column("link", "", "Name of the link that the port feeds."),
    Column("from", "", "Router that the link leaves."),
    Column("to", "", "Router that the link enters."),
    "rate_bps",
    Column("delay_s", "s", "Propagation delay of the link."),
    Column("buffer_packets", "packets", "Buffer size, in full-size packets; inf = no limit."),
    "arrivals", "arrived_bytes", "drops", "dropped_bytes", "lost", "departures", "sent_bytes",
    "marks", ...,
    Column(
        "utilisation", "1",
        "Share of what the link could have sent after the warm-up; 0 if that is nothing.",
        "share(8 * sent_bytes, rate_bps * elapsed_s)",
    ),
    Column(
        "throughput_bps", "bit/s", "Bits sent per second, after the warm-up.",
        "8 * sent_bytes / elapsed_s",
    ),
    Column(
        "loss_rate", "1",
        "Share of the packets that were dropped, of those dropped or sent after the warm-up.",
        "drops / (drops + departures)",
    ),
    Column(
        "mean_queue_packets", "packets",
        "Time average after the warm-up of the packets waiting, excluding the packet in service.",
        "wait_sum_s / elapsed_s",
    ),
    "max_queue_packets",
    Column(
        "mean_wait_s", "s", "Time waited in the queue for each packet sent, after the warm-up.",
        "wait_sum_s / departures",
    ),
    "elapsed_s",
)  # fmt: skip

SERIES = arrange(
    ["series_flows", "series_ports"], "t_s",
    Column("of", "", "What the row is about: flow or port."),
    Column("name", "", "Name of the flow or of the link."),
    "cwnd_packets", "ssthresh_packets", "srtt_s",
    Column("pacing_rate_bps", "bit/s", "Pacing rate on the wire; inf = unpaced (flows)."),
    "gauge", "in_flight_packets", "delivered_packets",
    Column(
        "throughput_bps", "bit/s",
        "Payload acknowledged (flows) or bits sent (ports) per second since the previous row.",
        "difference of delivered or sent bits / difference of t_s",
    ),
    "arrived_packets",
    Column(
        "arrival_rate_bps", "bit/s",
        "Payload that reached the receiver per second since the previous row, each packet counted"
        " once (flows).",
        "difference of arrived bits / difference of t_s",
    ),
    ...,
    Column(
        "drop_probability", "1",
        "Probability that an arrival is dropped (ports of a fluid run; missing in a packet run).",
    ),
)  # fmt: skip

NETWORK = arrange(["network"], ...)

RESPONSES = arrange(
    ["responses"], "start_s", "end_s", *OF_NETWORK, *OF_PAIRS,
    Column(
        "connecting", "1", "Flows in their handshake, mean of the samples.",
        "connecting_sum / samples",
    ),
    Column("interval_s", "s", "Between two samples; what is counted is given for one interval."),
    ..., *FLOWS_OF_PAIRS,
)  # fmt: skip

EVENTS = arrange(
    ["events"], "t_s",
    Column(
        "event", "",
        "What happened. At a sender: opened, syn_sent, syn_ack_received, established, sent, "
        "retransmitted, acknowledged (an ACK came), echoed (it echoed a congestion mark), "
        "rtt_sample, lost (as the sender finds), timeout, undone (a reduction was needless), "
        "window (cwnd, ssthresh or pace changed), state, closed. At a receiver: syn_received, "
        "syn_ack_sent, received, ack_sent. At a port: "
        "enqueued, marked, dropped, departed, link_loss; dropped without a link: at the link to a "
        "host.",
    ),
    Column("flow", "", "Name of the flow."),
    Column("link", "", "Name of the link, of events at its port; else empty."),
    "connection",
    Column("packet", "", "Kind of the packet: syn, syn-ack, data, ack; empty where there is none."),
    "seq", "size_bytes",
    Column(
        "flags", "",
        "ECN field and flags of the packet, with blanks between them: ect0 or ect1 (ECN-capable), "
        "ce (marked), ece (echoes a mark), cwr (window reduced), psh (last of a burst). On a SYN, "
        "ece asks for ECN, with cwr for classic and with cwr and ae for accurate feedback; a "
        "SYN-ACK grants it. With accurate feedback, ae, cwr and ece of an ACK are the ACE field.",
    ),
    "stamp", *(f"sack{block}_{end}" for block in (1, 2, 3) for end in ("from", "to")), "rtt_s",
    "cwnd_packets", "ssthresh_packets", "pace_packets_s", "srtt_s", "in_flight_packets",
    Column(
        "state", "", "State of the sender then: syn-sent, open, recovery, timeout, cwr, closed.",
    ),
    "queue_packets", "wait_s", ...,
)  # fmt: skip

CONNECTIONS = arrange(
    ["connections"], "connection",
    Column("flow", "", "Name of the flow."),
    "opened_s", "size_packets",
    Column("source", "", "Router that the sending host sits at."),
    "source_host",
    Column("source_ip", "", "IPv4 address that captures give the sending host."),
    Column("source_port", "1", "Its TCP port there."),
    Column("receiver", "", "Router that the receiving host sits at."),
    "receiver_host",
    Column("receiver_ip", "", "IPv4 address that captures give the receiving host."),
    Column("receiver_port", "1", "Its TCP port there."),
    Column("transport", "", "Name of the transport profile in the plan."),
    ...,
)  # fmt: skip

TABLES: dict[str, tuple[Column, ...]] = {
    "flows": FLOWS,
    "ports": PORTS,
    "series": SERIES,
    "network": NETWORK,
    "responses": RESPONSES,
}
