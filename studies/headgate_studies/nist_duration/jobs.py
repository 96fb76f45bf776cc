"""The runs: one condition of each experiment, briefly and in full, under each law."""

from __future__ import annotations

from itertools import product

from headgate.forms import make_law_keys
from headgate.lab import Job, Key, Setup, key_by_labels
from headgate_studies.mesonet import MesoNet

#: What makes the runs; every other setting is MesoNet's own.
OF_RUNS = ("experiments", "durations", "sizes", "size")
SHORT, PUBLISHED = "short", "published"


def jobs(setup: Setup) -> dict[Key, Job]:
    """Make every run; traffic is drawn alike for both durations and every law."""
    own = setup.settings
    common = {name: value for name, value in own.items() if name not in OF_RUNS}
    return key_by_labels(
        Job(
            MesoNet.from_dict(
                {
                    **common,
                    "experiment": experiment,
                    "duration": own["durations"][experiment][length],
                    "size": own["size"] * own["sizes"][experiment],
                    **make_law_keys(law),
                    "seed": seed,
                }
            ).scenario(),
            {"experiment": experiment, "length": length, "law": law, "seed": seed},
        )
        for seed, experiment, length, law in product(
            setup.seeds, own["experiments"], (SHORT, PUBLISHED), setup.laws
        )
    )
