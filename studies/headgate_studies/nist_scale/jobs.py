"""The runs: each condition at each size, under each law, with each seed."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

from headgate import HeadgateError
from headgate.forms import make_law_keys
from headgate.lab import Job, Key, Setup, key_by_labels
from headgate_studies.mesonet import MesoNet

#: What makes the runs; every other setting is MesoNet's own.
OF_RUNS = ("sizes", "conditions", "size")


def jobs(setup: Setup) -> dict[Key, Job]:
    """Make every run; a seed's traffic is the same for every law."""
    own = setup.settings
    common = {name: value for name, value in own.items() if name not in OF_RUNS}
    return key_by_labels(
        Job(
            MesoNet.from_dict(
                {**common, **levels, "size": share(size), **make_law_keys(law), "seed": seed}
            ).scenario(),
            {"condition": name, "size": size, "law": law, "seed": seed},
        )
        for seed, (name, levels), size, law in product(
            setup.seeds, own["conditions"].items(), own["sizes"], setup.laws
        )
    )


def share(size: Any) -> float:
    """Read a size such as "1/40"; raise HeadgateError with what is allowed."""
    try:
        found = float(Fraction(str(size)))
    except (ValueError, ZeroDivisionError):
        found = 0.0
    if not 0 < found <= 1:
        raise HeadgateError(
            f"sizes: {size!r} is not a fraction above 0 and up to 1, such as '1/20'"
        )
    return found
