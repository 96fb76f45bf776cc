"""What a user's own queue discipline costs on the bench's first network, beside ours."""

from pathlib import Path
from typing import Any

import pytest

from headgate import Scenario
from headgate.engine.bench import dumbbell

from .test_own_disciplines import OURS
from .test_own_laws_cost import cheapest

pytestmark = pytest.mark.timing

DISCIPLINES = Path(__file__).parent / "disciplines"


def under(queue: object, law: str) -> Scenario:
    """dumbbell-100 for a quarter of its time, marks allowed."""
    data: dict[str, Any] = dumbbell(100, "10 s").to_dict()
    data["network"]["queue"] = queue
    data["traffic"][0]["law"] = law
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
    queue, law = OURS[name]
    (ours, own), _ = cheapest(under(queue, law), under(str(DISCIPLINES / source), law))
    assert own <= most * ours


def test_a_plain_class_adds_at_most_two_microseconds_a_packet() -> None:
    queue, law = OURS["Red"]
    mine = under(f"{DISCIPLINES / 'copies.py'}:Red", law)
    (ours, own), run = cheapest(under(queue, law), mine)
    assert own - ours <= 2e-6 * run.ports["arrivals"].sum()
