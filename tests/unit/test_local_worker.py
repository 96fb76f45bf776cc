"""Workers of Dask on this machine: they ignore Ctrl-C, and log no failed heartbeat."""

import logging
import signal

import pytest

from headgate.lab.local_worker import dask_setup


def test_a_scheduler_that_is_gone_is_no_traceback(caplog: pytest.LogCaptureFixture) -> None:
    handler, log = signal.getsignal(signal.SIGINT), logging.getLogger("distributed.worker")
    before = list(log.filters)
    try:
        dask_setup(None)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        log.error("Failed to communicate with scheduler during heartbeat.")
        log.error("Unexpected exception during heartbeat. Closing worker.")
    finally:
        signal.signal(signal.SIGINT, handler)
        log.filters[:] = before
    assert [record.getMessage()[:10] for record in caplog.records] == ["Unexpected"]
