"""A designed experiment: the effect of five factors on FAST's share of a bottleneck, in 16 runs."""

from pathlib import Path

import numpy as np

from headgate.design import load_design

made = load_design(Path(__file__).with_name("designs") / "bottleneck.toml")
print(made.facts()["generating_words"], "resolution", made.facts()["resolution"])

shares = []
for scenario in made.scenarios():
    short = scenario.replaced({"duration": "15 s", "measure.warmup": "5 s"})
    reno, fast = short.run().flows["goodput_bps"]
    shares.append(fast / (reno + fast))

coded = np.array([row.coded for row in made.sheet.rows])
effects = coded.T @ np.array(shares) / (len(coded) / 2)
for factor, effect in zip(made.design.factors, effects, strict=True):
    low, high = factor.low, factor.high
    print(f"{factor.title:>24}: {100 * effect:+5.1f} points of share from {low} to {high}")
