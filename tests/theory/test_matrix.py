"""The amounts of a traffic matrix are the means of what its pairs send.

Files arrive as a Poisson process with rate r = amount / E[S], and S are their sizes on the wire. In
a time T a pair sends a sum with the mean r T E[S] and the variance r T E[S^2] (a compound Poisson
sum). The sum over independent replicates is normal by the central limit theorem.
"""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from headgate import Scenario

WIRE_BITS = 8 * 1500
SPAN_S = 20.0
REPLICATES = 12
#: Amounts in Mbit/s; the links carry far more, so that nothing is delayed beyond the run.
AMOUNTS = {("a", "b"): 3.0, ("b", "a"): 1.0, ("a", "c"): 2.0, ("c", "b"): 0.5}
MEAN_PACKETS = 8.0


def make(folder: Path) -> Scenario:
    rows = "".join(f"{one},{other},{amount}\n" for (one, other), amount in AMOUNTS.items())
    file = folder / "demands.csv"
    file.write_text("origin,destination,amount\n" + rows)
    links = [{"ends": ends} for ends in (["a", "b"], ["b", "c"], ["a", "c"])]
    return Scenario.from_dict(
        {
            "duration": f"{SPAN_S} s",
            "network": {
                "kind": "graph",
                "rate": "1 Gbit/s",
                "delay": "1 ms",
                "routers": [{"name": name} for name in "abc"],
                "links": links,
            },
            "traffic": [
                {
                    "kind": "matrix",
                    "cca": {"cubic": 0.5, "bbr": 0.5},
                    "file": str(file),
                    "unit": "Mbit/s",
                    "size": {"kind": "exponential", "mean": f"{MEAN_PACKETS:g} packets"},
                }
            ],
            "measure": {"series": "none"},
        }
    )


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], list[float]]:
    """Packets that arrived, of each pair and replicate."""
    made = make(tmp_path_factory.mktemp("matrix"))
    found: dict[tuple[str, str], list[float]] = {pair: [] for pair in AMOUNTS}
    for seed in range(1, REPLICATES + 1):
        flows = made.run(seed=seed).flows
        pairs = list(zip(flows["source"].tolist(), flows["receiver"].tolist(), strict=True))
        assert set(pairs) == set(AMOUNTS)
        for pair in AMOUNTS:
            of = np.array([one == pair for one in pairs])
            found[pair].append(float(flows["size_packets"][of].sum()))
    return found


def test_each_pair_sends_its_amount(sent: dict[tuple[str, str], list[float]]) -> None:
    n = np.arange(1, 2000)
    at_least = np.exp(-(n - 0.5) / MEAN_PACKETS)  # a size is rounded, to at least one packet
    at_least[0] = 1.0
    mean, square = at_least.sum(), ((2 * n - 1) * at_least).sum()
    span_s = SPAN_S * REPLICATES
    for pair, packets in sent.items():
        rate = AMOUNTS[pair] * 1e6 / (WIRE_BITS * mean)
        expected = rate * span_s * mean
        assert expected * WIRE_BITS == pytest.approx(AMOUNTS[pair] * 1e6 * span_s)
        z = (sum(packets) - expected) / (rate * span_s * square) ** 0.5
        assert abs(z) < stats.norm.ppf(1 - 0.0005), (pair, z)


def test_the_interval_is_narrow_enough_to_prove_something(
    sent: dict[tuple[str, str], list[float]],
) -> None:
    packets = np.array(sent["a", "b"])
    half = stats.sem(packets) * stats.t.ppf(0.975, REPLICATES - 1)
    assert half < 0.05 * packets.mean()
