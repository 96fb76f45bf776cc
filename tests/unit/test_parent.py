"""A process that ends with the one that started it."""

import subprocess
import sys
import time
from pathlib import Path

#: The child prints its number, calls `end_with_parent`, and waits; {ends} first ends the parent.
PROGRAM = """
import os, sys, time
from headgate.base.process import end_with_parent
parent = os.getpid()
if os.fork():
    {ends}
    time.sleep(600)
{waits}
sys.stdout.write(str(os.getpid()) + "\\n")
sys.stdout.flush()
end_with_parent(parent)
sys.stdout.write("lives\\n")
sys.stdout.flush()
time.sleep(600)
"""


def is_over(process_id: int) -> bool:
    until_s = time.monotonic() + 30
    while Path(f"/proc/{process_id}").exists() and time.monotonic() < until_s:
        time.sleep(0.02)
    return not Path(f"/proc/{process_id}").exists()


def begin(ends: str, waits: str) -> "subprocess.Popen[str]":
    code = PROGRAM.format(ends=ends, waits=waits)
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)


def test_a_child_is_killed_with_its_parent() -> None:
    with begin("pass", "pass") as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert parent.stdout.readline() == "lives\n"
        assert Path(f"/proc/{child}").exists()
        parent.kill()
    assert is_over(child)


def test_a_child_whose_parent_is_over_by_then_ends_at_once() -> None:
    with begin("os._exit(0)", "while os.getppid() == parent: time.sleep(0.01)") as parent:
        assert parent.stdout is not None
        child, *lives = parent.stdout.read().split()
    assert not lives
    assert is_over(int(child))
