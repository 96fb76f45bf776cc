"""One screen or table covers one window of time: columns over another window say so."""

import pytest

from headgate import Scenario
from headgate.data.columns import FLOWS, PORTS, Column
from headgate.data.measures.shown import by_cca

COUNTED = ("retransmissions", "timeouts", "recoveries")
#: Properties of a flow or a link that do not depend on the window.
STANDING = ("size_packets", "buffer_packets", "delay_s", "burst")


def run(duration: str, warmup: str = "0 s") -> dict[str, int]:
    network = {"kind": "dumbbell", "rate": "5 Mbit/s", "rtt": "40 ms", "buffer": "0.3 BDP"}
    flows = {"kind": "flows", "cca": "reno", "count": 30, "stagger": "20 ms"}
    given = {"network": network, "traffic": [flows], "duration": duration}
    result = Scenario.from_dict(given | {"measure": {"warmup": warmup}}).run()
    table = result.flows
    names = [*COUNTED, *(f"{name}_total" for name in COUNTED)]
    (row,) = by_cca(result.tables)
    assert row["retransmissions"] == table["retransmissions"].sum()
    return {name: int(table[name].sum()) for name in names}


def test_repairs_count_from_the_end_of_the_warm_up() -> None:
    short, whole = run("5 s"), run("12 s", warmup="5 s")
    for name in COUNTED:
        assert 0 < whole[name] == whole[f"{name}_total"] - short[f"{name}_total"], name
        assert short[name] == short[f"{name}_total"]


def test_flows_that_ended_in_the_warm_up_are_not_among_the_results_of_an_algorithm() -> None:
    network = {"kind": "dumbbell", "rate": "5 Mbit/s", "rtt": "40 ms"}
    early = {"kind": "flows", "cca": "reno", "size": "5 packets"}
    late = early | {"start": "3 s"}
    given = {"network": network, "traffic": [early, late], "duration": "5 s"}
    (row,) = by_cca(Scenario.from_dict(given | {"measure": {"warmup": "2 s"}}).run().tables)
    assert (row["flows"], row["finished"]) == (1, 1)


@pytest.mark.parametrize("column", [*FLOWS, *PORTS], ids=lambda column: column.name)
def test_a_figure_says_from_when_on_it_counts(column: Column) -> None:
    if column.unit == "" or column.name in STANDING:
        return
    said = column.definition
    assert any(
        words in said
        for words in ("after the warm-up", "end of the warm-up", "start of the flow", "first SYN",
                      "handshake")
    ), said  # fmt: skip
