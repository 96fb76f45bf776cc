"""Files that were still unfinished at the end of a run: mean completion times leave them out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headgate.engine.api import Result

#: Key of a run's `run.json`: the numbers of its unfinished files and of all its files.
UNFINISHED = "unfinished"
#: Columns of completion times, which an unfinished file lacks.
COMPLETION_TIMES = ("fct_receiver_s", "fct_sender_s", "fct_sum_s", "mean_fct_s")
Count = tuple[int, int]


def count_unfinished(result: Result) -> Count:
    """Count the unfinished files of a run and all files, as recorded or from its table of flows.

    Files that ended before the warm-up did are left out, as are endless flows. Without a table of
    flows the counts are 0.
    """
    if UNFINISHED in result.meta:
        unfinished, files = result.meta[UNFINISHED]
        return int(unfinished), int(files)
    if "flows" not in tuple(result.tables):
        return 0, 0
    flows = result.tables["flows"]
    files = (flows["size_packets"] > 0) & (flows["active_s"] > 0)
    is_open = np.isin(flows["status"], ("connecting", "running"))
    return int((files & is_open).sum()), int(files.sum())


def compute_share(replicates: Sequence[Count]) -> float:
    """Return the share of unfinished files in all replicates of a condition; 0 without files."""
    files = sum(of_run for _, of_run in replicates)
    return sum(unfinished for unfinished, _ in replicates) / files if files else 0.0
