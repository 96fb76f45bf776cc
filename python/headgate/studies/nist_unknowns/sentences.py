"""What the study says in plain sentences."""

from __future__ import annotations

import numpy as np

from headgate.studies.nist.sentences import balance
from headgate.studies.nist_unknowns.combinations import Combinations

#: What is asked of FAST and FAST-AT: response, sign and bound of its ratio to the others', words.
ASKED = (
    ("y10", 1, 1.1, "resends a tenth more than the others"),
    ("y5", 1, 1.0, "loses more"),
    ("connecting", 1, 1.0, "has more flows connecting"),
    ("y6", -1, 1.0, "completes fewer flows"),
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
