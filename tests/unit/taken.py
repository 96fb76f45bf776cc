"""The cost of a program: its exit code, CPU time and peak of memory."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

#: Runs a program and prints its cost. A process's peak of memory starts at that of its parent,
#: so the parent is this small program and not the tests.
LAUNCHER = (
    "import json, os, sys; pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ,"
    " file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]);"
    "_, status, used = os.wait4(pid, 0);"
    "print(json.dumps([os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime,"
    " 1024 * used.ru_maxrss]))"
)


@dataclass(frozen=True)
class Took:
    code: int
    cpu_s: float
    peak_bytes: int


def taken(*words: str | Path) -> Took:
    """Run a program; return its exit code, CPU time and memory."""
    launcher = [sys.executable, "-I", "-S", "-c", LAUNCHER, *map(str, words)]
    done = subprocess.run(launcher, capture_output=True, text=True, check=True)
    return Took(*json.loads(done.stdout))
