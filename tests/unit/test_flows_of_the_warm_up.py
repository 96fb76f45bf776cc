"""A flow that ends within the warm-up delivers and repairs nothing after it."""

import numpy as np
import pytest

from headgate import Result, Scenario
from headgate.data.measures.shown import by_cca
from headgate.experiment import measures, sql
from headgate.experiment.part_measures import measure_parts

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


@pytest.fixture(scope="module")
def mixed() -> Result:
    """One file ends within the warm-up, one after it, and one flow is endless."""
    later = {**EARLY, "start": "4.9 s", "size": "1 MB"}
    given = {"network": NETWORK, "traffic": [EARLY, later, LATE], "duration": "10 s"}
    return Scenario.from_dict(given | {"measure": {"warmup": "5 s"}}).run()


def ask(result: Result, word: str) -> float:
    return sql.number(sql.ask(measures.find(word).sql, result.tables))


@pytest.mark.parametrize("word", ["afct_s", "avg(flows.fct_receiver_s)"])
def test_completion_times_are_those_of_the_printed_table(mixed: Result, word: str) -> None:
    times = mixed.flows["fct_receiver_s"]
    assert np.isfinite(times).sum() == 2
    row = next(row for row in by_cca(mixed.tables) if row["cca"] == "cubic")
    assert ask(mixed, word) == pytest.approx(row["mean_fct_receiver_s"])
    assert ask(mixed, word) != pytest.approx(np.nanmean(times))
    pairs = measure_parts(mixed, ["pairs"])["pairs"]["fct_receiver_s"]
    assert list(pairs.values()) == pytest.approx([row["mean_fct_receiver_s"]])


def test_no_response_over_flows_counts_a_flow_of_the_warm_up(mixed: Result) -> None:
    active = mixed.flows["active_s"] > 0
    assert ask(mixed, "avg(flows.mean_rtt_s)") == pytest.approx(
        mixed.flows["mean_rtt_s"][active].mean()
    )
    resent = mixed.flows["slow_start_resent_packets"]
    assert resent[~active].sum() > 0
    assert ask(mixed, "slow_start_lost_packets") == resent[active].sum()
    rates = mixed.flows["goodput_bps"][active]
    assert ask(mixed, "jain") == pytest.approx(rates.sum() ** 2 / len(rates) / (rates**2).sum())
