"""Times the bench network `dumbbell-100` in Headgate, ns-2, ns-3 and htsim, each in turn.

A packet-hop is one packet, data or ACK, over one link. ns-3 and htsim count them in a separate run,
because counting takes time. CPU seconds are user and system time of the run without set-up; those
of ns-2 include its set-up.
"""

import csv
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

FLOWS, RATE, RTT, DURATION = "100", "1e9", "0.04", "40"
NETWORK = (FLOWS, RATE, RTT, DURATION)
NS2_SCRIPT = Path(__file__).parents[2] / "tests/oracles/data/ns2/speed.tcl"
COLUMNS = ("program", "round", "simulated_s", "cpu_s", "packet_hops", "goodput_mbps")
PACKET_BITS = 1500 * 8
Sample = dict[str, float]


def time_headgate() -> Sample:
    """Run the bench network once."""
    command = (sys.executable, "-m", "headgate.engine.bench", "dumbbell-100", "1")
    timing = json.loads(_output(command))
    return {"cpu_s": timing["cpu_s"], "packet_hops": timing["packet_hops"]}


def time_ns2() -> Sample:
    """Run the timing script once: CPU time of the process; hops from the bottleneck's monitors."""
    command = ("ns", str(NS2_SCRIPT), "Sack1", *NETWORK, "1")
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    found = _numbers(process.stdout.read())
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    data = found["bneck_arrivals"] + 2 * found["bneck_departures"]
    hops = data + 3 * found["reverse_acks"]
    goodput = found["acked_pkts"] * PACKET_BITS / float(DURATION) / 1e6
    return {
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "packet_hops": hops,
        "goodput_mbps": goodput,
    }


def read_output(program: Path, *more: str) -> Sample:
    """Run a program and read the numbers that it prints."""
    return _numbers(_output((str(program), *more), err=True))


def time_others(programs: Path, ns3_seconds: str) -> dict[str, Callable[[], Sample]]:
    """Give the functions that time ns-3 and htsim, if their programs are built."""
    ns3 = (f"--flows={FLOWS}", f"--rate={RATE}", f"--rtt={RTT}", f"--duration={ns3_seconds}")
    options = {"ns-3": ("ns3_speed", ns3), "htsim": ("htsim_speed", NETWORK)}
    counting = {"ns-3": (*ns3, "--count"), "htsim": (*NETWORK, "count")}
    timed: dict[str, Callable[[], Sample]] = {}
    for name, (file, arguments) in options.items():
        program = programs / file
        if not program.exists():
            continue
        hops = read_output(program, *counting[name])["packet_hops"]

        def run(
            program: Path = program, arguments: tuple[str, ...] = arguments, hops: float = hops
        ) -> Sample:
            return read_output(program, *arguments) | {"packet_hops": hops}

        timed[name] = run
    return timed


def measure(programs: Path, out: Path, rounds: int, ns3_seconds: str = DURATION) -> None:
    """Time all programs in turn and write a line for each run as it ends."""
    timed = {"headgate": time_headgate, "ns-2": time_ns2, **time_others(programs, ns3_seconds)}
    with out.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        for number in range(1, rounds + 1):
            for name, run in timed.items():
                sample = {key: round(value, 4) for key, value in run().items()}
                seconds = ns3_seconds if name == "ns-3" else DURATION
                named = {"program": name, "round": number, "simulated_s": seconds}
                writer.writerow(named | sample)
                file.flush()


def processor() -> str:
    """Describe the processor and its caches."""
    lines = dict(
        line.split(":", 1) for line in _output(("lscpu",)).splitlines() if line.count(":") >= 1
    )
    wanted = ("Model name", "L1d cache", "L1i cache", "L2 cache", "L3 cache")
    return ", ".join(f"{name} {lines[name].strip()}" for name in wanted if name in lines)


def _output(command: tuple[str, ...], *, err: bool = False) -> str:
    """Return what a program prints; with `err` also on standard error."""
    to = subprocess.STDOUT if err else None
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=to, text=True, check=True)
    return done.stdout


def _numbers(text: str) -> Sample:
    return {name: float(value) for name, value in re.findall(r"(\w+)=([-+.\de]+)", text)}
