"""The study `nist-unknowns`: its runs, and what each finding depends on."""

from __future__ import annotations

import numpy as np

from headgate.figures import Heat, draw_heat
from headgate.lab import Analysis, Picture, Runs
from headgate_studies.nist import replaced
from headgate_studies.nist.keep import keep
from headgate_studies.nist.responses import TITLES
from headgate_studies.nist.sentences import balance
from headgate_studies.nist_unknowns.combinations import Combinations
from headgate_studies.nist_unknowns.runs import jobs

__all__ = ["analyse", "jobs", "keep", "prepare"]

#: What is asked of FAST and FAST-AT: response, sign and bound of its ratio to the others', words.
ASKED = (
    ("y10", 1, 1.1, "resends a tenth more than the others"),
    ("y5", 1, 1.0, "loses more"),
    ("connecting", 1, 1.0, "has more flows connecting"),
    ("y6", -1, 1.0, "completes fewer flows"),
)

#: The largest change that colours tell apart: twice as much, or half.
LARGEST = np.log(2)


def prepare(runs: Runs) -> Combinations:
    """Measure the responses of finished runs."""
    return Combinations(replaced.prepare(runs))


def analyse(of: Combinations) -> Analysis:
    """Say of each finding where it holds, and draw what each setting does to it."""
    return Analysis(
        sentences=sentences(of),
        pictures=(draw_effects(of),),
        data=(of.experiment.table,),
        roles=of.experiment.roles,
    )


def draw_effects(of: Combinations) -> Picture:
    """Draw what the high level of each setting does to a law's response over the others'."""
    rows = [(law, name) for law in ("fast", "fast-at") if law in of.experiment.laws
            for name, *_ in ASKED]  # fmt: skip
    effects = [of.effects(name, law) for law, name in rows]
    values = np.log([list(effect.values()) for effect in effects])
    panel = Heat(
        "", values, list(of.columns), -LARGEST, LARGEST, colours="PuOr", scale=100,
        label="100 x ln(ratio at high over ratio at low)",
    )  # fmt: skip
    return Picture(
        "unknowns",
        "What each unknown setting does to each finding",
        "A law's response over the median of reno, BIC and CTCP, second period: 100 times the"
        " logarithm of that at a setting's high level over that at its low one, mean over the"
        " combinations.",
        draw_heat([f"{law}: {TITLES[name]}" for law, name in rows], [panel]),
    )


def sentences(of: Combinations) -> tuple[str, ...]:
    """Say where each finding on FAST and FAST-AT holds, and how well counts add up."""
    laws = [law for law in ("fast", "fast-at") if law in of.experiment.laws]
    told = [
        f"{law} {words}: {of.describe(np.asarray(sign * (of.ratios(name, law) - bound) > 0))}."
        for law in laws
        for name, sign, bound, words in ASKED
    ]
    return (*told, balance(of.experiment.runs.results.values()))
