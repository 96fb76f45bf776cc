"""The runs: each condition at each size, under each law, with each seed."""

from __future__ import annotations

from itertools import product
from typing import Any

from headgate.experiment.runs import Key, Setup, by_labels
from headgate.experiment.scales import fraction
from headgate.lab.jobs import Job
from headgate.mesonet import MesoNet
from headgate.scenario.control import law_keys

#: What makes the runs; every other setting is MesoNet's own.
OF_RUNS = ("sizes", "conditions", "size")


def jobs(setup: Setup) -> dict[Key, Job]:
    """Make every run; a seed's traffic is the same for every law."""
    own = setup.settings
    common = {name: value for name, value in own.items() if name not in OF_RUNS}
    return by_labels(
        Job(
            MesoNet.from_dict(
                {**common, **levels, "size": share(size), **law_keys(law), "seed": seed}
            ).scenario(),
            {"condition": name, "size": size, "law": law, "seed": seed},
        )
        for seed, (name, levels), size, law in product(
            setup.seeds, own["conditions"].items(), own["sizes"], setup.laws
        )
    )


def share(size: Any) -> float:
    """Read a size such as "1/40"; raise HeadgateError with what is allowed."""
    return fraction(str(size), f"sizes: {size!r} is not")
