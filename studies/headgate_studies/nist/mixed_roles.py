"""What the columns of the table of a mixed deployment are."""

from __future__ import annotations

import numpy as np

from headgate import Table
from headgate.design import Design
from headgate.figures import Pair, Roles
from headgate_studies.nist.competing import AVAILABLE, COLUMNS, column, title
from headgate_studies.nist.responses import NUMBERED
from headgate_studies.nist.roles import PERIODS, WORSE, of_design

#: Flows whose throughputs are drawn beside TCP's: what the source shows, and the ordinary ones.
PAIRED = (
    ("movie", "very fast", "fast"),
    ("movie", "fast", "normal"),
    ("movie", "typical", "normal"),
    ("service pack", "very fast", "fast"),
    ("service pack", "typical", "normal"),
    ("web object", "typical", "normal"),
)
NUMBERS = tuple(f"y{number}" for number in range(1, 17))


def roles(design: Design, table: Table) -> Roles:
    """Return the roles of the table of an experiment with TCP flows beside a replacement's.

    A throughput is a response if every run and period has one; in a miniature some have no flow.
    """
    known = [name for name in COLUMNS if np.isfinite(np.asarray(table[name], dtype=float)).all()]
    numbered = {name: f"{name} {NUMBERED[name]}" for name in NUMBERS}
    worse = {name: way for name, way in WORSE.items() if name in NUMBERS}
    shared = of_design(
        design,
        {**numbered, **{name: COLUMNS[name] for name in known}},
        worse | dict.fromkeys(known, "less"),
        {},
        PERIODS,
    )
    pairs = tuple(_pair(*cell) for cell in PAIRED)
    titles = {**shared.titles, **COLUMNS}
    return shared.model_copy(update={"before": None, "pairs": pairs, "titles": titles})


def _pair(file: str, path: str, interface: str) -> Pair:
    return Pair(
        title=title(file, path, interface),
        own=column(file, path, interface, "own"),
        other=column(file, path, interface, "tcp"),
        available=AVAILABLE[path, interface],
    )
