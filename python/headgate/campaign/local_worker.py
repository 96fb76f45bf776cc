"""What a worker of Dask on this machine is told as it begins: Dask preloads this module."""

from __future__ import annotations

import logging
import signal


def dask_setup(_worker: object) -> None:
    """Leave Ctrl-C, and what follows from it, to the campaign.

    A terminal sends it to every process, and a campaign that ends closes the scheduler; what asks a
    scheduler that is gone for a sign of life would write a traceback.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger("distributed.worker").addFilter(_is_no_heartbeat)


def _is_no_heartbeat(record: logging.LogRecord) -> bool:
    return not record.getMessage().startswith("Failed to communicate with scheduler during")
