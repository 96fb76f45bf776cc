"""What every test can count on."""

import signal

import pytest


@pytest.fixture(autouse=True, scope="session")
def interruptible() -> None:
    """Ctrl-C works, also for programs started here, where a background shell has had it ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
