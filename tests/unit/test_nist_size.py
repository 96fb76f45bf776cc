"""The sentences of a report on the size of its experiment."""

import pytest

from headgate_studies.nist import size
from headgate_studies.nist.size import (
    Preserved,
    Sorted,
    describe_preserved,
    equivalent_size,
    load_measured,
)
from headgate_studies.nist_scale.sizes import NAMES


def test_experiments_are_compared_by_their_sources() -> None:
    assert equivalent_size("1b", 0.1) == pytest.approx(0.1)
    assert equivalent_size("1a", 0.01) == pytest.approx(0.1)  # 278,000 sources over 27,800


def test_every_response_has_one_place_at_every_size() -> None:
    for found in load_measured().sizes.values():
        named = [*found.kept, *found.moved, *found.untold]
        assert sorted(named) == sorted(NAMES)


def test_the_nearest_size_is_named_with_its_responses(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Preserved(
        largest="1/4",
        near=0.1,
        sizes={
            "1/40": Sorted(kept=(), moved=("y16",), untold=()),
            "1/10": Sorted(kept=("y2", "y3", "y4", "y6", "y7", "y8"), moved=(), untold=("y1",)),
        },
    )
    monkeypatch.setattr(size, "load_measured", lambda: found)
    (said,) = describe_preserved({"experiment": "1a", "size": 0.01})
    assert "and 1/10 of the published size is nearest to this network" in said
    assert f"within 10% of those at 1/4 of it are {NAMES['y2']}" in said
    assert "and 2 more; farther off under some condition are none" in said
    (said,) = describe_preserved({"experiment": "1b", "size": 0.02})
    assert "1/40 of the published size is nearest" in said
    assert describe_preserved({"experiment": "1b", "size": 0.25}) == ()


def test_half_of_the_size_is_compared_with_the_published_one() -> None:
    (said,) = describe_preserved({"experiment": "2b", "size": 0.5})
    assert "1/4 of the published size is nearest to this network" in said
    assert f"within 10% of those at the published size are {NAMES['y6']}; farther off" in said
    assert describe_preserved({"experiment": "1b", "size": 1.0}) == ()
