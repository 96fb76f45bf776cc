"""Conditions whose replicates are one and the same run, beside others in which chance decides."""

from pathlib import Path

import numpy as np
import pytest

from headgate import Experiment

BASE = {
    "duration": "5 s",
    "network": {"kind": "dumbbell", "rate": "10 Mbit/s", "rtt": "40 ms", "buffer": "1 BDP"},
    "traffic": [{"kind": "flows", "cca": "cubic", "count": 4, "stagger": "10 ms"}],
}


@pytest.mark.filterwarnings("ignore")
def test_one_run_in_three_replicates_has_no_interval(tmp_path: Path) -> None:
    """The seed decides which two of four flows run another algorithm, and nothing else."""
    made = Experiment(
        BASE,
        factors={"share.reno": [0, 0.5, 1], "network.buffer": ["0.5 BDP", "1 BDP"]},
        responses=["goodput_bps"],
        replicates=3,
        claims=[
            {"id": f"share-{share}", "statement": "s", "value": "avg(goodput_bps)",
             "where": f"share_reno = {share}", "tolerance": ">= 1"}
            for share in (0, 0.5)
        ],
    ).run(tmp_path)  # fmt: skip
    table = made.table
    is_fixed = np.isin(table["share_reno"], [0, 1])
    assert np.isnan(table["low"][is_fixed]).all()
    assert np.isfinite(table["low"][~is_fixed]).all()
    effects = made.effects
    ends = {*zip(effects["from"], effects["to"], strict=True)}
    assert ends
    constant = (effects["from"] == "0") & (effects["to"] == "1")
    assert constant.sum() == 1
    assert np.isnan(effects["low"][constant]).all()
    assert np.isnan(effects["p"][constant]).all()
    alone, mixed = made.claims
    assert alone.ci is None
    assert "one and the same run" in alone.note
    assert mixed.ci is not None
