"""The runs, and the responses measured: the source's 22, and three kinds of long-lived flows.

A condition of the design runs under its algorithm, or under both if the algorithm is not a factor.
Counts are per second: a count per interval would change with the interval, which is a factor (X18).
The source found X18 weak, so its counts cannot be per interval either.
"""

from collections.abc import Mapping
from typing import Any

from headgate import Result, Scenario, format_time_ps, parse_time_ps
from headgate.design import Factor
from headgate.figures import Roles
from headgate.lab import Job, Key, Setup
from headgate_studies.designed import jobs_of
from headgate_studies.nist import campaign
from headgate_studies.nist.responses import LONG_RATES, NUMBERED, WORSE, Numbers, ratio
from headgate_studies.nist.responses import TITLES as EVERY_TITLE
from headgate_studies.nist.responses import responses as all_of

#: The factor that is the algorithm itself.
CCA_FACTOR = "X15"
NAMES = (*NUMBERED, *LONG_RATES)
COUNTS = tuple(name for name, title in NUMBERED.items() if title.endswith(" / interval"))
TITLES = {name: EVERY_TITLE[name].replace(" / interval", " / s") for name in NAMES}


def scenario(settings: Mapping[str, Any], cca: str) -> Scenario:
    """Make the scenario of one condition; both levels of the duration are shortened alike."""
    others = {key: value for key, value in settings.items() if key != "time"}
    duration = round(parse_time_ps(settings["duration"]) * settings["time"])
    return campaign.scenario({**others, "duration": format_time_ps(duration)}, cca)


def jobs(setup: Setup) -> dict[Key, Job]:
    """Make every run; if the algorithm is a factor, a condition uses the algorithm of its level."""
    made = jobs_of(setup, scenario)
    cca_of = ccas(setup)
    return {key: job for key, job in made.items() if cca_of.get(str(key[0]), key[1]) == key[1]}


def ccas(setup: Setup) -> dict[str, str]:
    """Return the algorithm of each condition; nothing if the algorithm is no factor."""
    design = setup.design
    if CCA_FACTOR not in (factor.name for factor in design.factors):
        return {}
    return {design.label(c): str(design.settings(c)["cca"]) for c in range(len(design))}


def responses(result: Result, cca: str) -> dict[str, Numbers]:
    """Return the 25 responses, one value a period; long-lived flows by the mean of their kind.

    If X10 adds such flows, their sum would rise by their number alone.
    """
    measured, scenario = all_of(result, cca), result.meta["scenario"]
    found = {name: measured[name] for name in NAMES}
    interval_s = parse_time_ps(scenario["measure"]["interval"]) / 1e12
    found |= {name: found[name] / interval_s for name in COUNTS}
    found |= {"y7": _share(found, "y6"), "y9": _share(found, "y8")}
    traffic = scenario["traffic"]
    assert isinstance(traffic, list)
    flows = {
        str(entry["name"]).replace("long-lived ", "long_"): int(entry["count"])
        for entry in traffic
        if str(entry.get("name", "")).startswith("long-lived ")
    }
    return found | {name: found[name] / flows.get(name, 1) for name in LONG_RATES}


def _share(found: Mapping[str, Numbers], count: str) -> Numbers:
    """Return what the source calls a rate: a count over itself and the sources transmitting."""
    return ratio(found[count], found[count] + found["y1"])


def roles(factors: Mapping[str, Factor]) -> Roles:
    """Return the roles of the table: no CCA is compared here, it is a factor like the others."""
    titles = {name: factor.title for name, factor in factors.items()}
    return Roles.model_validate(
        {
            "responses": NAMES,
            "factors": tuple(factors),
            "condition": ("condition",),
            "period": "period",
            "congestion": "y10",
            "method": "one-way",  # as the source has it
            "titles": TITLES | titles,
            "worse": {name: way for name, way in WORSE.items() if name in NAMES},
        }
    )
