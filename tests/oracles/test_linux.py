"""Reno, CUBIC and BBR over the emulated path of Linux 6.18: goodput, queue, losses, times."""

from functools import cache

import numpy as np
import pytest

from headgate import Result

from .oracle import bottleneck, rows, run

SEGMENT_BITS = 1448 * 8
LONG = rows("linux/long_flows.csv")
#: BBR keeps its window after a loss.
REDUCING = [row for row in LONG if row["algo"] != "bbr"]
#: By algorithm: goodput, mean queue, recoveries.
ALLOWED = {"reno": (0.01, 0.10, 0.15), "cubic": (0.02, 0.15, 0.20), "bbr": (0.02, 0.15, 0.20)}
SHORT = rows("linux/fct_reno.csv")


@cache
def long_flow(cca: str, buffer: int, duration_s: int) -> Result:
    """One endless flow over 20 Mbit/s and 40 ms; figures from 20 s on."""
    return run(
        duration=f"{duration_s} s",
        network={
            "kind": "dumbbell",
            "rate": "20 Mbit/s",
            "rtt": "40 ms",
            "buffer": f"{buffer} packets",
            "access": "direct",
        },
        transport="linux",
        traffic=[{"kind": "flows", "cca": cca}],
        measure={"warmup": "20 s", "series": {"interval": "10 ms"}},
    )


def test_the_oracle_has_reno_at_three_buffers_and_the_others_at_one() -> None:
    found = sorted((row["algo"], int(row["buf_pkts"])) for row in LONG)
    assert found == [("bbr", 67), ("cubic", 67), ("reno", 33), ("reno", 67), ("reno", 133)]


@pytest.mark.parametrize("row", LONG, ids=lambda row: row["scenario"])
def test_long_flow(row: dict[str, str]) -> None:
    cca, buffer = row["algo"], int(row["buf_pkts"])
    in_goodput, in_queue, in_recoveries = ALLOWED[cca]
    result = long_flow(cca, buffer, 120)
    flows = result.flows
    whole = flows["delivered_total_packets"][0] * SEGMENT_BITS / 120 / 1e6
    assert whole == pytest.approx(float(row["goodput_mbps"]), rel=in_goodput)
    steady = flows["goodput_bps"][0] / 1e6
    assert steady == pytest.approx(float(row["goodput_after20s_mbps"]), rel=in_goodput)
    queue = bottleneck(result, "mean_queue_packets")
    assert queue == pytest.approx(float(row["queue_mean_after20s"]), rel=in_queue)
    recoveries = float(flows["recoveries"][0])
    assert recoveries == pytest.approx(float(row["recoveries_after20s"]), rel=in_recoveries)


@pytest.mark.parametrize("row", REDUCING, ids=lambda row: row["scenario"])
def test_a_loss_takes_its_share_of_the_window(row: dict[str, str]) -> None:
    # Linux's median of ssthresh over the window before: 0.500 to 0.502 for reno, 0.696 for cubic
    series = long_flow(row["algo"], int(row["buf_pkts"]), 120).series
    flow = series.where((series["of"] == "flow") & (series["t_s"] > 20))
    cwnd = flow["cwnd_packets"]
    falls = np.flatnonzero(cwnd[1:] < 0.95 * cwnd[:-1])
    peaks = falls[np.diff(flow["t_s"][falls], prepend=0) > 1]  # a recovery falls in steps
    assert len(peaks) >= 9
    before = np.array([cwnd[max(0, peak - 20) : peak + 1].max() for peak in peaks])
    ratio = np.median(flow["ssthresh_packets"][peaks + 1] / np.floor(before))
    theirs = float(row["backoff_ssthresh_over_cwnd_median"])
    assert ratio == pytest.approx(theirs, abs=0.01)


def test_bbr_starts_and_cruises_as_linux_does() -> None:
    # While STARTUP grows, an ACK of two segments comes about every millisecond, and the two clocks
    # may be two ACKs apart. Later: the two segments of a probe.
    trace = rows("linux/traces/s1_bbr_40ms_1bdp.csv")
    series = long_flow("bbr", 67, 120).series
    flow = series.where(series["of"] == "flow")
    at = {f"{t_s:.2f}": cwnd for t_s, cwnd in zip(flow["t_s"], flow["cwnd_packets"], strict=True)}
    for row in trace[:3]:
        assert at[row["t_s"]] == pytest.approx(float(row["cwnd_pkts"]), abs=4)
    theirs = np.median([float(row["cwnd_pkts"]) for row in trace if float(row["t_s"]) > 20])
    ours = np.median(flow["cwnd_packets"][flow["t_s"] > 20])
    assert ours == pytest.approx(theirs, abs=2)


def test_hystart_ends_slow_start_where_linux_does() -> None:
    # A train of ACKs as long as half the RTT: 75 segments at 0.2 s, before anything is lost. One
    # ACK more or less is two segments.
    trace = rows("linux/traces/s1_cubic_40ms_1bdp.csv")
    theirs = next(row["ssthresh_pkts"] for row in trace if row["t_s"] == "0.20")
    series = long_flow("cubic", 67, 120).series
    flow = series.where((series["of"] == "flow") & (series["t_s"] > 0.195))
    assert flow["ssthresh_packets"][0] == pytest.approx(float(theirs), abs=2)


@pytest.mark.parametrize("row", SHORT, ids=lambda row: f"{row['packets']} segments")
def test_completion_time(row: dict[str, str]) -> None:
    result = run(
        duration="30 s",
        network={
            "kind": "dumbbell",
            "rate": "20 Mbit/s",
            "rtt": "100 ms",
            "buffer": "167 packets",
            "access": "direct",
        },
        transport="linux",
        traffic=[{"kind": "flows", "cca": "reno", "size": f"{row['packets']} packets"}],
    )
    drops = int(float(row["tail_drops_median"]))
    ours = result.flows["fct_receiver_s"][0] * 1e3
    allowed = 0.10 if drops else 0.03
    assert ours == pytest.approx(float(row["fct_from_syn_ms_median"]), rel=allowed)
    assert int(result.ports["drops"].sum()) == pytest.approx(drops, rel=0.02)
