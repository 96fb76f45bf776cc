"""Whether this machine lets tests make live hosts; if not, they are skipped and say why."""

import sys
from functools import cache
from typing import Any

import pytest

import headgate
from headgate.engine.live.hosts import EmulationError

LIVE = {"kind": "live"}
LIVE_FILE = """
duration = "20 s"

[network]
kind = "dumbbell"
rate = "20 Mbit/s"
rtt = "20 ms"
buffer = "1 BDP"

[[traffic]]
kind = "live"
"""


@cache
def obstacle() -> str:
    """Say what keeps hosts from being made here; empty if nothing does."""
    if sys.platform != "linux":
        return f"live hosts need Linux, and this is {sys.platform}"
    try:
        with headgate.emulate(headgate.dumbbell(rate="10 Mbit/s", rtt="2 ms", flows=[LIVE])):
            return ""
    except EmulationError as error:
        return str(error)


def live_dumbbell(**keys: Any) -> headgate.Scenario:
    """Return a dumbbell whose traffic comes from programs."""
    network = {"rate": "20 Mbit/s", "rtt": "40 ms", "buffer": "50 packets", "duration": "60 s"}
    return headgate.dumbbell(flows=[LIVE], **(network | keys))


def require_hosts() -> None:
    """Skip the test if there can be no live hosts."""
    if why := obstacle():
        pytest.skip(why)
