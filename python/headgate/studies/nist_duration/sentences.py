"""What the study of durations says in plain sentences."""

from __future__ import annotations

from headgate.studies.nist_duration.durations import NAMES, Durations

NEAR = 0.1


def sentences(of: Durations) -> tuple[str, ...]:
    """Say of each experiment how much of it a short run keeps."""
    return tuple(_count_kept(of, experiment) for experiment in of.experiments)


def _count_kept(of: Durations, experiment: str) -> str:
    kept = [
        name
        for name in NAMES
        if all(abs(of.ratio(name, experiment, law) - 1) <= NEAR for law in of.laws)
    ]
    times = of.setup.settings["durations"][experiment]
    return (
        f"Of {experiment} in {times['short']}, {len(kept)} of {len(NAMES)} responses of the second"
        f" period are within {NEAR:.0%} of those in {times['published']} under every law."
    )
