"""`make fuzz`: many cases, kept track of in a file, so that a run that was stopped goes on.

Each finding is made small and kept in `tests/fuzz/cases`; `make test` runs it from then on.
"""

import argparse
import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from headgate import _native
from headgate.scenario.toml import write_toml

from .crew import ROOT, Answer, Child, Order, answers
from .draw import Scenario
from .scenarios import make
from .shrink import same, shrink

FOLDER = Path(__file__).parent
CASES = FOLDER / "cases"
#: Time between two lines of progress.
TELL_S = 10.0


def program() -> str:
    """Identify the engine and the generator: their findings hold for no others."""
    files = [Path(str(_native.__file__)), *sorted(FOLDER.glob("*.py"))]
    sums = b"".join(hashlib.sha256(file.read_bytes()).digest() for file in files)
    return hashlib.sha256(sums).hexdigest()[:8]


class Ledger:
    """The checked cases, one line for each; a line that was cut off is ignored."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text() if path.exists() else ""
        whole = text[: text.rfind("\n") + 1]
        self.done = [json.loads(line) for line in whole.splitlines()]
        path.write_text(whole)
        self.file = path.open("a")

    def write(self, answer: dict[str, Any]) -> None:
        self.done.append(answer)
        self.file.write(json.dumps(answer) + "\n")
        self.file.flush()


class Progress:
    """A line every few seconds: how far, how fast, how long still."""

    def __init__(self, done: int, cases: int) -> None:
        self.before, self.cases = done, cases
        self.begun_s = self.told_s = time.monotonic()

    def report(self, done: list[dict[str, Any]], last: bool = False) -> None:
        now_s = time.monotonic()
        if now_s - self.told_s < TELL_S and not last:
            return
        self.told_s = now_s
        rate = (len(done) - self.before) / max(now_s - self.begun_s, 1e-9)
        left_min = (self.cases - len(done)) / rate / 60 if rate else float("inf")
        kinds = ", ".join(
            f"{n} {kind}" for kind, n in Counter(a["kind"] for a in done).most_common()
        )
        found = sum(bool(answer["found"]) for answer in done)
        print(
            f"{len(done)} of {self.cases} cases ({kinds}), {found} with findings,"
            f" {rate:.1f} a second, {left_min:.0f} min left",
            flush=True,
        )


def keep(order: Order, answer: Answer) -> Path:
    """Make the case small, and keep it as a test."""
    what = answer["found"][0]
    child = Child()

    def holds(scenario: Scenario) -> bool:
        found = child.ask({**order, "scenario": scenario})["found"]
        return same(what) in map(same, found)

    whole = make(order["seed"]).scenario
    small = shrink(whole, holds) if holds(whole) else whole
    child.close()
    CASES.mkdir(exist_ok=True)
    path = CASES / f"seed-{order['seed']}.toml"
    write_toml(small, path)
    path.write_text(f"# {' '.join(what.split())[:200]}\n{path.read_text()}")
    return path


def fuzz(
    seeds: Iterable[int], ledger: Ledger, progress: Progress, args: argparse.Namespace
) -> None:
    orders = [{"seed": seed, "cpu_s": args.cpu} for seed in seeds]
    known = {same(found) for answer in ledger.done for found in answer["found"][:1]}
    for order, answer in answers(orders, args.workers):
        ledger.write({"seed": order["seed"], **answer})
        for found in answer["found"][:1]:
            if same(found) not in known:
                known.add(same(found))
                print(f"seed {order['seed']}: {found}\n  kept as {keep(order, answer)}", flush=True)
        progress.report(ledger.done)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000, help="number of cases")
    parser.add_argument("--seed", type=int, default=1, help="first case, in millions")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--cpu", type=float, default=2.0, help="CPU seconds a case")
    args = parser.parse_args()
    first = args.seed * 1_000_000
    ledger = Ledger(ROOT / "out" / "fuzz" / f"{args.seed}-{program()}.jsonl")
    done = {answer["seed"] for answer in ledger.done}
    seeds = [seed for seed in range(first, first + args.cases) if seed not in done]
    progress = Progress(len(done), args.cases)
    fuzz(seeds, ledger, progress, args)
    progress.report(ledger.done, last=True)
    return int(any(answer["found"] for answer in ledger.done))


if __name__ == "__main__":
    sys.exit(main())
