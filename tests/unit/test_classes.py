"""The classes that a network gives its routers distinguish its flows."""

import numpy as np
import pytest

from headgate import Scenario
from headgate.base.errors import ScenarioError
from headgate.data.columns.mesonet import PAIRS


def chain(*classes: str) -> Scenario:
    """Give routers in a row, with a flow from each to the next and from end to end."""
    routers = [{"name": f"r{n}", "class_name": label} for n, label in enumerate(classes)]
    ends = [(f"r{n}", f"r{n + 1}") for n in range(len(classes) - 1)]
    pairs = [*ends, ("r0", f"r{len(classes) - 1}")]
    return Scenario.from_dict(
        {
            "network": {
                "kind": "graph", "rate": "10 Mbit/s", "delay": "2 ms", "routers": routers,
                "links": [{"ends": pair} for pair in ends],
            },
            "traffic": [
                {"kind": "flows", "cca": "reno", "size": "20 packets", "source": a, "receiver": b}
                for a, b in pairs
            ],
            "duration": "2 s",
        }
    )  # fmt: skip


def test_pairs_are_those_of_the_network() -> None:
    result = chain("edge", "core", "core", "").run()
    classes = result.tables["classes"]
    finished = dict(zip(classes["class"], classes["completed"], strict=True))
    assert finished == {"core/core": 1, "core/edge": 1, "": 2}
    assert sorted(result.flows["class"]) == ["", "", "core/core", "core/edge"]
    assert set(classes["interface"]) == {"normal"}


def test_classes_of_one_letter_stand_together() -> None:
    result = chain("b", "a", "edge").run()
    assert sorted(result.flows["class"]) == ["a/edge", "ab", "b/edge"]


def test_responses_of_the_model_network_are_of_its_classes_only() -> None:
    responses = chain("core", "edge").run().responses
    assert all(responses[f"flows_{pair}"][0] == 0 for pair in PAIRS)
    assert np.isnan([responses[f"y{number}"][0] for number in range(17, 23)]).all()
    responses = chain("N", "D").run().responses
    assert (responses["flows_DN"][0], responses["flows_DD"][0]) == (2, 0)
    assert responses["y19"][0] == responses["rate_sum_DN"][0] / 2


@pytest.mark.parametrize("label", ["core/edge", "x" * 41, "a\nb"])
def test_an_invalid_label_is_refused(label: str) -> None:
    with pytest.raises(ScenarioError, match="at most 40 characters, none of them '/'") as error:
        chain("core", label).run()
    assert str(error.value).startswith("network.routers[1].class_name: ")


def test_more_kinds_of_flow_than_can_be_counted_are_refused() -> None:
    with pytest.raises(ScenarioError, match=r"400 classes of routers.* at most 200000"):
        chain(*(f"class {n}" for n in range(400))).run()
