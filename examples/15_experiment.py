"""An experiment: a user-defined algorithm beside Reno, means with intervals."""

from pathlib import Path
from tempfile import mkdtemp

from headgate import Experiment

HERE = Path(__file__).parent
result = Experiment(
    HERE / "short_flows.toml",
    factors={"network.rtt": ["20 ms", "80 ms"], "cca": ["reno", f"{HERE}/ccas/gentle.py:Gentle"]},
    replicates=3,
    responses=["afct_s"],
).run(mkdtemp())
print(result)
print(result.table.to_polars())
