"""Replay the same list of flows with every law, and compare completion times."""

from pathlib import Path

import numpy as np

import headgate
from headgate import catalog

scenario = headgate.load(Path(__file__).with_name("replay.toml"))
for law in catalog.laws():
    if law.family == "none":
        continue  # a constant rate
    flows = scenario.replaced({"traffic.0.law": law.name}).run().flows
    print(f"{law.title}: mean completion time {np.nanmean(flows['fct_receiver_s']):.3f} s")
