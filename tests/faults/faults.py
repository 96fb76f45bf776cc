"""A campaign of faults: kills, full disks, wrong bits, little memory, machines whose clocks differ.

    python tests/faults/faults.py [--share 0.1] [--seed 1] [--only memory]

Each case puts one fault into a campaign of two runs in a separate folder, then starts the same
campaign once more without a fault. It passes if no traceback was printed, the digest of every run
equals that without faults, no finished run was repeated, and no temporary file remains. Finished
cases are kept in out/faults/seed-N.jsonl, and the next start skips them. At the end the table of
docs/reference/reliability.md is rewritten. `--share` selects a part of each kind, and `--only` the
kinds whose names contain a word.
"""

from __future__ import annotations

import argparse
import json
import mmap
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
KEPT = Path("out/faults")
KILLS, SIZES, MEMORIES = 200, 300, 40
#: Sizes of a full file system: from one that holds nothing to one that holds all, in KiB.
LEAST_KIB, MOST_KIB = 16, 360


@dataclass(frozen=True)
class Case:
    """One fault that was put in, how the campaign ended, and what was found wrong afterwards."""

    kind: str
    number: int
    ended: str = ""
    found: tuple[str, ...] = ()


class Control:
    """Tells the shim what to do: nothing, no space from a call on, or a kill at it."""

    NO_SPACE, KILL = 1, 2

    def __init__(self) -> None:
        with open(os.environ["FAULTS_CONTROL"], "r+b") as file:
            self._words = mmap.mmap(file.fileno(), 24)

    def set(self, at: int = 0, what: int = 0) -> None:
        self._words[:] = struct.pack("lll", 0, at, what)

    @property
    def count(self) -> int:
        return int(struct.unpack("lll", self._words[:])[0])


class Faults:
    """The cases, each from its number and the seed alone."""

    def __init__(self, root: Path, seed: int) -> None:
        import small

        self.small, self.root, self.seed = small, root, seed
        self.log = root.with_name("log")
        self.asked = small.jobs()
        self.control = Control()
        self.control.set()
        self.right, self.whole_s, self.writes = self._without_a_fault()

    def _without_a_fault(self) -> tuple[dict[str, str], float, int]:
        folder, begun_s = self.root / "whole", time.monotonic()
        done = self._campaign(folder)
        assert done.code == 0, done.said
        took_s, writes = time.monotonic() - begun_s, self.control.count
        digests = self.small.digests(folder)
        assert len(digests) == len(self.asked)
        return digests, took_s, writes

    def _campaign(self, folder: Path, begun: Callable[[int], None] = int, apart: bool = False):
        hands = self.small.apart if apart else self.small.Here
        work = partial(self.small.campaign, folder, self.asked, hands)
        return self.small.forked(work, self.log, begun)

    def kinds(self) -> dict[str, tuple[int, Callable[[int, Path], Case]]]:
        """Give every kind of fault with its number of cases."""
        files = sum(path.is_file() for path in (self.root / "whole" / "runs").rglob("*"))
        return {
            "kill -9 at a random moment": (KILLS, self.killed),
            "no space from the N-th writing call on": (self.writes, self.no_space),
            "a full file system of a random size": (SIZES, self.full),
            "a wrong bit in a file of a run": (files, self.wrong_bit),
            "a limit of memory": (MEMORIES, self.short_of_memory),
        }

    def chance(self, kind: str, number: int) -> random.Random:
        return random.Random(f"{self.seed} {kind} {number}")

    def killed(self, number: int, folder: Path) -> Case:
        """Kill by the clock or at a writing call, in one process or with runs apart."""
        chance = self.chance("kill", number)
        apart = number % 4 == 3
        if number % 2:
            after_s = chance.uniform(0, (2.0 if apart else 1.0) * self.whole_s)
            ended = self._campaign(folder, partial(_kill_later, after_s), apart)
        else:
            self.control.set(chance.randint(1, self.writes), Control.KILL)
            ended = self._campaign(folder, apart=apart)
        return self._judged(Case("kill", number), ended, folder)

    def no_space(self, number: int, folder: Path) -> Case:
        self.control.set(number + 1, Control.NO_SPACE)
        return self._judged(Case("no space", number), self._campaign(folder), folder)

    def full(self, number: int, folder: Path) -> Case:
        kib = self.chance("size", number).randint(LEAST_KIB, MOST_KIB)
        folder.mkdir()
        _mount(folder, f"size={kib}k")
        try:
            ended = self._campaign(folder)
            _mount(folder, "remount,size=64m")
            return self._judged(Case("size", number), ended, folder)
        finally:
            subprocess.run(["umount", folder], check=True)

    def wrong_bit(self, number: int, folder: Path) -> Case:
        """Turn one bit of a finished store; only the run that has it may be made again."""
        shutil.copytree(self.root / "whole", folder)
        path = sorted(p for p in (folder / "runs").rglob("*") if p.is_file())[number]
        data, chance = bytearray(path.read_bytes()), self.chance("bit", number)
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(data)
        ended = self.small.Ended(0, "")
        return self._judged(Case("bit", number), ended, folder, but=path.parent.name)

    def short_of_memory(self, number: int, folder: Path) -> Case:
        more = self.chance("memory", number).randint(1, 400) << 20
        work = partial(_limited, more, self.small.campaign, folder, self.asked)
        ended = self.small.forked(work, self.log)
        return self._judged(Case("memory", number), ended, folder)

    def _judged(self, case: Case, ended, folder: Path, but: str = "") -> Case:
        """Start again without a fault, and see what is wrong then."""
        self.control.set()
        before = {run: at for run, at in self.small.stamps(folder).items() if run != but}
        again = self._campaign(folder)
        after, digests = self.small.stamps(folder), self.small.digests(folder)
        checks = {
            f"the next start ended with {again.code}": again.code == 0,
            "a traceback": "Traceback" not in ended.said + again.said,
            "another digest, or a run is lost": digests == self.right,
            "a run was made twice": before.items() <= after.items(),
            "something is left over": not _left_over(folder),
        }
        found = tuple(name for name, right in checks.items() if not right)
        if found:
            shutil.copytree(folder, KEPT / f"{case.kind} {case.number}", dirs_exist_ok=True)
            (KEPT / f"{case.kind} {case.number}.txt").write_text(ended.said + again.said)
        return replace(case, ended=_how(ended.code), found=found)


def _limited(more: int, work: Callable[..., int], *given: object) -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * mmap.PAGESIZE + more
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    return work(*given)


def _kill_later(after_s: float, process: int) -> None:
    def kill() -> None:
        for send in (os.killpg, os.kill):  # its group may not exist yet
            try:
                send(process, signal.SIGKILL)
            except ProcessLookupError:
                continue
            break

    threading.Timer(after_s, kill).start()


def _mount(folder: Path, options: str) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=True)


def _left_over(folder: Path) -> list[Path]:
    """List drafts, claims, attempts, failures, snapshots and hidden files, but the store's lock."""
    kinds = ("drafts/*", "running/*", "attempts/*", "failed/*", "snapshots/*", "**/.*")
    found = [path for kind in kinds for path in folder.glob(kind)]
    return [path for path in found if path != folder / ".lock"]


def _how(code: int) -> str:
    if code < 0:
        return "killed"
    return "done" if code == 0 else "told"


def run(seed: int, share: float, only: str) -> list[Case]:
    """Make the cases that were not made yet; return all."""
    KEPT.mkdir(parents=True, exist_ok=True)
    kept = KEPT / f"seed-{seed}.jsonl"
    lines = kept.read_text().splitlines() if kept.exists() else []
    done = [Case(**{**one, "found": tuple(one["found"])}) for one in map(json.loads, lines)]
    there = {(case.kind, case.number) for case in done}
    faults = Faults(Path(os.environ["FAULTS_ROOT"]), seed)
    with kept.open("a") as file:
        for kind, (count, make) in faults.kinds().items():
            for number in _part(count, share):
                if (kind, number) in there or only not in kind:
                    continue
                folder = faults.root / "case"
                case = replace(make(number, folder), kind=kind)
                shutil.rmtree(folder)
                file.write(json.dumps(asdict(case)) + "\n")
                file.flush()
                done.append(case)
                _say(case)
    return done


def _part(count: int, share: float) -> Iterable[int]:
    """Select evenly spaced cases, this share of all."""
    wanted = max(round(count * share), 1)
    return sorted({int(place * count / wanted) for place in range(wanted)})


def _say(case: Case) -> None:
    if case.found:
        print(f"{case.kind} {case.number}: {', '.join(case.found)}", flush=True)


def _inside(words: list[str]) -> int:
    """Run again with the shim, in a namespace that may mount file systems, in a fresh folder."""
    with tempfile.TemporaryDirectory(prefix="faults-") as place:
        shim, control = Path(place) / "shim.so", Path(place) / "control"
        source = HERE / "shim.c"
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", shim, source, "-ldl"], check=True)
        control.write_bytes(bytes(24))
        root = Path(place) / "root"
        root.mkdir()
        variables = {"LD_PRELOAD": shim, "FAULTS_CONTROL": control, "FAULTS_ROOT": root}
        command = ["unshare", "-Urm", sys.executable, __file__, *words, "--inside"]
        env = os.environ | {name: str(value) for name, value in variables.items()}
        return subprocess.run(command, env=env, check=False).returncode


def main(words: list[str]) -> int:
    """Make the cases and the table; the exit code says whether anything was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--only", default="")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(words)
    if not given.inside:
        return _inside(words)
    cases = run(given.seed, given.share, given.only)
    import reliability

    reliability.write(cases, given.seed)
    return 1 if any(case.found for case in cases) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
