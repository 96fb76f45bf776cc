"""An algorithm that asks for more than a run can hold: one sentence, with the flow and the CCA."""

import pytest

from headgate import Scenario
from headgate.base.errors import ScenarioError

GREEDY = """
class Greedy:
    def on_ack(self, ack, path, window):
        window.cwnd = 9e6

    def on_congestion(self, event, path, window):
        window.ssthresh = 2.0
"""


def test_the_flow_and_the_algorithm_are_named(tmp_path) -> None:
    (tmp_path / "greedy.py").write_text(GREEDY)
    own = f"{tmp_path / 'greedy.py'}:Greedy"
    network = {"kind": "dumbbell", "rate": "10 Mbit/s", "rtt": "20 ms", "buffer": "infinite"}
    traffic = [
        {"kind": "flows", "cca": "reno"},
        {"kind": "flows", "cca": own, "name": "greedy one"},
    ]
    scenario = Scenario.from_dict({"duration": "1 s", "network": network, "traffic": traffic})
    with pytest.raises(ScenarioError, match="more than 1000000 packets at once") as refused:
        scenario.run()
    assert "flow 'greedy one'" in refused.value.place
    assert "algorithm 'Greedy'" in refused.value.place
