"""Web users on the Abilene-like network: the 22 responses of two measurement periods."""

import headgate

users = {
    "kind": "web",
    "cca": "reno",
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
for name in (f"y{number}" for number in range(1, 23)):
    first, second = responses[name]
    about = f"{responses.unit(name):<9} {responses.definition(name)}"
    print(f"{name:>3} {first:12.5g} {second:12.5g}  {about}")
