"""The laws as NIST's simulator had them, where that is not how they are by default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headgate.scenario.control import law_keys

#: FAST as in ns-2, which the source names: it doubles whenever the queue is empty, without an end.
PARAMS: Mapping[str, Mapping[str, str]] = {
    "fast": {"variant": "simple"},
    "fast-at": {"variant": "simple"},
}


def nist_law_keys(law: str) -> dict[str, Any]:
    """Return the key of traffic that names a law as NIST had it, or a law of one's own."""
    return {"law": {"name": law, **PARAMS[law]}} if law in PARAMS else law_keys(law)
