"""The runs of an experiment: one scenario for each algorithm and condition, and the tables kept."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from headgate import Result, Scenario
from headgate.lab import Job, Key, Setup
from headgate_studies.designed import jobs_of
from headgate_studies.mesonet import MesoNet
from headgate_studies.mesonet.parameters import BY_KEY

#: The settings that a plan may vary: every parameter of MesoNet except the algorithm.
SETTINGS = frozenset(BY_KEY) - {"cca"}
#: Links of a period that are kept.
BUSIEST = 10


def scenario(settings: Mapping[str, Any], cca: str) -> Scenario:
    """Make the scenario of one condition; settings are MesoNet's own keys."""
    return MesoNet.from_dict({**settings, "cca": cca}).scenario()


def jobs(setup: Setup) -> dict[Key, Job]:
    """Make every run: each algorithm under each condition, with each seed."""
    return jobs_of(setup, scenario)


def keep(result: Result) -> Result:
    """Leave out ports, and all links but the busiest of each period: nine tenths of its size."""
    links = result.tables["links"]
    order = np.lexsort((-links["utilisation"], links["period"]))
    rank = np.arange(len(links)) - np.searchsorted(links["period"][order], links["period"][order])
    tables = {
        **result.tables,
        "ports": result.ports.where(slice(0, 0)),
        "links": links.where(order[rank < BUSIEST]),
    }
    return Result(tables, result.meta)
