"""Set-up of Dask workers on this machine, which preload this module."""

from __future__ import annotations

import logging
import signal

HEARTBEAT_FAILED = "Failed to communicate with scheduler during heartbeat"


def dask_setup(_worker: object) -> None:
    """Leave Ctrl-C and its consequences to the campaign.

    A terminal sends it to every process. The campaign then closes the scheduler, and a heartbeat to
    a closed scheduler would be logged with a traceback.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger("distributed.worker").addFilter(
        lambda record: not record.getMessage().startswith(HEARTBEAT_FAILED)
    )
