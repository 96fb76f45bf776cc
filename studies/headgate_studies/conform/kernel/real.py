"""A case with a kernel's TCP, through `emulate`."""

import json
import subprocess
import time
import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from headgate import Emulation, EmulationError, HeadgateWarning, emulate
from headgate_studies.conform.kernel.cases import BY_MARKS, RATE_MBPS, KernelCase
from headgate_studies.conform.kernel.comparison import Course, Outcome, count_recoveries
from headgate_studies.conform.kernel.path import (
    LEAD_S,
    SAMPLES_S,
    for_real_hosts,
    read_mean_queue,
    read_queue,
)
from headgate_studies.conform.kernel.sender import COLUMNS

#: No limit but the congestion window, and no connection learns from another.
SETTINGS = (
    "sysctl -qw net.ipv4.tcp_no_metrics_save=1 net.ipv4.tcp_wmem='4096 2097152 67108864'"
    " net.ipv4.tcp_rmem='4096 33554432 67108864'"
)
#: TCP_CA_Recovery; above it is TCP_CA_Loss.
RECOVERY = 3
#: Time for a program to print its samples after the run.
PATIENCE_S = 60.0
#: The package of the programs.
PLACE = "headgate_studies.conform.kernel"

Program = subprocess.Popen[bytes]


def run_kernel(case: KernelCase, seed: int, kernel: str) -> Outcome:
    """Run a case with the TCP of a kernel. Raises EmulationError if it cannot run."""
    with warnings.catch_warnings():  # lateness is a figure of the outcome
        warnings.simplefilter("ignore", HeadgateWarning)
        with emulate(for_real_hosts(case, seed), kernel=_kernels(case, kernel)) as net:
            begin_s = time.monotonic() + LEAD_S
            for host in net.hosts:
                net.run(host, SETTINGS, check=True)
            programs = _start_programs(case, net)
            _wait_until(begin_s, case)
            for program in programs:
                _tell(program, "go")
            seen, *watched = [_hear(case, program) for program in programs]
    result = net.result
    samples = [dict(zip(COLUMNS, np.array(one["samples"]).T, strict=True)) for one in seen]
    after = [{name: of[name][of["t_s"] >= case.from_s] for name in COLUMNS} for of in samples]
    outcome = Outcome(
        tuple(map(_goodput_mbps, after)),
        read_mean_queue(result),
        float(sum(of["retransmissions"][-1] - of["retransmissions"][0] for of in after)),
        float(sum(count_recoveries(of["state"].tolist(), RECOVERY) for of in after)),
        _completion_s(net, seen[0]["port"]) if case.is_sized else float("nan"),
        tuple(Course(of["t_s"], of["cwnd"], of["ssthresh"]) for of in samples),
        read_queue(result),
        float(result.ports["marks"].sum()),
        result.meta["live"]["loop"]["lateness_p99_9_s"] or 0.0,
    )
    return _with_queue(case, outcome, watched[0]) if watched else outcome


def _kernels(case: KernelCase, kernel: str) -> dict[str, str]:
    """Return the kernels of both hosts: under DCTCP the receiver must be DCTCP's too."""
    return {"a": kernel, "b": kernel if BY_MARKS in case.ccas else "host"}


def _start_programs(case: KernelCase, net: Emulation) -> list[Program]:
    """Start the receiver, and those that wait for a word: the sender, and a router before it."""
    needs = [BY_MARKS] if BY_MARKS in case.ccas else []
    _start(net, "b", net.module_command(f"{PLACE}.receiver", *needs))
    sender, process = _start(
        net, "a", net.module_command(f"{PLACE}.sender", json.dumps(_flows(case, net)))
    )
    if not case.qdisc:
        return [sender]
    words = json.dumps(_router(case, net) | {"sender": int(process[0])})
    router, _ = _start(net, "a", net.module_command(f"{PLACE}.router", words))
    _tell(sender, "join")
    _read(sender, "a")
    return [sender, router]


def _flows(case: KernelCase, net: Emulation) -> dict[str, Any]:
    return {
        "address": net.address("b"),
        "flows": [vars(sender) for sender in case.senders],
        "until_s": case.duration_s,
        "every_s": SAMPLES_S,
        "behind_router": net.address("a") if case.qdisc else "",
    }


def _router(case: KernelCase, net: Emulation) -> dict[str, Any]:
    return {
        "address": net.address("a"),
        "peer": net.address("b"),
        "prefix": net.prefix_length,
        "rate": f"{RATE_MBPS}mbit",
        "qdisc": case.qdisc,
        "until_s": case.duration_s,
        "every_s": SAMPLES_S,
    }


def _start(net: Emulation, host: str, words: list[str]) -> tuple[Program, list[str]]:
    """Start a program, wait until it is ready, and return the rest of its line."""
    pipe = subprocess.PIPE
    program = net.start(host, words, stdin=pipe, stdout=pipe, stderr=pipe)
    return program, _read(program, host)


def _read(program: Program, host: str) -> list[str]:
    """Read a line. Raises EmulationError if the program ended in its place."""
    assert program.stdout is not None
    assert program.stderr is not None
    if words := program.stdout.readline().decode().split():
        return words[1:]
    raise EmulationError(f"host {host}: {_last_line(program.stderr.read())}")


def _last_line(said: bytes) -> str:
    lines = said.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "a program ended and said nothing"


def _wait_until(begin_s: float, case: KernelCase) -> None:
    left_s = begin_s - time.monotonic()
    if left_s < 0:
        took = f"its programs took {LEAD_S - left_s:.1f} s to start"
        raise EmulationError(f"{case.name}: {took}: this machine is too busy")
    time.sleep(left_s)


def _tell(program: Program, word: str) -> None:
    assert program.stdin is not None
    program.stdin.write(f"{word}\n".encode())
    program.stdin.flush()


def _hear(case: KernelCase, program: Program) -> list[Any]:
    said, wrong = program.communicate(timeout=case.duration_s + PATIENCE_S)
    if program.returncode:
        raise EmulationError(f"{case.name}: {_last_line(wrong)}")
    seen: list[Any] = json.loads(said)
    return seen


def _with_queue(case: KernelCase, outcome: Outcome, watched: list[Any]) -> Outcome:
    """Put the queue of the kernel's discipline in the place of the simulated one, an empty one."""
    t_s, packets = np.array(watched, np.float64).T
    waiting = np.maximum(packets - 1, 0)
    return replace(
        outcome, queue_packets=float(waiting[t_s >= case.from_s].mean()), queue=(t_s, waiting)
    )


def _goodput_mbps(of: dict[str, Any]) -> float:
    acked, t_s = of["acked_bytes"], of["t_s"]
    return float(8e-6 * (acked[-1] - acked[0]) / max(t_s[-1] - t_s[0], SAMPLES_S))


def _completion_s(net: Emulation, port: int) -> float:
    """Return the time from the SYN until the receiver, which has read all, sends its FIN."""
    flows = net.result.tables["live_flows"]
    [there] = np.flatnonzero((flows["source_port"] == port) & (flows["from_host"] == "a"))
    [back] = np.flatnonzero((flows["destination_port"] == port) & (flows["from_host"] == "b"))
    return float(flows["last_sent_s"][back] - flows["start_s"][there])
