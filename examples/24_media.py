"""Draw a SCReAMv2 stream beside a TCP flow in DualPI2 and in a FIFO, into out/real-time-media.png.

The stream is alone on the link for 20 s, then a flow of Prague (DualPI2) or CUBIC (FIFO) begins.
"""

from pathlib import Path

import matplotlib.pyplot as plt

import headgate

CASES = {
    "DualPI2, beside Prague": ("dualpi2", "10000 packets", "prague"),
    "FIFO of 1 BDP, beside CUBIC": ("drop_tail", "1 BDP", "cubic"),
}
MEASURE = {"periods": [["10 s", "20 s"], ["40 s", "60 s"]], "series": {"interval": "500 ms"}}

figure, axes = plt.subplots(2, 2, figsize=(9, 5.5), sharex=True, sharey="row", layout="constrained")
for column, (title, (queue, buffer, cca)) in enumerate(CASES.items()):
    media = {
        "kind": "media",
        "rate_controller": {"name": "scream", "marks": "l4s" if cca == "prague" else "none"},
        "max_rate": "40 Mbit/s",
        "frame_rate": 50,
        "size_deviation": 0.2,
    }
    tcp = {"kind": "flows", "cca": cca, "start": "20 s"}
    path = {"kind": "dumbbell", "rate": "20 Mbit/s", "rtt": "25 ms"}
    scenario = headgate.Scenario.from_dict(
        {
            "duration": "60 s",
            "network": path | {"queue": queue, "buffer": buffer},
            "transport": {"ecn": cca == "prague"},
            "traffic": [media, tcp],
            "measure": MEASURE,
        }
    )
    result = scenario.run(seed=1)
    stream, series = result.tables["media_series"], result.series
    tcp = series["of"] == "flow"
    rates, delays = axes[:, column]
    rates.plot(stream["t_s"], stream["received_bps"] / 1e6, label="SCReAMv2", color="#d55e00")
    rates.plot(stream["t_s"], stream["target_bps"] / 1e6, ":", label="its target", color="#d55e00")
    rates.plot(series["t_s"][tcp], series["throughput_bps"][tcp] / 1e6, label="TCP")
    delays.plot(stream["t_s"], stream["packet_delay_s"] * 1e3, color="#d55e00")
    rates.set_title(title)
    rates.legend(frameon=False, fontsize=8)
    for row in range(2):
        table = {name: column[row] for name, column in result.tables["media"].data.items()}
        print(
            f"{title}, period {table['period']}: {table['received_bps'] / 1e6:.1f} Mbit/s, delay of"
            f" packets {table['mean_packet_delay_s'] * 1e3:.1f} ms, 99 % of frames within"
            f" {table['frame_delay_p99_s'] * 1e3:.1f} ms, {table['marked_share']:.1%} marked"
        )
axes[0, 0].set_ylabel("rate (Mbit/s)")
figure.supxlabel("time (s)")
axes[1, 0].set_ylabel("one-way delay of packets (ms)")
axes[1, 0].set_ylim(bottom=0)
Path("out").mkdir(exist_ok=True)
figure.savefig("out/real-time-media.png", dpi=120)
