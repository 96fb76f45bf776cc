"""The runs: each condition of the design under its law, or under both if the law is no factor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headgate import Scenario, format_time_ps, parse_time_ps
from headgate.lab import Job, Key, Setup
from headgate_studies.designed import jobs_of
from headgate_studies.nist import campaign

#: The factor that is the law itself.
LAW_FACTOR = "X15"


def scenario(settings: Mapping[str, Any], law: str) -> Scenario:
    """Make the scenario of one condition; both levels of the duration are shortened alike."""
    others = {key: value for key, value in settings.items() if key != "time"}
    duration = round(parse_time_ps(settings["duration"]) * settings["time"])
    return campaign.scenario({**others, "duration": format_time_ps(duration)}, law)


def jobs(setup: Setup) -> dict[Key, Job]:
    """Make every run; where the law is a factor, a condition has the law of its level."""
    made = jobs_of(setup, scenario)
    law_of = laws(setup)
    return {key: job for key, job in made.items() if law_of.get(str(key[0]), key[1]) == key[1]}


def laws(setup: Setup) -> dict[str, str]:
    """Return the law of each condition; nothing where the law is no factor."""
    design = setup.design
    if LAW_FACTOR not in (factor.name for factor in design.factors):
        return {}
    return {design.label(c): str(design.settings(c)["law"]) for c in range(len(design))}
