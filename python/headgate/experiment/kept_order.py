"""The order of levels of a finished experiment, from the file that is kept beside its runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from headgate.base.errors import HeadgateError
from headgate.base.files import read_toml_file
from headgate.base.level_order import LevelOrder
from headgate.design.file import SAMPLES
from headgate.experiment.conditions import label_levels, order_levels
from headgate.experiment.form import ExperimentFile

FILE = "experiment.toml"


def read_order(folder: Path) -> LevelOrder:
    """Return the levels of each factor in the order of the file; none for what has no such file."""
    try:
        file = ExperimentFile.from_dict(read_toml_file(folder / FILE))
    except HeadgateError:
        return LevelOrder()  # a study, or a file of another version: levels are sorted by size
    listed = [f for f in file.make_factors() if not (file.kind in SAMPLES and f.numeric)]
    return order_levels(
        {
            factor.name: label_levels(factor, np.linspace(-1, 1, len(factor.levels) or 2))
            for factor in listed
        }
    )
