"""Draw the rates and delays of Prague beside CUBIC in three queues into out/l4s.png."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import headgate

BASE_MS = 20.0
QUEUES = {
    "drop_tail": "FIFO, 1,000 packets",
    "fq-codel": "FQ-CoDel",
    "dualpi2": "DualPI2",
}
LOOKS = {"prague": ("Prague", "#0072b2", "-"), "cubic": ("CUBIC", "#d55e00", "--")}

figure, panels = plt.subplots(
    2, 3, figsize=(9, 4.6), sharex=True, sharey="row", layout="constrained"
)
for (rates, delays), (queue, title) in zip(panels.T, QUEUES.items(), strict=True):
    result = headgate.dumbbell(
        rate="50 Mbit/s",
        rtt=f"{BASE_MS} ms",
        buffer="1000 packets",
        queue={"name": queue, "variant": "linux"} if queue == "dualpi2" else queue,
        impairments=[{"name": "jitter", "mean": "0.1 ms"}],
        flows=[{"cca": cca, "name": cca} for cca in LOOKS],
        measure={"warmup": "20 s", "series": {"interval": "200 ms"}},
    ).run("60 s", seed=1)
    series, flows = result.series, result.flows
    for cca, (name, colour, style) in LOOKS.items():
        rows = series["name"] == cca
        t_s, delay_ms = series["t_s"][rows], series["srtt_s"][rows] * 1e3 - BASE_MS
        rates.plot(t_s, series["throughput_bps"][rows] / 1e6, style, color=colour, lw=1, label=name)
        delays.plot(t_s, delay_ms, style, color=colour, lw=1)
        goodput = flows["goodput_bps"][flows["traffic"] == cca][0] / 1e6
        queueing = np.median(delay_ms[t_s > 20])
        print(f"{title:>20}, {name:>6}: {goodput:4.1f} Mbit/s, {queueing:5.1f} ms in the queue")
    rates.set_title(title)
    delays.set_yscale("log")
panels[0, 0].set_ylabel("rate (Mbit/s)")
panels[1, 0].set_ylabel("queueing delay (ms)")
panels[0, 0].set_ylim(0, 60)
panels[0, 1].legend(frameon=False)
figure.supxlabel("time (s)")
picture = Path("out/l4s.png")
picture.parent.mkdir(exist_ok=True)
figure.savefig(picture, dpi=120)
