"""Alike flows in both directions: each direction is the mirror image of the other, to the bit."""

from typing import Any

import pytest

from headgate import Scenario


def directions(cca: str, **network: Any) -> tuple[list[float], list[float]]:
    """Give the goodputs of five flows each way, and those of the way back."""
    dumbbell = {"kind": "dumbbell", "rate": "100 Mbit/s", "rtt": "80 ms", "buffer": "1000 packets"}
    result = Scenario.from_dict(
        {
            "seed": 1,
            "duration": "10 s",
            "network": dumbbell | network,
            "traffic": [
                {"kind": "flows", "name": name, "cca": cca, "count": 5, "reverse": name == "back"}
                for name in ("there", "back")
            ],
            "measure": {"series": "none"},
        }
    ).run()
    goodputs: dict[str, list[float]] = {"there": [], "back": []}
    for traffic, goodput in zip(result.flows["traffic"], result.flows["goodput_bps"], strict=True):
        goodputs[str(traffic).partition(".")[0]].append(float(goodput))
    return goodputs["there"], goodputs["back"]


@pytest.mark.parametrize("cca", ["reno", "cubic", "bbr", "fast", "htcp"])
def test_senders(cca: str) -> None:
    there, back = directions(cca)
    assert there == back
    assert min(there) > 0


@pytest.mark.parametrize("scheme", ["rcp", "vcp", "xcp"])
def test_routers(scheme: str) -> None:
    there, back = directions(scheme, feedback=scheme)
    assert there == back
    assert min(there) > 0


@pytest.mark.parametrize("scheme", ["rcp", "xcp"])
def test_routers_whose_timers_are_drawn_do_not_keep_step(scheme: str) -> None:
    there, back = directions(scheme, feedback={"name": scheme, "first_interval": "drawn"})
    assert there != back
    assert sum(there) == pytest.approx(sum(back), rel=0.1)
