"""The runs: MesoNet's settings, parameters of FAST and FAST-AT, and keys of the transport."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headgate import Scenario, catalog
from headgate.forms import write_number
from headgate.lab import Job, Key, Setup
from headgate_studies.designed import jobs_of
from headgate_studies.mesonet import MesoNet

FORM, ALPHA, THRESHOLDS = "fast_form", "fast_alpha", "fast_at_thresholds"
#: Settings that are keys of the transport.
TRANSPORT = ("receive_window", "recovery", "rtt_sampling")
#: Throughputs at which FAST-AT's alpha changes.
CHANGES_AT = ("up_mid", "up_high", "down_mid", "down_high")


def jobs(setup: Setup) -> dict[Key, Job]:
    """Make every run: each law in each combination."""
    return jobs_of(setup, scenario)


def scenario(settings: Mapping[str, Any], law: str) -> Scenario:
    """Make the scenario of a law in one combination."""
    own = {FORM, ALPHA, THRESHOLDS, *TRANSPORT}
    meso = {name: value for name, value in settings.items() if name not in own}
    made = MesoNet.from_dict({**meso, "law": {"name": law, **parameters(settings, law)}})
    return made.scenario().replaced({f"transport.{name}": settings[name] for name in TRANSPORT})


def parameters(settings: Mapping[str, Any], law: str) -> dict[str, Any]:
    """Return the parameters of a law that are not known."""
    form = {"variant": settings[FORM]}
    if law == "fast":
        return {**form, "alpha": settings[ALPHA]}
    if law == "fast-at":
        times = float(settings[THRESHOLDS])
        changes = [catalog.law(law).param(name) for name in CHANGES_AT]
        return form | {one.name: write_number(one, times * float(one.default)) for one in changes}
    return {}
