"""The control of a mixed deployment: TCP in a law's place, beside TCP.

Both sides ask for different files, so that one gets more than the other whatever its law. Requests
depend on the seed and not on the law: what the control gets over TCP beside it is due to them, and
what a law gains is what it gets beyond that. All of this is ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headgate.forms import make_law_keys
from headgate_studies.mesonet.laws import nist_law_keys

#: What the runs of the control are called.
CONTROL = "tcp"
#: HighSpeed TCP is standard TCP up to its low window; its name tells these flows from TCP's.
STAND_IN: Mapping[str, Any] = {"name": "hstcp", "low_window": 10_000}


def mesonet_keys(law: str) -> dict[str, Any]:
    """Give MesoNet's key for a law, or for the control."""
    return {"law": dict(STAND_IN)} if law == CONTROL else make_law_keys(law)


def traffic_keys(law: str) -> dict[str, Any]:
    """Give the key of traffic for a law as NIST had it, or for the control."""
    return {"law": dict(STAND_IN)} if law == CONTROL else nist_law_keys(law)


def label(law: str) -> str:
    """Return what tables of a run call the flows of a law, or of the control."""
    return str(STAND_IN["name"]) if law == CONTROL else law
