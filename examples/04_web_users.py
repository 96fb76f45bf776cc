"""Web users on a network after Abilene: the 22 responses of a measurement period."""

import headgate
from headgate.measures.responses import RESPONSES

users = {
    "kind": "web",
    "law": "reno",
    "users": 500,
    "think": "3.5 s",
    "size": {"kind": "pareto", "mean": "75 packets", "shape": 1.5},
    "at_once": 0.5,
}
scenario = headgate.abilene(
    rate="400 Mbit/s",
    buffer="1 BDP",
    flows=[users],
    transport="mesonet",
    measure={"warmup": "10 s", "periods": 2},
)
responses = scenario.run("30 s", seed=1).responses
for name, title in RESPONSES.items():
    first, second = responses[name]
    print(f"{name:>3} {title:<24} {first:12.5g} {second:12.5g}  {responses.unit(name)}")
