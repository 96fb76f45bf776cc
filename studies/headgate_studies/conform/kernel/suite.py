"""Runs cases with a kernel and in simulation, several at a time."""

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from multiprocessing import get_context

from headgate import HeadgateError, dumbbell, emulate
from headgate.lab import end_with_parent
from headgate_studies.conform.kernel import path
from headgate_studies.conform.kernel.cases import COMMON, DISCIPLINES, KernelCase, list_cases
from headgate_studies.conform.kernel.comparison import Comparison
from headgate_studies.conform.kernel.path import simulate
from headgate_studies.conform.kernel.real import run_kernel

#: A tick of the clock: user-mode Linux has 100 a second, distributions' kernels 250 or more.
TICKS_S = {"host": 0.004, "uml": 0.01}
#: Simulated runs of cases that chance affects; one run is enough for the others.
OUR_REPEATS = 5
BY_CHANCE = ("pair", "loss", "queue", "qdisc")


@dataclass(frozen=True)
class Kernel:
    """A kernel under test: which, its release, its algorithms by Linux's names."""

    name: str
    release: str
    ccas: tuple[str, ...]
    disciplines: tuple[str, ...]
    """Those of the cases that it has, by Linux's names."""

    @property
    def tick_s(self) -> float:
        """A tick of its clock."""
        return TICKS_S[self.name]


def examine(kernel: str) -> Kernel:
    """Query the algorithms and disciplines of a kernel. Raises EmulationError if it cannot run."""
    link = dumbbell(rate="10 Mbit/s", rtt="2 ms", flows=[{"kind": "live"}])
    tries = (
        f"tc qdisc replace dev headgate root {case.qdisc} 2>/dev/null && echo {kind}"
        for kind in DISCIPLINES
        for case in list_cases(COMMON, [kind], TICKS_S[kernel], [f"qdisc-{kind}-1"])
    )
    asks = "uname -r; cat /proc/sys/net/ipv4/tcp_available_congestion_control"
    with emulate(link, kernel=kernel) as net:
        done = net.run("a", "; ".join([asks, *tries, "true"]), capture_output=True, check=True)
    release, ccas_there, *kinds = done.stdout.decode().splitlines()
    return Kernel(kernel, release, tuple(sorted(ccas_there.split())), tuple(kinds))


@dataclass(frozen=True)
class Selection:
    """The cases that run, and the names of those left out."""

    cases: tuple[KernelCase, ...]
    not_in_kernel: tuple[str, ...]
    not_in_linux: tuple[str, ...]
    not_ours: tuple[str, ...]
    disciplines: tuple[str, ...]

    def says(self, kernel: Kernel) -> list[str]:
        """Say what is left out and why, a sentence each."""
        left_out = (
            (self.not_in_kernel, f"kernel {kernel.release} has not loaded"),
            (self.not_in_linux, "Linux has no"),
            (self.not_ours, "Headgate has no"),
            (self.disciplines, f"kernel {kernel.release} has no discipline"),
        )
        return [f"skipped, as {why}: {', '.join(names)}" for names, why in left_out if names]


def select(
    kernel: Kernel,
    names: Iterable[str] | None,
    globs: Iterable[str] = (),
    replacement: str = "",
) -> Selection:
    """Choose cases of the CCAs named, by our name or Linux's. Raises HeadgateError if none is.

    `replacement` is a user-defined algorithm that takes the place of ours in these cases.
    """
    wanted = None if names is None else list(names)
    unknown = path.without_counterpart(wanted)
    chosen = path.choose(wanted)
    there = [match.linux for match in chosen if match.linux in kernel.ccas]
    missing = tuple(match.ours for match in chosen if match.linux not in kernel.ccas)
    if not there:
        raise HeadgateError(
            f"kernel {kernel.release} has none of these algorithms: {', '.join(wanted or ())};"
            f" it has {', '.join(kernel.ccas)}{_propose_modules(kernel, missing)}"
        )
    not_ours = () if wanted else tuple(cca for cca in path.NOT_OURS if cca in kernel.ccas)
    cases = list_cases(there, kernel.disciplines, kernel.tick_s, globs)
    absent = tuple(kind for kind in DISCIPLINES if kind not in kernel.disciplines)
    replaced = tuple(replace(case, replacement=replacement) for case in cases)
    return Selection(replaced, missing, tuple(unknown), not_ours, absent)


def _propose_modules(kernel: Kernel, missing: Iterable[str]) -> str:
    """Return the command that loads missing algorithms into this machine's kernel."""
    modules = [f"tcp_{path.choose([cca])[0].linux}" for cca in missing]
    if kernel.name != "host" or not modules:
        return ""
    return f"; as root, modprobe {' '.join(modules)} loads them if the kernel contains them"


def run_cases(
    cases: Iterable[KernelCase], kernel: str, repeats: int = 1, workers: int = 1
) -> Iterator[Comparison]:
    """Compare every case, as each is done."""
    spawn = get_context("spawn")
    with ProcessPoolExecutor(workers, spawn, end_with_parent, (os.getpid(),)) as pool:
        jobs = [pool.submit(compare, case, kernel, repeats) for case in cases]
        try:
            for job in as_completed(jobs):
                yield job.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def compare(case: KernelCase, kernel: str, repeats: int = 1) -> Comparison:
    """Run a case with a kernel and in simulation."""
    tick_s = TICKS_S[kernel]
    own = max(repeats, OUR_REPEATS) if case.topic in BY_CHANCE else repeats
    ours = tuple(simulate(case.repeated(n), n + 1, tick_s) for n in range(own))
    try:
        theirs = tuple(run_kernel(case.repeated(n), n + 1, kernel) for n in range(repeats))
    except HeadgateError as error:
        return Comparison(case, (), ours, str(error))
    return Comparison(case, theirs, ours)
