"""Draw the windows of six slow starts on one path, with two buffers, into out/slow-starts.png.

The flow is Reno. Dotted lines are the bandwidth-delay product, and that plus the buffer.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import headgate

BDP = 50e6 * 0.1 / 8 / 1500
RESUME = {"name": "careful-resume", "saved_cwnd": 833, "saved_rtt": "100 ms"}
STYLES = {
    "classic": ("#000000", "-"),
    "hystart": ("#0072b2", "--"),
    "hystart++": ("#56b4e9", "-."),
    "search": ("#d55e00", "-"),
    "rapid-start": ("#009e73", "--"),
    "careful-resume": ("#cc79a7", ":"),
}

figure, axes = plt.subplots(2, 1, figsize=(8, 7), sharex=True, layout="constrained")
for ax, depth in zip(axes, (1, 5), strict=True):
    for lines in (1, 1 + depth):
        ax.axhline(lines, color="#888888", linewidth=0.8, linestyle=":")
    for name, (colour, style) in STYLES.items():
        slow_start = RESUME if name == "careful-resume" else name
        flow = {"cca": {"name": "reno", "slow_start": slow_start}}
        scenario = headgate.dumbbell(
            rate="50 Mbit/s", rtt="100 ms", buffer=f"{depth} BDP", flows=[flow]
        ).replaced({"measure.series.interval": "5 ms"})
        result = scenario.run("6 s", seed=1)
        of_flow, of_link = (result.series["of"] == word for word in ("flow", "port"))
        at_s = result.series["t_s"][of_flow]
        ax.plot(at_s, result.series["cwnd_packets"][of_flow] / BDP, style, color=colour, label=name)
        # the first round trip in which the link is 90 % busy
        busy = result.series["throughput_bps"][of_link & (result.series["name"] == "bottleneck")]
        rounds = busy[: busy.size // 20 * 20].reshape(-1, 20).mean(axis=1)
        fills_s = 0.1 * (1 + np.argmax(rounds >= 0.9 * 50e6))
        row = {column: result.flows[column][0] for column in result.flows.columns}
        print(
            f"{depth} BDP, {name:>14}: ends at {row['slow_start_s']:.2f} s with"
            f" {row['slow_start_cwnd_packets'] / BDP:5.2f} BDP,"
            f" loses {row['slow_start_resent_packets']:4d} packets,"
            f" fills the link at {fills_s:.1f} s"
        )
    ax.set_title(f"buffer {depth} BDP", fontsize=10)
    ax.set_ylabel("window (BDP)")
    ax.set_xlim(0, 4)
    ax.set_ylim(0, 2 * (1 + depth) + 1)
axes[0].legend(ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.08), frameon=False)
axes[1].set_xlabel("time (s)")
Path("out").mkdir(exist_ok=True)
figure.savefig("out/slow-starts.png", dpi=120)
