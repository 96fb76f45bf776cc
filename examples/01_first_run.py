"""Two flows share a bottleneck: print the goodput of each, and the mean queue."""

import headgate

scenario = headgate.dumbbell(
    rate="100 Mbit/s",
    rtt="40 ms",
    buffer="1 BDP",
    impairments=[{"name": "jitter", "mean": "0.1 ms"}],  # as nothing real is exactly periodic
    flows=["reno", {"cca": {"name": "fast", "alpha": 50}, "start": "1 s"}],
    measure={"warmup": "5 s"},
)
result = scenario.run("20 s", seed=1)

flows, ports = result.flows, result.ports
for cca, goodput_bps in zip(flows["cca"], flows["goodput_bps"], strict=True):
    print(f"{cca}: {goodput_bps / 1e6:.1f} Mbit/s")
print(f"mean queue: {ports['mean_queue_packets'][0]:.0f} packets")
