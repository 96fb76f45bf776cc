"""Two round-trip times on one link: the ratio of goodputs under each algorithm."""

import headgate
from headgate import catalog

for cca in catalog.ccas():
    if cca.family == "none":
        continue  # a constant rate
    flows = [
        {"name": "near", "cca": cca.name, "rtt": "20 ms"},
        {"name": "far", "cca": cca.name, "rtt": "80 ms", "start": "50 ms"},
    ]
    network = {"rate": "20 Mbit/s", "rtt": "40 ms", "buffer": "1 BDP"}
    network["impairments"] = [{"name": "jitter", "mean": "0.3 ms"}]  # against phase effects
    if cca.scheme:
        network["feedback"] = cca.scheme  # router feedback to its senders
    if cca.needs_marks:
        network["queue"] = {"name": "threshold", "mark": "0.17 BDP"}
    scenario = headgate.dumbbell(flows=flows, measure={"warmup": "10 s"}, **network)
    table = scenario.run("40 s", seed=1).flows
    goodput = dict(zip(table["traffic"], table["goodput_bps"], strict=True))
    print(f"{cca.name:>9}: near/far = {goodput['near'] / goodput['far']:.1f}")
