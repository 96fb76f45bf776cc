"""What every test can count on, and how a test that hangs or crashes is ended.

A test that exceeds its limit fails (pytest-timeout, by a signal). A test that no signal reaches is
ended with its process, and the other tests of its file go on in another one.
"""

import faulthandler
import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest

try:
    from xdist.scheduler import LoadFileScheduling
except ImportError:  # then all tests run in this process
    LoadFileScheduling = object

#: A test that is still running after this many times its limit is ended with its process.
ENDED_AFTER = 1.5

_stderr = pytest.StashKey[int]()


@pytest.fixture(autouse=True, scope="session")
def interruptible() -> None:
    """Ctrl-C works, also for programs started here, although a background shell ignores it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    _let_programs_import_tests(config)
    config.stash[_stderr] = os.dup(2)  # while pytest captures it, the stacks would be lost


def _let_programs_import_tests(config: pytest.Config) -> None:
    """Programs started here import from tests/ too, also where PYTHONSAFEPATH hides the folder."""
    paths = [str(config.rootpath), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Print the stacks of all threads and end the process if a test ignores its limit."""
    limit_s = ENDED_AFTER * _limit_s(item)
    if limit_s > 0:
        file = item.config.stash[_stderr]
        faulthandler.dump_traceback_later(limit_s, exit=True, file=file)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


def _limit_s(item: pytest.Item) -> float:
    marker = item.get_closest_marker("timeout")
    if marker is not None and marker.args:
        return float(marker.args[0])
    given = item.config.getoption("timeout", None)
    return float(item.config.getini("timeout") or 0.0) if given is None else float(given)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Replace the scheduling of `--dist loadfile`."""
    return _FailOnceScheduling(config, log) if config.getvalue("dist") == "loadfile" else None


class _FailOnceScheduling(LoadFileScheduling):
    """A test that takes its process down fails; the process's other tests go to another one.

    xdist gives the test to the next process, which it takes down too. xdist also hands out the
    finished files of the dead process; nothing reports their end, and pytest waits for it forever.
    """

    def remove_node(self, node: Any) -> str | None:
        files = self.assigned_work[node]
        pending = [(tests, test) for tests in files.values() for test in tests if not tests[test]]
        if pending:
            tests, crashed = pending[0]
            tests[crashed] = True
        self.assigned_work[node] = {
            file: tests for file, tests in files.items() if not all(tests.values())
        }
        super().remove_node(node)
        return pending[0][1] if pending else None
