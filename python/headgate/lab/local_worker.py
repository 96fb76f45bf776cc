"""Set-up of Dask's workers on this machine; Dask preloads this module in each of them."""

from __future__ import annotations

import logging
import signal

#: What Dask logs of it.
HEARTBEAT_FAILED = "Failed to communicate with scheduler during heartbeat"


def dask_setup(_worker: object) -> None:
    """Leave Ctrl-C, and what follows from it, to the campaign.

    A terminal sends it to every process. The campaign then closes the scheduler, and a heartbeat to
    a closed scheduler would be logged with a traceback.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger("distributed.worker").addFilter(_is_no_heartbeat)


def _is_no_heartbeat(record: logging.LogRecord) -> bool:
    return not record.getMessage().startswith(HEARTBEAT_FAILED)
