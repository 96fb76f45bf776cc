"""The cost of a user-defined discipline on the bench's first network, against the built-in one."""

from pathlib import Path
from typing import Any

import pytest

from headgate import Scenario
from headgate.engine.bench import dumbbell

from .test_own_ccas_cost import cheapest
from .test_own_disciplines import OURS

pytestmark = pytest.mark.timing

DISCIPLINES = Path(__file__).parent / "disciplines"


def under(queue: object, cca: str) -> Scenario:
    """dumbbell-100 for a quarter of its time, marks allowed."""
    data: dict[str, Any] = dumbbell(100, "10 s").to_dict()
    data["network"]["queue"] = queue
    data["traffic"][0]["cca"] = cca
    return Scenario.from_dict(data)


@pytest.mark.parametrize(
    ("name", "source", "most"),
    [
        ("Threshold", "threshold.c", 1.3),
        ("Red", "red.c:red", 1.3),
        ("Red", "red.rs:red", 1.3),
        ("Red", "copies.py:CompiledRed", 1.5),
        ("Codel", "codel.c", 1.3),
    ],
)
def test_compiled_it_costs_little_more(
    name: str, source: str, most: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if source.startswith("copies"):
        pytest.importorskip("numba")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    queue, cca = OURS[name]
    (ours, own), _ = cheapest(under(queue, cca), under(str(DISCIPLINES / source), cca))
    assert own <= most * ours


def test_a_plain_class_adds_at_most_two_microseconds_a_packet() -> None:
    queue, cca = OURS["Red"]
    mine = under(f"{DISCIPLINES / 'copies.py'}:Red", cca)
    (ours, own), run = cheapest(under(queue, cca), mine)
    assert own - ours <= 2e-6 * run.ports["arrivals"].sum()
