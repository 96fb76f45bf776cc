"""What is kept of a run: responses and classes, and of its 350 links the busiest of each period."""

from __future__ import annotations

import numpy as np

from headgate import Result

#: Links of a period that are kept.
BUSIEST = 10


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
