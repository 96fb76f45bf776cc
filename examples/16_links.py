"""Draw CUBIC and BBR over a synthetic 4G trace into out/links.png."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import headgate

scenario = headgate.dumbbell(
    trace="4g",
    rtt="60 ms",
    buffer="200 packets",
    impairments=[{"name": "gilbert_elliott", "to_bad": 0.0002}],
    reverse={"rate": "5 Mbit/s"},
    flows=["cubic", "bbr"],
    measure={"warmup": "5 s", "series": {"interval": "1 s"}},
)
result = scenario.run("60 s", seed=1)
for cca, goodput in zip(result.flows["cca"], result.flows["goodput_bps"], strict=True):
    print(f"{cca:>6}: {goodput / 1e6:.2f} Mbit/s")

series, seconds = result.series, np.arange(60)
rates = result.meta["rates"]["bottleneck"]  # bit/s, with the start of each
could = [np.mean(rates["rate_bps"][10 * s : 10 * s + 10]) / 1e6 for s in seconds]  # ten a second
figure, (above, below) = plt.subplots(2, 1, figsize=(8, 5), sharex=True, layout="constrained")
above.fill_between(seconds, could, step="post", color="#dddddd", label="rate of the link")
for name, colour, style in (("cubic", "#0072b2", "-"), ("bbr", "#d55e00", "--")):
    rows = series["name"] == name
    throughput = series["throughput_bps"][rows] / 1e6
    above.plot(series["t_s"][rows] - 0.5, throughput, style, color=colour, label=name)
above.set_ylabel("throughput (Mbit/s)")
above.legend(ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
rows = series["name"] == "bottleneck"
below.plot(series["t_s"][rows], series["queue_packets"][rows], color="#333333")
below.set_ylabel("queue (packets)")
below.set_xlabel("time (s)")
for ax in (above, below):
    ax.set_ylim(bottom=0)
Path("out").mkdir(exist_ok=True)
figure.savefig("out/links.png", dpi=120)
