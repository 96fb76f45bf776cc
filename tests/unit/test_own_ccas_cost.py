"""The cost of a user-defined algorithm on the bench's first network, against the built-in one."""

from pathlib import Path

import pytest

from headgate import Result, Scenario
from headgate.engine.bench import dumbbell

pytestmark = pytest.mark.timing

CCAS = Path(__file__).parent / "ccas"
REPEATS = 5


def with_cca(**cca: str) -> Scenario:
    """dumbbell-100 for a quarter of its time."""
    data = dumbbell(100, "10 s").to_dict()
    data["traffic"][0].pop("cca")
    data["traffic"][0].update(cca)
    return Scenario.from_dict(data)


def cheapest(*scenarios: Scenario) -> tuple[list[float], Result]:
    """The least CPU time of each, in turn: other load can only add to it. Also a first result."""
    rounds = [[scenario.run() for scenario in scenarios] for _ in range(REPEATS)]
    costs = [min(run.meta["cpu_s"] for run in runs) for runs in zip(*rounds, strict=True)]
    return costs, rounds[0][0]


@pytest.mark.parametrize("source", ["reno.c:reno", "reno.rs:reno", "compiled.py:Reno"])
def test_compiled_it_costs_at_most_a_quarter_more(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if source.startswith("compiled"):
        pytest.importorskip("numba")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (ours, own), _ = cheapest(with_cca(cca="reno"), with_cca(cca=str(CCAS / source)))
    assert own <= 1.25 * ours


def test_a_plain_class_adds_at_most_a_microsecond_an_ack() -> None:
    (ours, own), run = cheapest(with_cca(cca="reno"), with_cca(cca=f"{CCAS / 'reno.py'}:Reno"))
    acks = run.flows["delivered_total_packets"].sum()
    assert own - ours <= 1e-6 * acks
