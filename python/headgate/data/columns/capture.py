"""Columns of the connections that `headgate replay` finds in a capture."""

from headgate.data.columns.column import Column

CAPTURED = (
    Column("first_s", "s", "First packet of the connection, since the first of the capture."),
    Column("last_s", "s", "Last packet of the connection, since the first of the capture."),
    Column("client", "", "Address of the end that asked for the connection."),
    Column("client_port", "1", "Its TCP port."),
    Column("server", "", "Address of the other end."),
    Column("server_port", "1", "Its TCP port."),
    Column(
        "has_syn",
        "1",
        "1 if the beginning was captured; else the client is the end with the higher port.",
    ),
    Column("has_fin", "1", "1 if a FIN was captured, from either end."),
    Column("has_rst", "1", "1 if a RST was captured, from either end."),
    Column(
        "rtt_s",
        "s",
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
)
