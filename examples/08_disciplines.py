"""Draw the waiting time in the queue under every discipline into out/disciplines.png."""

from pathlib import Path

import matplotlib.pyplot as plt

import headgate
from headgate import catalog

cards = {card.name: card for card in catalog.devices() if card.kind == "queue"}
names = ["drop_tail", *cards]
without_marks = ("drop_tail", "ack-priority", "ps")
columns = 4
figure, panels = plt.subplots(
    -(-len(names) // columns), columns, figsize=(12, 5), sharex=True, sharey=True,
    layout="constrained",
)  # fmt: skip
for ax, name in zip(panels.flat, names, strict=False):
    has_switch = name in cards and any(param.name == "ecn" for param in cards[name].params)
    scenario = headgate.dumbbell(
        rate="20 Mbit/s",
        rtt="50 ms",
        buffer="100 ms",
        queue={"name": name, "ecn": "on"} if has_switch else name,
        transport={"ecn": name not in without_marks},
        flows=[{"cca": "reno", "count": 4}, {"cca": "reno", "count": 8, "start": "30 s"}],
        measure={"warmup": "5 s", "series": {"interval": "50 ms"}},
    )
    result = scenario.run("60 s", seed=1)
    series = result.series
    rows = series["name"] == "bottleneck"
    wait_ms = series["queue_packets"][rows] * 0.6  # 1500 B at 20 Mbit/s
    ax.plot(series["t_s"][rows], wait_ms, linewidth=0.7, color="#0072b2")
    ax.set_title(name, fontsize=9)
    port = {key: result.ports[key][0] for key in ("utilisation", "mean_wait_s", "drops", "marks")}
    print(
        f"{name:>12}: busy {port['utilisation']:.1%},"
        f" mean wait {port['mean_wait_s'] * 1e3:.1f} ms, "
        f"{port['drops']} dropped, {port['marks']} marked"
    )
for ax in panels.flat[len(names) :]:
    ax.set_axis_off()
figure.supxlabel("time (s)")
figure.supylabel("wait (ms)")
picture = Path("out/disciplines.png")
picture.parent.mkdir(exist_ok=True)
figure.savefig(picture, dpi=120)
