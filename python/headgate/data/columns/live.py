"""Columns of real traffic: of runs in real time, and of captures."""

from headgate.data.columns.column import Column

LIVE_FLOWS = (
    Column("from_host", "", "Name of the host that sends."),
    Column("to_host", "", "Name of the host that receives."),
    Column("protocol", "", "tcp, udp, icmp, icmpv6, or the number of the IP protocol."),
    Column("source", "", "Address that the packets come from."),
    Column("source_port", "1", "Its port; 0 where the protocol has none."),
    Column("destination", "", "Address that the packets go to."),
    Column("destination_port", "1", "Its port; 0 where the protocol has none."),
    Column("start_s", "s", "When the first packet left its host."),
    Column("last_sent_s", "s", "When the last packet left its host."),
    Column("last_arrival_s", "s", "When the last packet arrived; NaN if none did."),
    Column("sent_packets", "packets", "Packets that left the host."),
    Column("sent_bytes", "bytes", "Bytes of these packets, IP headers included."),
    Column("delivered_packets", "packets", "Packets that arrived."),
    Column(
        "delivered_payload_bytes", "bytes",
        "Bytes behind the TCP or UDP headers that arrived; retransmitted bytes count again.",
    ),
    Column("lost_packets", "packets", "Packets that the simulated network dropped or lost."),
    Column("marked_packets", "packets", "Packets that the simulated network marked (CE)."),
    Column("mean_delay_s", "s", "Mean time from host to host in the simulated network."),
    Column("min_delay_s", "s", "Least time from host to host."),
    Column("max_delay_s", "s", "Longest time from host to host."),
    Column(
        "goodput_bps", "bit/s",
        "Payload delivered per second, from the first packet sent to the last arrival.",
        "8 * delivered_payload_bytes / (last_arrival_s - start_s)",
    ),
    Column("loss_rate", "1", "Share of the packets that were lost.", "lost_packets / sent_packets"),
)  # fmt: skip

LIVE_SERIES = (
    Column("t_s", "s", "Start of the interval."),
    Column("interval_s", "s", "Its length. Intervals in which nothing happened are left out."),
    Column(
        "flow", "1", "Number of the flow: its row in `live_flows`; the first 1,000 have series.",
    ),
    Column("sent_bytes", "bytes", "Bytes that left the host, IP headers included."),
    Column("delivered_packets", "packets", "Packets that arrived."),
    Column("delivered_payload_bytes", "bytes", "Bytes behind TCP or UDP headers that arrived."),
    Column("lost_packets", "packets", "Packets that the simulated network dropped or lost."),
    Column("mean_delay_s", "s", "Mean time from host to host of what arrived; NaN if nothing did."),
    Column("max_delay_s", "s", "Longest such time."),
    Column(
        "goodput_bps", "bit/s", "Payload delivered per second.",
        "8 * delivered_payload_bytes / interval_s",
    ),
)  # fmt: skip

LIVE_SECONDS = (
    Column("t_s", "s", "Start of the second."),
    Column("read_packets", "packets", "Packets that real hosts sent."),
    Column("written_packets", "packets", "Packets that were handed to real hosts."),
    Column("lost_packets", "packets", "Real packets that the simulated network lost."),
    Column("mean_lateness_s", "s", "Mean time from when a packet was due until it was written."),
    Column("max_lateness_s", "s", "Longest such time."),
    Column("max_lag_s", "s", "How far the simulation was behind real time at most."),
)  # fmt: skip

ARRIVALS = (
    Column("time_ps", "ps", "When the packet left its host, since the start."),
    Column("from", "1", "Number of the sending host, in the order of the plan."),
    Column("to", "1", "Number of the receiving host."),
    Column("flow", "1", "Number of its flow, in the order in which flows began."),
    Column("size_bytes", "bytes", "Size with the IP header."),
    Column("ecn", "1", "Its ECN field: 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE."),
    Column("ended_ps", "ps", "When the run ended; the same in every row."),
)  # fmt: skip

#: Tables that only a run in real time has.
OF_LIVE_RUNS: dict[str, tuple[Column, ...]] = {
    "live_flows": LIVE_FLOWS,
    "live_series": LIVE_SERIES,
    "live_seconds": LIVE_SECONDS,
    "arrivals": ARRIVALS,
}


CAPTURED = (
    Column("first_s", "s", "First packet of the connection, since the first of the capture."),
    Column("last_s", "s", "Last packet of the connection, since the first of the capture."),
    Column("client", "", "Address of the end that asked for the connection."),
    Column("client_port", "1", "Its TCP port."),
    Column("server", "", "Address of the other end."),
    Column("server_port", "1", "Its TCP port."),
    Column(
        "has_syn", "1",
        "1 if the beginning was captured; else the client is the end with the higher port.",
    ),
    Column("has_fin", "1", "1 if a FIN was captured, from either end."),
    Column("has_rst", "1", "1 if a RST was captured, from either end."),
    Column(
        "rtt_s", "s",
        "From the SYN to the ACK of the SYN-ACK; missing where one of them was not captured, or was"
        " retransmitted.",
    ),
    *(
        column
        for end in ("client", "server")
        for column in (
            Column(
                f"{end}_start_s",
                "s",
                f"Start of a flow that replays what the {end} sent: one round trip before its first"
                " data, but not before the connection.",
            ),
            Column(
                f"{end}_bytes",
                "B",
                f"Payload that the {end} sent, by its sequence numbers: retransmissions not counted"
                " twice, uncaptured segments included.",
            ),
            Column(f"{end}_packets", "packets", f"Packets of the {end} in the capture."),
            Column(f"{end}_wire_bytes", "B", "Their bytes on the wire, headers of the link too."),
        )
    ),
)  # fmt: skip
