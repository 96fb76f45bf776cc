"""This program beside a kernel's own TCP on the same paths: completion times, pairs, random loss.

The kernel's results are in `data/linux/tun_*.csv`; the slow test repeats some of them with this
machine's kernel.
"""

from collections import defaultdict
from dataclasses import replace
from statistics import mean, median

import pytest

from .oracle import rows
from .tun.cases import CASES
from .tun.kernel import RATE_MBPS, Case, disturbed, missing, run
from .tun.ours import figures, simulate

#: Our own repeats: starts differ by tenths of a second, losses by the seed.
REPEATS = (1, 2, 3, 4, 5)
GOODPUT, COUNTS = 0.01, 0.15
#: Segments that one full queue may cost or not.
A_LOSS = 2
#: How much of the line a flow beside another may get more or less: chance decides there.
SHARE = 0.03
#: A PROBE_RTT follows 10 s after the one before, at the soonest.
MOST_PROBE_RTTS = 10
#: A threshold above this, packets, was never set.
NEVER_SET = 1e6
#: Runs of the kernel before one is in time.
TRIES = 3


def measured(name: str) -> dict[str, list[dict[str, str]]]:
    """Give the kernel's flows by case."""
    cases = defaultdict(list)
    for row in rows(f"linux/{name}.csv"):
        cases[row["case"]].append(row)
    return cases


SHORT, AT_ONE_TIME = measured("tun_short"), measured("tun_long")
#: The time at which a flow joins another's sawtooth decides their losses: these repeats differ in
#: it.
LONG = AT_ONE_TIME | measured("tun_joins")
FIXED = [case for case in CASES if case.flows[0][2]]
ENDLESS = [case for case in CASES if not case.flows[0][2]]
ALONE = [case for case in ENDLESS if len(case.flows) == 1]
TOGETHER = [case for case in ENDLESS if len(case.flows) > 1]
#: BBR in an empty path, with and without random loss before the queue.
BBR_ALONE = [case for case in ALONE if case.flows[0][0] == "bbr"]


def named(cases: list[Case]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.name)


def theirs(case: Case, figure: str, flow: int = 0) -> list[float]:
    """Give a figure of each repeat of the kernel."""
    return [float(row[figure]) for row in LONG[case.name] if int(row["flow"]) == flow]


def ours(case: Case, figure: str, flow: int = 0) -> list[float]:
    return [figures(case, repeat, flow)[figure] for repeat in REPEATS]


def agree(a: list[float], b: list[float], relative: float, absolute: float = 0.0) -> bool:
    """Tell whether the means are near one another, or the ranges overlap."""
    near = abs(mean(a) - mean(b)) <= max(relative * mean(b), absolute)
    return near or (min(a) <= max(b) and min(b) <= max(a))


def test_every_case_has_been_measured() -> None:
    assert {case.name for case in FIXED} == set(SHORT)
    assert {case.name for case in ENDLESS} == set(LONG)


@named(FIXED)
def test_completion_time(case: Case) -> None:
    kernel = median(float(row["finished_ms"]) for row in SHORT[case.name])
    result = simulate(case, 1)
    assert float(result.flows["fct_receiver_s"][0]) * 1e3 == pytest.approx(kernel, rel=0.02)


# BBR without loss is held to an idle machine's kernel, in test_linux.py.
@named([case for case in ALONE if case.loss or case not in BBR_ALONE])
def test_goodput_alone(case: Case) -> None:
    assert agree(ours(case, "goodput_mbps"), theirs(case, "goodput_mbps"), GOODPUT)


@named([case for case in ALONE if case not in BBR_ALONE])
def test_losses_and_recoveries_alone(case: Case) -> None:
    for figure in ("retransmissions", "recoveries_measured"):
        assert agree(ours(case, figure), theirs(case, figure), COUNTS), figure


@named([case for case in BBR_ALONE if case.loss])
def test_bbr_sends_again_what_is_lost_and_no_more(case: Case) -> None:
    figure = "retransmissions_measured"
    assert agree(ours(case, figure), theirs(case, figure), COUNTS)


@named(BBR_ALONE)
def test_bbr_looks_for_a_smaller_rtt_as_often(case: Case) -> None:
    # An equal RTT once put it off indefinitely: then there were none. How many of the ten possible
    # there are depends on chance: any RTT smaller by a microsecond puts it off.
    kernel = theirs(case, "probe_rtts_measured")
    counts = ours(case, "probe_rtts_measured")
    assert all(min(kernel) <= count <= MOST_PROBE_RTTS for count in counts)


@named(TOGETHER)
def test_shares(case: Case) -> None:
    for flow in range(len(case.flows)):
        kernel = theirs(case, "goodput_mbps", flow)
        assert agree(ours(case, "goodput_mbps", flow), kernel, GOODPUT, SHARE * RATE_MBPS)


@named(TOGETHER)
def test_losses_together(case: Case) -> None:
    """Fractions of a packet's time decide which of them a full queue hits, not how often."""
    flows, figure = range(len(case.flows)), "retransmissions_measured"
    both = [
        [sum(one) for one in zip(*(of(case, figure, at) for at in flows), strict=True)]
        for of in (ours, theirs)
    ]
    assert agree(*both, COUNTS, A_LOSS)


def test_hystart_of_cubic_that_joins() -> None:
    # Sixteen traces, of Linux 6.18 here and of 6.1 as a process, end at the same threshold:
    # HyStart judges a round trip by eight ACKs, each of one segment.
    series = simulate(next(case for case in CASES if case.name == "cubic-joins-reno"), 1).series
    cubic = series.where(series["name"] == "cubic")
    ended = cubic.where(cubic["ssthresh_packets"] < NEVER_SET)
    assert ended["ssthresh_packets"][0] == 48


def test_losses_of_a_bbr_that_joins_reno_at_one_time() -> None:
    """Here alike repeats would be equal, so that bbr begins some milliseconds later each time."""
    [case] = [case for case in CASES if case.name == "bbr-joins-reno"]
    reno, (cca, start, size) = case.flows
    later = [replace(case, flows=(reno, (cca, start + ms / 1e3, size))) for ms in REPEATS]
    mine = [simulate(one, 0).flows["retransmissions"].sum() for one in later]
    both = defaultdict(float)
    for row in AT_ONE_TIME[case.name]:
        both[row["repeat"]] += float(row["retransmissions_measured"])
    assert agree(mine, list(both.values()), COUNTS)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fct-bbr-30", "fct-bbr-1000", "reno-33", "bbr-40ms-0.003"])
def test_this_kernel_does_as_measured(name: str) -> None:
    case = next(case for case in CASES if case.name == name)
    if lacks := missing({cca for cca, _, _ in case.flows}):
        pytest.skip(f"the kernel's TCP cannot be measured here; missing: {lacks}")
    for _ in range(TRIES):
        result = run(case, seed=1)
        if not disturbed(result):
            break
    else:
        pytest.skip("this machine is too busy to keep an emulated path in time")
    flow = result["flows"][0]
    if name in SHORT:
        kernel = median(float(row["finished_ms"]) for row in SHORT[name])
        assert flow["finished_ms"] == pytest.approx(kernel, rel=0.02)
    else:
        assert flow["goodput_mbps"] == pytest.approx(mean(theirs(case, "goodput_mbps")), rel=0.02)
