"""The responses y1 to y22 of the NIST study's model network, and its pairs of router classes.

y5 is given twice: as dropped over entered, and as the slides print it (y4 over y3 + y4), which is
near 1/2 for a network without loss. The equal forms of y7 and y9 are intended. y17 to y22 belong to
classes D, F and N; other networks do not have them.
"""

from headgate.data.columns.column import Column

PAIRS = ("DD", "DF", "DN", "FF", "FN", "NN")

PER_INTERVAL = "/ ((end_s - start_s) / interval_s)"
"""A period need not consist of whole intervals, so counts are not divided by the samples."""

OF_NETWORK = (
    Column(
        "y1", "1", "Sources with a flow under way, mean of the samples.",
        "transmitting_sum / samples",
    ),
    Column("y2", "1", "Proportion of the sources transmitting.", "y1 / sources"),
    Column(
        "y3", "packets", "Segments entering the network per interval.",
        f"segments_in {PER_INTERVAL}",
    ),
    Column(
        "y4", "packets", "Segments leaving the network per interval.",
        f"segments_out {PER_INTERVAL}",
    ),
    Column("y5", "1", "Loss rate: dropped over entered.", "segments_dropped / segments_in"),
    Column(
        "y5_literal", "1",
        "The loss rate as the slides print it; near 1/2 for a network without loss.",
        "y4 / (y3 + y4)",
    ),
    Column("y6", "1", "Flows completing per interval.", f"flows_completed {PER_INTERVAL}"),
    Column("y7", "1", "Flow-completion rate.", "y6 / (y6 + y1)"),
    Column("y8", "1", "Connection failures per interval.", f"connection_failures {PER_INTERVAL}"),
    Column("y9", "1", "Connection-failure rate.", "y8 / (y8 + y1)"),
    Column("y10", "1", "Retransmission rate.", "retransmissions / segments_in"),
    Column("y11", "packets", "Congestion window of a flow.", "cwnd_sum / active_sum"),
    Column("y12", "1", "Window increases per interval.", f"cwnd_increases {PER_INTERVAL}"),
    Column("y13", "1", "Duplicate ACKs per interval.", f"duplicate_acks {PER_INTERVAL}"),
    Column("y14", "1", "Time-outs per interval.", f"timeouts {PER_INTERVAL}"),
    Column("y15", "s", "Round trip, mean of its samples.", "rtt_sum_s / rtt_count"),
    Column("y16", "s", "Queuing delay of a segment on its way.", "wait_sum_s / segments_out"),
)  # fmt: skip

OF_PAIRS = tuple(
    Column(
        f"y{number}",
        "packets/s",
        f"Segments per second on a {pair} flow, mean over the flows finished; missing if none.",
        f"rate_sum_{pair} / flows_{pair}",
    )
    for number, pair in enumerate(PAIRS, start=17)
)

FLOWS_OF_PAIRS = (
    *(Column(f"flows_{pair}", "1", f"{pair} flows finished.") for pair in PAIRS),
    *(
        Column(f"rate_sum_{pair}", "packets/s", f"Sum of packets / fct of {pair} flows finished.")
        for pair in PAIRS
    ),
)
