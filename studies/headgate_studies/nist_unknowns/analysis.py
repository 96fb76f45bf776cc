"""The study `nist-unknowns`: its runs, and the settings on which each finding depends."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from headgate import Scenario, catalog
from headgate.figures import Heat, draw_heat
from headgate.forms import write_number
from headgate.lab import Analysis, Job, Key, Picture, PicturesLater, Runs, Setup
from headgate_studies.designed import jobs_of
from headgate_studies.mesonet import MesoNet
from headgate_studies.nist import replaced
from headgate_studies.nist.campaign import keep
from headgate_studies.nist.responses import TITLES
from headgate_studies.nist.summary import balance
from headgate_studies.nist_unknowns.findings import Combinations

__all__ = ["analyse", "jobs", "keep", "prepare"]

#: The statements on FAST and FAST-AT: response, sign and bound of its ratio to the others', words.
ASKED = (
    ("y10", 1, 1.1, "resends a tenth more than the others"),
    ("y5", 1, 1.0, "loses more"),
    ("connecting", 1, 1.0, "has more flows connecting"),
    ("y6", -1, 1.0, "completes fewer flows"),
)
#: The largest change that colours distinguish: twice as much, or half.
LARGEST = np.log(2)
FORM, ALPHA, THRESHOLDS = "fast_form", "fast_alpha", "fast_at_thresholds"
#: Settings that are keys of the transport.
TRANSPORT = ("receive_window", "recovery", "rtt_sampling")
#: Throughputs at which FAST-AT's alpha changes.
CHANGES_AT = ("up_mid", "up_high", "down_mid", "down_high")


def prepare(runs: Runs) -> Combinations:
    """Measure the responses of finished runs."""
    return Combinations(replaced.prepare(runs))


def analyse(of: Combinations) -> Analysis:
    """State the settings for which each finding holds, and draw the effect of each setting."""
    return Analysis(
        sentences=sentences(of),
        pictures=PicturesLater(lambda: (draw_effects(of),)),
        data=(of.experiment.table,),
        roles=of.experiment.roles,
    )


def draw_effects(of: Combinations) -> Picture:
    """Draw what the high level of each setting does to an algorithm's response over the others'."""
    rows = [(cca, name) for cca in ("fast", "fast-at") if cca in of.experiment.ccas
            for name, *_ in ASKED]  # fmt: skip
    effects = [of.effects(name, cca) for cca, name in rows]
    values = np.log([list(effect.values()) for effect in effects])
    panel = Heat(
        "", values, list(of.columns), -LARGEST, LARGEST, colours="PuOr", scale=100,
        label="100 x ln(ratio at high over ratio at low)",
    )  # fmt: skip
    return Picture(
        "unknowns",
        "What each unknown setting does to each finding",
        "An algorithm's response over the median of reno, BIC and CTCP, second period: 100 times"
        " the logarithm of that at a setting's high level over that at its low one, mean over the"
        " combinations.",
        draw_heat([f"{cca}: {TITLES[name]}" for cca, name in rows], [panel]),
    )


def sentences(of: Combinations) -> tuple[str, ...]:
    """State the settings for which each finding on FAST and FAST-AT holds, and check the counts."""
    ccas = [cca for cca in ("fast", "fast-at") if cca in of.experiment.ccas]
    listed = [
        f"{cca} {words}: {of.describe(np.asarray(sign * (of.ratios(name, cca) - bound) > 0))}."
        for cca in ccas
        for name, sign, bound, words in ASKED
    ]
    return (*listed, balance(of.experiment.runs.results.values()))


def jobs(setup: Setup) -> dict[Key, Job]:
    """Make every run: each algorithm in each combination."""
    return jobs_of(setup, scenario)


def scenario(settings: Mapping[str, Any], cca: str) -> Scenario:
    """Make the scenario of an algorithm in one combination."""
    own = {FORM, ALPHA, THRESHOLDS, *TRANSPORT}
    meso = {name: value for name, value in settings.items() if name not in own}
    made = MesoNet.from_dict({**meso, "cca": {"name": cca, **parameters(settings, cca)}})
    return made.scenario().replaced({f"transport.{name}": settings[name] for name in TRANSPORT})


def parameters(settings: Mapping[str, Any], cca: str) -> dict[str, Any]:
    """Return the parameters of an algorithm that are not known."""
    form = {"variant": settings[FORM]}
    if cca == "fast":
        return {**form, "alpha": settings[ALPHA]}
    if cca == "fast-at":
        times = float(settings[THRESHOLDS])
        changes = [catalog.cca(cca).param(name) for name in CHANGES_AT]
        return form | {one.name: write_number(one, times * float(one.default)) for one in changes}
    return {}
