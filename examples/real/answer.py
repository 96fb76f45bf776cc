"""The network of these examples, and the report of their results."""

from pathlib import Path

import numpy as np

import headgate

#: 20 Mbit/s and 40 ms, shared with 50 simulated Web users; b is the server, a the client.
SCENARIO = Path(__file__).with_name("shared.toml")


def report(result: headgate.Result, name: str, rtt_s: float) -> None:
    """Print the results of the largest real flow, and draw all flows into out/NAME.png."""
    flows = result.tables["live_flows"]
    most = int(np.argmax(flows["delivered_payload_bytes"]))
    print(
        f"{name}: {flows['goodput_bps'][most] / 1e6:.2f} Mbit/s"
        f" ({flows['delivered_payload_bytes'][most] / 1e6:.2f} MB), RTT {1e3 * rtt_s:.1f} ms,"
        f" {flows['lost_packets'][most]} of {flows['sent_packets'][most]} packets lost"
    )
    Path("out").mkdir(exist_ok=True)
    result.figures()["real-packets"].savefig(f"out/{name}.png", dpi=120)
