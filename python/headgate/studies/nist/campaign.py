"""The runs of an experiment: MesoNet's parameters as settings, one scenario a law and condition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headgate.engine.api import Scenario
from headgate.experiment.designed import jobs_of
from headgate.experiment.runs import Key, Setup
from headgate.lab.jobs import Job
from headgate.mesonet import MesoNet
from headgate.mesonet.parameters import BY_KEY
from headgate.scenario.control import law_keys

#: What a plan may vary: every parameter of MesoNet but the law, which is what is compared.
SETTINGS = frozenset(BY_KEY) - {"law"}


def scenario(settings: Mapping[str, Any], law: str) -> Scenario:
    """Make the scenario of one condition; settings are MesoNet's own keys."""
    return MesoNet.from_dict({**settings, **law_keys(law)}).scenario()


def jobs(setup: Setup) -> dict[Key, Job]:
    """Make every run: each law under each condition, with each seed."""
    return jobs_of(setup, scenario)
