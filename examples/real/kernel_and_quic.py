"""Measure how kernel TCP and a QUIC stack share one link.

python examples/real/kernel_and_quic.py [RUNS] [SECONDS] [ALGORITHM]

Each run takes SECONDS in real time (20 by default); its first quarter is not measured. TCP is that
of this machine's kernel with its usual algorithm, or with one of those in
/proc/sys/net/ipv4/tcp_allowed_congestion_control. It runs between Python's HTTP server and curl.
QUIC is quinn with CUBIC, the Cargo package in `quinn/`. Draws out/kernel-and-quic.png.
"""

import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from quinn_program import build
from scipy import stats

import headgate

SERVERS, CLIENTS = ["tcp-server", "quic-server"], ["tcp-client", "quic-client"]
NETWORK = {"kind": "dumbbell", "rate": "20 Mbit/s", "rtt": "40 ms", "buffer": "1 BDP"}
COLOURS = ("#0072b2", "#d55e00")
ALGORITHM = Path("/proc/sys/net/ipv4/tcp_congestion_control")
FETCH = "curl -s --retry 9 --retry-connrefused -o /dev/null http://tcp-server"


def share_link(program: Path, seconds: float, algorithm: str) -> np.ndarray:
    """Run both transfers at once. Return their rates in each second, Mbit/s: 2 rows."""
    enough_bytes = round(seconds * 20e6 / 8)  # more than a run can transfer
    scenario = headgate.Scenario.from_dict(
        {
            "duration": f"{seconds} s",
            "network": NETWORK,
            "traffic": [{"kind": "live", "hosts": SERVERS, "peers": CLIENTS}],
        }
    )
    with tempfile.TemporaryDirectory() as folder, headgate.emulate(scenario) as net:
        with (Path(folder) / "zeros").open("wb") as file:
            file.truncate(enough_bytes)
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        net.run("tcp-server", f"echo {shlex.quote(algorithm)} > {ALGORITHM}", check=True)
        web = ["python3", "-m", "http.server", "80", "--directory", folder]
        net.start("tcp-server", web, **quiet)
        net.run("tcp-client", f"{FETCH}/", check=True)  # it is ready
        certificate = f"{folder}/certificate"
        words = [str(program), "serve", certificate]
        server = net.start("quic-server", words, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        server.stdout.readline()  # it is ready
        address = f"{net.address('quic-server')}:4433"
        words = [str(program), "fetch", certificate, address, str(enough_bytes)]
        net.wait(
            [net.start("tcp-client", f"{FETCH}/zeros"), net.start("quic-client", words, **quiet)]
        )
    return find_rates(net.result, round(seconds))


def find_rates(result: headgate.Result, seconds: int) -> np.ndarray:
    """Return the rate of each server's payload in each second, Mbit/s."""
    flows, series = result.tables["live_flows"], result.tables["live_series"]
    rates = np.zeros((len(SERVERS), seconds))
    for row, server in enumerate(SERVERS):
        own = np.isin(series["flow"], np.flatnonzero(flows["from_host"] == server))
        second = series["t_s"][own].astype(int)
        np.add.at(rates[row], second, 8e-6 * series["delivered_payload_bytes"][own])
    return rates


def draw(names: tuple[str, str], rates: np.ndarray) -> None:
    """Draw the rates of the last run over time."""
    figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
    for row, name in enumerate(names):
        axes.plot(rates[row], color=COLOURS[row], label=name, linestyle=("-", "--")[row])
    axes.set(xlabel="time (s)", ylabel="rate (Mbit/s)", ylim=(0, None))
    axes.legend(frameon=False)
    Path("out").mkdir(exist_ok=True)
    figure.savefig("out/kernel-and-quic.png", dpi=150)


def main() -> None:
    """Print the share of each run, and their mean with its 95 % interval."""
    usual = ["5", "20", ALGORITHM.read_text().strip()]
    *counts, algorithm = [*sys.argv[1:], *usual[len(sys.argv) - 1 :]]
    runs, seconds = map(int, counts)
    names = (f"kernel TCP ({algorithm})", "quinn (QUIC, cubic)")
    if shutil.which("curl") is None:
        sys.exit("this example needs curl (Debian: apt-get install curl)")
    program, shares = build(), []
    for number in range(runs):
        rates = share_link(program, seconds, algorithm)
        tcp, quic = rates[:, seconds // 4 :].mean(axis=1)
        shares.append(tcp / (tcp + quic))
        print(f"run {number + 1}: {names[0]} {tcp:.2f}, {names[1]} {quic:.2f} Mbit/s")
    draw(names, rates)
    mean = float(np.mean(shares))
    half = stats.t.ppf(0.975, runs - 1) * stats.sem(shares) if runs > 1 else float("nan")
    low, high = mean - half, mean + half
    print(f"share of {names[0]}: {mean:.2f} (95 % interval {low:.2f} to {high:.2f}, {runs} runs)")


main()
