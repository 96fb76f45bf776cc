"""Draw a download after an outage of 300 ms, under three algorithms, into out/outage.png.

One row of pictures drops the queue of the link during the outage, the other keeps it.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import headgate

HERE = Path(__file__).parent
STYLES = {"reno": ("#0072b2", "-"), "cubic": ("#d55e00", "--"), "bbr3": ("#009e73", ":")}
WORDS = {"drop": "the modem drops its queue", "keep": "the modem keeps its queue"}

scenario = headgate.load(HERE / "outage.toml")
figure, axes = plt.subplots(2, 1, figsize=(8, 6), sharex=True, sharey=True, layout="constrained")
for ax, queue in zip(axes, WORDS, strict=True):
    ax.axvspan(20, 20.3, color="#4a4f55", alpha=0.35, label="outage")
    for cca, (colour, style) in STYLES.items():
        keys = {"traffic.0.cca": cca, "network.outages.0.queue": queue}
        result = scenario.replaced(keys).run(seed=1)
        of_download = result.series["name"] == "download"
        bps = result.series["arrival_rate_bps"][of_download]
        rate = 1e-6 * bps.reshape(-1, 20).mean(axis=1)  # of each second
        ax.plot(np.arange(1, 61), rate, style, color=colour, label=cca)
        goodput = result.flows["goodput_bps"][0] / 1e6
        print(f"{queue}, {cca:>5}: {goodput:.1f} Mbit/s after the start of the outage")
    ax.set_title(WORDS[queue], fontsize=10)
    ax.set_ylabel("throughput (Mbit/s)")
    ax.set_ylim(0, 110)
axes[0].legend(ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.1), frameon=False)
axes[1].set_xlabel("time (s)")
axes[1].set_xlim(10, 60)
Path("out").mkdir(exist_ok=True)
figure.savefig("out/outage.png", dpi=120)
