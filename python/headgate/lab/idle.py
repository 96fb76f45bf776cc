"""Says so when nobody works on the runs of a campaign, and ends it when nobody can come."""

from __future__ import annotations

import logging
import time

from headgate.base.errors import HeadgateError

log = logging.getLogger("headgate")

#: How long nobody may work on the campaign until a sentence says so.
WARN_S = 300.0


class IdleWatch:
    """Knows since when a campaign has no worker, and since when none works on it."""

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self._worker_seen_s = self._work_seen_s = time.monotonic()
        self._warned = False

    def look(self, workers: int, *, at_work: bool) -> None:
        """Note how many workers there are. Raises HeadgateError after too long without any."""
        now_s = time.monotonic()
        if workers:
            self._worker_seen_s = now_s
        if at_work:
            self._work_seen_s, self._warned = now_s, False
        if now_s - self._worker_seen_s > self._patience_s:
            raise HeadgateError(
                f"no worker of the cluster was there for {self._patience_s:.0f} s; the messages of"
                " Dask may say why. What is finished is stored, and the same command resumes it"
            )
        if now_s - self._work_seen_s > WARN_S and not self._warned:
            self._warned = True
            log.warning("%s", _describe(workers))


def _describe(workers: int) -> str:
    if not workers:
        return f"the cluster has had no worker for {WARN_S:.0f} s; the campaign waits for one"
    return (
        f"none of {workers} workers has worked on the campaign for {WARN_S:.0f} s: they may be"
        " paused, or work for others; the campaign waits for them"
    )
