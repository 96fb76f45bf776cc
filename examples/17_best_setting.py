"""A response surface finds the best setting of a bottleneck; Morris' effects rank its factors."""

from pathlib import Path

from headgate import Experiment, Scenario

surface = Experiment.load(Path(__file__).with_name("experiments") / "best_buffer.toml")
print(*surface.run(out="out/best-buffer").findings, sep="\n")

base = Scenario.load(Path(__file__).with_name("first.toml")).replaced(
    {"duration": "12 s", "measure.warmup": "4 s"}
)
screen = Experiment(
    base,
    factors={
        "network.rtt": {"low": "20 ms", "high": "80 ms"},
        "network.buffer": {"low": "0.3 BDP", "high": "2 BDP"},
        "network.loss": {"low": 0.0, "high": 0.01},
    },
    kind="morris",
    trajectories=6,
    replicates=2,
    responses=["goodput_bps"],
)
result = screen.run(out="out/screen")
print(*result.findings, sep="\n")
sensitivity = result.tables["sensitivity"]
for name, mu_star in zip(sensitivity["factor"], sensitivity["mu_star"], strict=True):
    print(f"{name:>8}: mu* {mu_star / 1e6:.2f} Mbit/s over its range")
