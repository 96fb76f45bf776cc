"""The laws as the studies of NIST's experiments run them, where that is not the default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headgate.forms import make_law_keys

#: FAST doubles whenever the queue is empty, without an end. The source does not say which form of
#: FAST it ran. With this one FAST loses and resends more under congestion, as the source reports;
#: with the form of FAST's own paper it does not (docs/results/nist-replaced.md).
#: H-TCP adds fractions of a segment, as its equations do; the count of segments is Linux's.
PARAMS: Mapping[str, Mapping[str, str]] = {
    "fast": {"variant": "simple"},
    "fast-at": {"variant": "simple"},
    "htcp": {"variant": "paper"},
}


def nist_law_keys(law: str) -> dict[str, Any]:
    """Return the key of traffic that names a law as these studies run it, or a user-defined law."""
    return {"law": {"name": law, **PARAMS[law]}} if law in PARAMS else make_law_keys(law)
