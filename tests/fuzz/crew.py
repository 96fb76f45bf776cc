"""Child processes that check cases; one that dies is replaced, and what it held is a finding."""

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

#: A request to a child, and its answer.
Order = dict[str, Any]
Answer = dict[str, Any]


class Child:
    """One process. It is started when there is something to do."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[str] | None = None

    def ask(self, order: Order) -> Answer:
        if self.process is None:
            self.process = self._start()
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(json.dumps(order) + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        return json.loads(answer) if answer else self._died()

    def _start(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.fuzz.child"]
        pipe = subprocess.PIPE
        return subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            text=True,
            errors="replace",
            start_new_session=True,  # Ctrl-C is for the parent; without one their input ends
        )

    def _died(self) -> Answer:
        assert self.process is not None
        _, says = self.process.communicate()
        code, self.process = self.process.returncode, None
        last = says.strip().splitlines()[-1:] or ["it said nothing"]
        return {"kind": "died", "found": [f"the process ended with {code}: {last[0][:300]}"]}

    def close(self) -> None:
        if self.process is not None:
            self.process.communicate()


def answers(orders: Iterable[Order], workers: int) -> Iterator[tuple[Order, Answer]]:
    """Check cases in a number of processes; yield each with its answer as soon as it is ready."""
    waiting, done = iter(list(orders)), SimpleQueue[tuple[Order, Answer] | None]()

    def work(first: Order | None) -> None:
        child, order = Child(), first
        while order is not None:
            done.put((order, child.ask(order)))
            order = next(waiting, None)
        child.close()
        done.put(None)

    firsts = [next(waiting, None) for _ in range(workers)]
    with ThreadPoolExecutor(workers) as pool:
        threads = [pool.submit(work, first) for first in firsts]
        over = 0
        while over < workers:
            item = done.get()
            if item is None:
                over += 1
            else:
                yield item
        for thread in threads:
            thread.result()
