"""What the study of sizes says in plain sentences."""

from __future__ import annotations

from headgate.studies.nist_scale.preserved import NEAR, sort_responses
from headgate.studies.nist_scale.sizes import NAMES, Sizes


def sentences(of: Sizes) -> tuple[str, ...]:
    """Say of each size how much of the largest it keeps."""
    return tuple(_size(of, size) for size in of.sizes[:-1])


def _size(of: Sizes, size: str) -> str:
    found = sort_responses(of, size)
    return (
        f"At {size} of the published size, {len(found.kept)} of {len(NAMES)} responses are within"
        f" {NEAR:.0%} of those at {of.sizes[-1]} under every condition, {len(found.moved)} are not"
        f" under some, and for {len(found.untold)} the replicates cannot tell."
    )
