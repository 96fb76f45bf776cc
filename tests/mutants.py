"""`make mutants`: a seeded sample of small wrong changes, each of which some Rust test must notice.

cargo-mutants lists the changes, file by file; it cannot follow modules that a registry's macro
declares, so that they are made here. A change is caught if a test fails or does not end. One that
does not compile is replaced by the next in the sample's order.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[1]
#: Quick to build again after a change of a line; the arithmetic is that of any other build.
SETTINGS = (
    *("--config", "profile.simtest.opt-level=1"),
    *("--config", "profile.simtest.incremental=true"),
)
#: A change that is merely bad style still compiles.
ENV = {"RUSTFLAGS": "--cap-lints=allow"}
#: Of one test program: ten times what the dearest needs, so that an endless loop is cut.
CPU_S, KIB = 240, 4 << 20

Stage = tuple[str, ...]
#: Tests nearest to the change come first.
OF_ALGOS: tuple[Stage, ...] = (
    ("-p", "headgate-algos", "--lib"),
    ("-p", "headgate-algos", "--test", "controllers"),
    ("-p", "headgate-netsim", "-p", "headgate-lab"),
)
OF_PORTS: tuple[Stage, ...] = (
    ("-p", "headgate-netsim", "--lib"),
    ("-p", "headgate-netsim", "--test", "ports", "--test", "rates", "--test", "limits"),
    ("-p", "headgate-netsim", "--test", "oracle"),
    ("-p", "headgate-lab"),
)


@dataclass(frozen=True)
class Part:
    """Files, how many changes of them are drawn, and the tests that must notice."""

    name: str
    globs: tuple[str, ...]
    take: int
    stages: tuple[Stage, ...]


ALGOS, PORT = "crates/headgate-algos/src/", "crates/headgate-netsim/src/port/"
CCAS = (ALGOS + "control/**/*.rs", ALGOS + "parts/*.rs", ALGOS + "round.rs")
PARTS = [
    Part("ccas", CCAS, 200, OF_ALGOS),
    Part("disciplines", (ALGOS + "queue/*.rs",), 40, OF_ALGOS),
    Part("schemes", (ALGOS + "scheme/*.rs",), 30, OF_ALGOS),
    Part("ports", (PORT + "*.rs",), 40, OF_PORTS),
]


@dataclass(frozen=True)
class Mutant:
    """A change: what replaces the text between two places of a file, each a line and a column."""

    file: str
    what: str
    start: tuple[int, int]
    end: tuple[int, int]
    replacement: str
    #: Which of the changes of this file that are told by the same words.
    nth: int

    @property
    def name(self) -> str:
        return f"{self.file}:{self.start[0]}:{self.start[1]}: {self.what}"

    def rank(self, seed: int) -> str:
        """Give the place in the sample's order, which lines added elsewhere do not move."""
        return hashlib.sha256(f"{seed} {self.file} {self.what} {self.nth}".encode()).hexdigest()

    def apply(self, text: str) -> str:
        lines = text.splitlines(keepends=True)
        (first, left), (last, right) = self.start, self.end
        head = lines[first - 1][: left - 1]
        tail = lines[last - 1][right - 1 :]
        return "".join([*lines[: first - 1], head, self.replacement, tail, *lines[last:]])


def mutants_of(file: str, folder: Path) -> Iterator[Mutant]:
    """List what may be changed in a file."""
    command = ["cargo", "mutants", "--no-config", "--Zmutate-file", file, "--list", "--json"]
    listed = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
    seen: Counter[str] = Counter()
    for one in json.loads(listed):
        what, span = one["name"].split(": ", 1)[1], one["span"]
        start, end = ((place["line"], place["column"]) for place in (span["start"], span["end"]))
        yield Mutant(file, what, start, end, one["replacement"], seen[what])
        seen[what] += 1


def changes(part: Part, folder: Path) -> Iterator[Mutant]:
    """List what may be changed in the files of a part; files of tests are none of them."""
    found = {path for pattern in part.globs for path in folder.glob(pattern)}
    for path in sorted(path for path in found if path.name != "tests.rs"):
        yield from mutants_of(str(path.relative_to(folder)), folder)


class Tree:
    """A copy of the crates in which one change at a time is made and tested."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("Cargo.toml", "Cargo.lock", "crates"):
            mirror(ROOT / name, folder / name)

    def try_out(self, mutant: Mutant, stages: Iterable[Stage]) -> dict[str, str]:
        """Make the change, run the tests until one fails, take the change back."""
        path = self.folder / mutant.file
        text = path.read_text()
        path.write_text(mutant.apply(text))
        try:
            return self.outcome(stages)
        finally:
            path.write_text(text)

    def outcome(self, stages: Iterable[Stage]) -> dict[str, str]:
        for at, stage in enumerate(stages):
            programs = self.build(stage)
            if programs is None:
                return {"outcome": "caught" if at else "unviable", "by": "the compiler"}
            for program, folder in programs:
                if failed := first_failure(program, folder):
                    return {"outcome": "caught", "by": failed}
        return {"outcome": "survived"}

    def build(self, stage: Stage) -> list[tuple[str, str]] | None:
        """Build the test programs of a stage; each with the folder that it runs in."""
        command = [
            "cargo",
            "test",
            "--locked",
            "--quiet",
            "--profile",
            "simtest",
            *SETTINGS,
            *stage,
        ]
        built = subprocess.run(
            [*command, "--no-run", "--message-format=json"],
            cwd=self.folder,
            env=os.environ | ENV | {"CARGO_TARGET_DIR": str(self.folder / "target")},
            capture_output=True,
            text=True,
            check=False,
        )
        if built.returncode != 0:
            return None
        made = [json.loads(line) for line in built.stdout.splitlines() if line.startswith("{")]
        programs = [one for one in made if one.get("executable") and one["profile"]["test"]]
        return [(one["executable"], str(Path(one["manifest_path"]).parent)) for one in programs]


def mirror(source: Path, target: Path) -> None:
    """Make a copy; what has not changed keeps its time, so that it is not built again."""
    if source.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        names = {path.name for path in source.iterdir()}
        for path in [path for path in target.iterdir() if path.name not in names]:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for name in names:
            mirror(source / name, target / name)
    elif not target.exists() or target.read_bytes() != source.read_bytes():
        shutil.copy(source, target)


def first_failure(program: str, folder: str) -> str | None:
    """Run a test program until a test of it fails, and name that test."""
    limited = f'ulimit -c 0 -t {CPU_S} -v {KIB}; exec "$0" --test-threads 1'
    child = subprocess.Popen(
        ["sh", "-c", limited, program],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    under_way = Path(program).name
    with child:
        for line in child.stdout or []:
            if found := re.match(r"test (\S+).* \.\.\. ?(.*)", line):
                under_way = found[1]
                if found[2] not in ("ok", "ignored"):
                    child.kill()
                    return under_way
    return under_way if child.returncode else None


class Ledger:
    """What became of each change, a line each; what was caught once is not tried again."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text().splitlines() if path.exists() else []
        self.outcomes = {one["mutant"]: one for one in map(json.loads, lines)}
        self.file = path.open("a")

    def write(self, outcome: dict[str, str]) -> None:
        self.outcomes[outcome["mutant"]] = outcome
        self.file.write(json.dumps(outcome) + "\n")
        self.file.flush()

    def of(self, mutant: Mutant) -> str:
        return self.outcomes[mutant.name]["outcome"] if mutant.name in self.outcomes else "unknown"


class Sampler:
    """Draws changes of a part and tries them out, until as many as wanted compile."""

    def __init__(self, ledger: Ledger, trees: list[Tree]) -> None:
        self.ledger, self.folder = ledger, trees[0].folder
        self.idle: SimpleQueue[Tree] = SimpleQueue()
        for tree in trees:
            self.idle.put(tree)
        self.pool = ThreadPoolExecutor(len(trees))

    def sample(self, part: Part, seed: int) -> list[Mutant]:
        drawn = sorted(changes(part, self.folder), key=lambda mutant: mutant.rank(seed))
        tried: set[Mutant] = set()
        while True:
            chosen = [one for one in drawn if self.ledger.of(one) != "unviable"][: part.take]
            todo = [one for one in chosen if self.ledger.of(one) != "caught" and one not in tried]
            if not todo:
                return chosen
            for outcome in self.pool.map(lambda one: self.try_out(one, part.stages), todo):
                self.ledger.write(outcome)
                print(*outcome.values(), sep="  ", flush=True)
            tried.update(todo)

    def try_out(self, mutant: Mutant, stages: Iterable[Stage]) -> dict[str, str]:
        tree = self.idle.get()
        try:
            return {"mutant": mutant.name, **tree.try_out(mutant, stages)}
        finally:
            self.idle.put(tree)


def fail(sentence: str) -> NoReturn:
    sys.exit(f"mutants: {sentence}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--stages", type=int, help="how far from the change tests may be; all")
    order = parser.parse_args()
    if shutil.which("cargo-mutants") is None:
        fail("cargo-mutants is missing: install it (cargo install --locked cargo-mutants).")
    trees = [Tree(ROOT / "target" / "mutants" / str(worker)) for worker in range(order.workers)]
    sampler = Sampler(Ledger(ROOT / "out" / "mutants" / f"{order.seed}.jsonl"), trees)
    for part in (replace(part, stages=part.stages[: order.stages]) for part in PARTS):
        unchanged = trees[0].outcome(part.stages)
        if unchanged["outcome"] != "survived":
            fail(f"without any change the tests fail already ({unchanged['by']}).")
        sample = sampler.sample(part, order.seed)
        caught = sum(sampler.ledger.of(one) == "caught" for one in sample)
        print(f"{part.name}: {caught} of {len(sample)} caught", flush=True)


if __name__ == "__main__":
    main()
