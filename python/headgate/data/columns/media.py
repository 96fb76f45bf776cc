"""Columns of streams of real-time media. Only runs with such traffic have these tables."""

from headgate.data.columns.column import Column, arrange

_NAME = Column("name", "", "Name of the stream.")

MEDIA = arrange(
    ["media"],
    Column("period", "1", "Number of the measurement period, from 1."),
    Column("start_s", "s", "Start of the period."),
    Column("end_s", "s", "End of the period."),
    _NAME,
    Column("rate_controller", "", "Rate controller, by its name in the catalogue."),
    Column("source", "", "Router of the sender."),
    Column("receiver", "", "Router of the receiver."),
    Column(
        "received_bps", "bit/s", "Bits that arrived per second, with packet headers.",
        "8 * bytes_received / active_s",
    ),
    Column(
        "target_bps", "bit/s", "Target rate of the rate controller, mean over the frames.",
        "target_sum_bps / frames",
    ),
    Column(
        "mean_packet_delay_s", "s", "Mean one-way delay of packets, from departure to arrival.",
        "packet_delay_sum_s / packets_received",
    ),
    "packet_delay_p95_s", "packet_delay_p99_s",
    Column(
        "mean_frame_delay_s", "s",
        "Mean delay of complete frames, from capture to the arrival of the last packet.",
        "frame_delay_sum_s / frames_complete",
    ),
    "frame_delay_p95_s", "frame_delay_p99_s",
    Column(
        "mean_queue_wait_s", "s",
        "Mean time of packets in the queue of the sender, from capture to departure.",
        "queue_wait_sum_s / packets_sent",
    ),
    "queue_wait_p95_s",
    Column(
        "marked_share", "1", "Share of the packets that arrived marked (CE).",
        "packets_marked / packets_received",
    ),
    "frames", "frames_complete", "frames_late", "frames_lost", "frames_cut", ...,
)  # fmt: skip

MEDIA_SERIES = arrange(
    ["media_samples"], "t_s", _NAME, "target_bps",
    Column(
        "sent_bps", "bit/s", "Bits sent per second since the previous row.",
        "difference of sent bits / difference of t_s",
    ),
    Column(
        "received_bps", "bit/s", "Bits that arrived per second since the previous row.",
        "difference of received bits / difference of t_s",
    ),
    Column(
        "packet_delay_s", "s", "Mean one-way delay of the packets since the previous row.",
        "difference of the sum of delays / difference of received_packets",
    ),
    "pacing_bps", "window_bytes", "in_flight_bytes", "queue_bytes", "gauge", ...,
)  # fmt: skip

#: Tables that only a run with real-time media has.
OF_MEDIA: dict[str, tuple[Column, ...]] = {"media": MEDIA, "media_series": MEDIA_SERIES}
