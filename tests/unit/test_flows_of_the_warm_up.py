"""A flow that ends within the warm-up delivers and repairs nothing after it."""

from headgate import Scenario

NETWORK = {"kind": "dumbbell", "rate": "20 Mbit/s", "rtt": "40 ms", "buffer": "0.3 BDP"}
EARLY = {"kind": "flows", "cca": "cubic", "size": "5 MB"}
LATE = {"kind": "flows", "cca": "reno", "start": "4 s"}
AFTER = ("delivered_packets", "retransmissions", "timeouts", "recoveries", "undone")


def test_counts_after_the_warm_up_leave_out_what_ended_before() -> None:
    given = {"network": NETWORK, "traffic": [EARLY, LATE], "duration": "10 s"}
    result = Scenario.from_dict(given | {"measure": {"warmup": "5 s"}}).run()
    flows = result.flows
    early, late = (list(flows["cca"]).index(cca) for cca in ("cubic", "reno"))
    assert flows["status"][early] == "finished"
    assert flows["retransmissions_total"][early] > 0
    assert [flows[name][early] for name in AFTER] == [0] * len(AFTER)
    # the other flow crossed the bottleneck after the warm-up, but for a window
    crossed = result.ports["departures"][0]
    assert 0.9 * crossed < flows["delivered_packets"][late] <= 1.1 * crossed


def test_without_a_warm_up_all_counts() -> None:
    whole = Scenario.from_dict({"network": NETWORK, "traffic": [EARLY], "duration": "10 s"}).run()
    assert whole.flows["retransmissions"][0] == whole.flows["retransmissions_total"][0] > 0
    assert whole.flows["delivered_packets"][0] == whole.flows["size_packets"][0]
