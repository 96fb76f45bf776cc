"""This kernel in `headgate emulate`, beside what kernel 6.18 did on the same paths."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import headgate

from ..hosts import LIVE, require_hosts
from .oracle import bottleneck, rows

HERE = Path(__file__).parent
#: How near goodput, mean queue and recoveries are to those of `linux/long_flows.csv`.
GOODPUT, QUEUE, RECOVERIES = 0.01, 0.05, 0.10
#: BBR's queue is a few packets that no loss bounds. Here it sends pairs, whose second packet waits
#: for the first, and hears of them in windows: 8.1 to 8.6 packets for 6.6. Runs without pairs and
#: with shorter windows show how much each does (docs/reference/emulate.md, "Held to a real path").
QUEUE_OF_BBR = 0.35
FROM_S, UNTIL_S = 20, 120
#: A machine whose packets are later says nothing of the kernel.
LATE_S = 0.002
#: No limit but the congestion window, as in the oracle.
BUFFERS = (
    "sysctl -qw net.ipv4.tcp_no_metrics_save=1 net.ipv4.tcp_wmem='4096 4194304 67108864'"
    " net.ipv4.tcp_rmem='4096 33554432 67108864'"
)


def measured(cca: str, bdp: str) -> dict[str, str]:
    return next(
        row for row in rows("linux/long_flows.csv") if row["scenario"] == f"s1_{cca}_40ms_{bdp}bdp"
    )


def run(cca: str, buffer_packets: str) -> tuple[float, float, int]:
    """Give goodput (Mbit/s), mean queue (packets) and recoveries after 20 s."""
    scenario = headgate.dumbbell(
        rate="20 Mbit/s",
        rtt="40 ms",
        buffer=f"{buffer_packets} packets",
        flows=[LIVE],
        measure={"warmup": f"{FROM_S} s"},
    ).replaced({"duration": f"{UNTIL_S + 1} s"})
    python, span = sys.executable, (str(FROM_S), str(UNTIL_S))
    options = {"stdout": subprocess.PIPE, "text": True}
    with headgate.emulate(scenario) as net:
        for host in net.hosts:
            net.run(host, BUFFERS, check=True)
        sink = net.start("b", [python, str(HERE / "byte_counter.py"), *span], **options)
        net.run("b", "while ! grep -q ':1389 ' /proc/net/tcp; do sleep 0.01; done")
        source = net.start("a", [python, str(HERE / "reno_sender.py"), "b", cca, *span], **options)
        net.wait([sink, source])
        got = json.loads(sink.communicate()[0])
        seen = json.loads(source.communicate()[0])
    loop = net.result.meta["live"]["loop"]
    if loop["lateness_p99_9_s"] > LATE_S:
        pytest.skip(f"this machine was too busy: {net.result.meta['warnings']}")
    assert np.all(net.result.tables["live_flows"]["loss_rate"] < 0.01)
    return (
        8e-6 * got["bytes"] / got["span_s"],
        bottleneck(net.result, "mean_queue_packets"),
        seen["recoveries"],
    )


@pytest.mark.slow
@pytest.mark.parametrize("case", ["reno-0.5", "reno-1", "reno-2", "cubic-1", "bbr-1"])
def test_the_kernel_does_what_it_did_on_a_real_path(case: str) -> None:
    require_hosts()
    cca, bdp = case.split("-")
    row = measured(cca, bdp)
    goodput_mbps, queue, recoveries = run(cca, row["buf_pkts"])
    assert goodput_mbps == pytest.approx(float(row["goodput_after20s_mbps"]), rel=GOODPUT)
    near = QUEUE_OF_BBR if cca == "bbr" else QUEUE
    assert queue == pytest.approx(float(row["queue_mean_after20s"]), rel=near)
    assert recoveries == pytest.approx(float(row["recoveries_after20s"]), rel=RECOVERIES, abs=1)


#: A pair of cubics: time after which shares are taken, end, and repeats of each pair.
PAIR_FROM_S, PAIR_UNTIL_S, REPEATS = 20, 80, 3


#: On the links of real and simulated hosts: up to two packets' times on the bottleneck each way.
#: Without it both keep their phase, and a round trip longer by 0.2 ms is worth 0.88 of the link.
HOST_JITTER = {"name": "jitter", "mean": "600 us", "distribution": "uniform"}
#: How much later packets are handed to real hosts each way: ping takes 40.54 ms over this path.
LATE_MS = 0.24


def make_pair(simulated: int, seed: int) -> headgate.Scenario:
    """Make a path of 20 Mbit/s, 40 ms and 67 packets for real cubics and some simulated ones."""
    fast = {"rate": "1 Gbit/s", "delay": "1 ms"}
    late = {**fast, "delay": f"{1 + LATE_MS} ms"}
    links = [
        {"ends": ["A", "L"], **fast, "impairments": [HOST_JITTER]},
        {"ends": ["B", "L"], **late, "impairments": [HOST_JITTER]},
        {"ends": ["L", "R"], "rate": "20 Mbit/s", "delay": "18 ms", "buffer": "67 packets"},
        {"ends": ["R", "C"], **fast},
    ]
    cca = {"kind": "flows", "cca": "cubic", "source": "B", "receiver": "C", "count": simulated}
    live = {**LIVE, "source": "A", "receiver": "C"}
    return headgate.Scenario.from_dict(
        {
            "duration": f"{PAIR_UNTIL_S} s",
            "seed": seed,
            "transport": "linux",
            "measure": {"warmup": f"{PAIR_FROM_S} s"},
            "network": {"kind": "graph", "routers": [{"name": n} for n in "ABLRC"], "links": links},
            "traffic": [live, *([cca] if simulated else [])],
        }
    )


def share_of_first(simulated: int, seed: int) -> float:
    """Give the share of a real cubic beside a simulated one, or of the larger of two real ones."""
    python, span = sys.executable, (str(PAIR_FROM_S), str(PAIR_UNTIL_S - 1))
    with headgate.emulate(make_pair(simulated, seed)) as net:
        for host in net.hosts:
            net.run(host, BUFFERS, check=True)
        net.start("b", [python, "-c", SINK])
        net.run("b", "while ! grep -q ':1389 ' /proc/net/tcp; do sleep 0.01; done")
        words = [python, str(HERE / "reno_sender.py"), "b", "cubic", *span]
        senders = [net.start("a", words, stdout=subprocess.DEVNULL) for _ in range(2 - simulated)]
        net.wait(senders)
    loop = net.result.meta["live"]["loop"]
    if loop["lateness_p99_9_s"] > LATE_S:
        pytest.skip(f"this machine was too busy: {net.result.meta['warnings']}")
    series = net.result.tables["live_series"]
    until_s = PAIR_UNTIL_S - 1
    steady = series.where((series["t_s"] >= PAIR_FROM_S) & (series["t_s"] < until_s))
    data = np.bincount(steady["flow"].astype(np.int64), steady["delivered_payload_bytes"])
    sent = np.sort(data)[::-1][: 2 - simulated] * 8 / (until_s - PAIR_FROM_S)
    return float(sent[0] / (sent.sum() + net.result.flows["goodput_bps"].sum()))


SINK = """
import select, socket
server = socket.create_server(("", 5001))
ends = [server]
while True:
    for end in select.select(ends, [], [])[0]:
        if end is server:
            ends.append(server.accept()[0])
        elif not end.recv(1 << 20):
            ends.remove(end)
"""


@pytest.mark.slow
def test_a_simulated_cubic_is_a_match_for_a_real_one() -> None:
    """The share of the real one of a mixed pair lies within the range of two real ones."""
    require_hosts()
    real = [share_of_first(0, seed) for seed in range(REPEATS)]
    mixed = [share_of_first(1, seed) for seed in range(REPEATS)]
    spread = max(abs(share - 0.5) for share in real)
    assert abs(np.mean(mixed) - 0.5) <= spread, (real, mixed)
