"""Draw how the round-trip time changes the cycle of TCP over RED: 2,000 runs, out/fluid.png."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from headgate import fluid

rtts_s = np.linspace(0.02, 1.0, 1000)
figure, panels = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
for red, colour in (("mean", "#0072b2"), ("queue", "#d55e00")):
    runs = fluid.sweep("tcp-red", {"rtt_s": rtts_s, "red": red}, duration="200 s", warmup="100 s")
    low, high = runs["queue_packets_min"], runs["queue_packets_max"]
    panels[0].fill_between(rtts_s, low, high, color=colour, alpha=0.3, label=f"RED on the {red}")
    print(
        f"RED on the {red}: at 0.2 s the queue goes from {low[184]:.1f} to {high[184]:.1f} packets"
    )
panels[0].set(xlabel="round trip without queue (s)", ylabel="queue (packets), least to greatest")
panels[0].legend()

result = fluid.solve("tcp-red", {"red": "mean"})
series = result.series
flow, port = (series.where(series["of"] == kind) for kind in ("flow", "port"))
panels[1].plot(flow["srtt_s"], flow["cwnd_packets"] / flow["srtt_s"], linewidth=0.8)
panels[1].set(xlabel="round trip (s)", ylabel="rate (packets/s)")
print(
    f"{result.meta['steps']['taken']} steps, queue up to {port['queue_packets'].max():.1f} packets"
)

picture = Path("out/fluid.png")
picture.parent.mkdir(exist_ok=True)
figure.savefig(picture, dpi=120)
