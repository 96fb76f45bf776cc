"""Replay one flow list with every algorithm, and compare completion times."""

from pathlib import Path

import numpy as np

import headgate
from headgate import catalog

scenario = headgate.load(Path(__file__).with_name("replay.toml"))
for cca in catalog.ccas():
    if cca.family == "none" or cca.scheme or cca.needs_marks:
        continue  # a constant rate, or an algorithm that needs router feedback or marks
    flows = scenario.replaced({"traffic.0.cca": cca.name}).run().flows
    print(f"{cca.title}: mean completion time {np.nanmean(flows['fct_receiver_s']):.3f} s")
