"""The runs of an experiment: MesoNet's parameters as settings, one scenario a law and condition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headgate import Scenario
from headgate.forms import make_law_keys
from headgate.lab import Job, Key, Setup
from headgate_studies.designed import jobs_of
from headgate_studies.mesonet import MesoNet
from headgate_studies.mesonet.parameters import BY_KEY

#: What a plan may vary: every parameter of MesoNet but the law, which is what is compared.
SETTINGS = frozenset(BY_KEY) - {"law"}


def scenario(settings: Mapping[str, Any], law: str) -> Scenario:
    """Make the scenario of one condition; settings are MesoNet's own keys."""
    return MesoNet.from_dict({**settings, **make_law_keys(law)}).scenario()


def jobs(setup: Setup) -> dict[Key, Job]:
    """Make every run: each law under each condition, with each seed."""
    return jobs_of(setup, scenario)
