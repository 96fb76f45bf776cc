"""Tests of quiche that cannot be checked, each with its reason."""

from headgate_studies.conform.quiche.suite import TOPOLOGY_TEST, Quiche

#: The test cases of this module.
CASES = Quiche()
SEEDED = (
    "no call gives a connection the bandwidth and the round trip of another one"
    " (Careful Resume is a slow start instead)"
)
TESTS = (
    (
        "up-gradually",
        "ProbeUpAdaptInflightHiGradually",
        "Half of a flight of two packets lost in UP leaves inflight_hi above two packets",
        "the test calls the sender with made events and reads inflight_hi, which is not"
        " reported; bbr-up-loss covers the reduction",
    ),
    (
        "spurious-loss",
        "SpuriousLossEvent",
        "Bytes sent are bytes acknowledged and lost after a spurious loss",
        "the counters of the model are not reported, and the transport does not report that a loss"
        " was spurious",
    ),
    (
        "min-rtt-after-quiescence",
        "ProbeBwAfterQuiescencePostponeMinRttTimestamp",
        "A pause of 15 s postpones the time of the smallest round trip by at least 14 s",
        "the time of the smallest round trip is not reported; bbr-probe-rtt-skipped covers that"
        " PROBE_RTT does not follow a pause",
    ),
    (
        "switch-algorithm",
        "SwitchToBbr2MidConnection",
        "A connection that changes from BBR to BBRv2 keeps its window",
        "a connection cannot change its algorithm",
    ),
    (
        "adjusted",
        "AdjustNetworkParameters",
        "A known bandwidth and round trip give the window and the pace",
        SEEDED,
    ),
    (
        "adjusted-200",
        "200InitialCongestionWindowWithNetworkParameterAdjusted",
        "A known bandwidth gives a window of 200 packets at most",
        SEEDED,
    ),
    (
        "adjusted-100",
        "100InitialCongestionWindowFromNetworkParameter",
        "A known bandwidth gives a window of 100 packets at most, if the caller says so",
        SEEDED,
    ),
    (
        "adjusted-100-icw1",
        "100InitialCongestionWindowWithNetworkParameterAdjusted",
        "The same by option ICW1",
        SEEDED,
    ),
)
for _name, _test, _statement, _why in TESTS:
    CASES.leave_out(_name, _test, _statement, _why, TOPOLOGY_TEST)
CASES.leave_out(
    "bad-rtt",
    "BadRttSample",
    "A negative round trip does not change the smallest one",
    "the smallest round trip is not reported, and the transport measures no negative one",
    "MinRttFilter",
)
