"""Keys of links that would be ignored: a loss beside that of a course, changes after the run."""

from pathlib import Path
from typing import Any

import pytest

from headgate.base.errors import ScenarioError

from .scenarios import DUMBBELL, planned

CHANGES = {"changes": [{"at": "60 s", "rate": "5 Mbit/s"}, {"at": "61 s", "rate": "9 Mbit/s"}]}
GRAPH = {
    "kind": "graph",
    "rate": "10 Mbit/s",
    "routers": [{"name": "a"}, {"name": "b"}],
}
ENDS = {"kind": "flows", "cca": "reno", "source": "a", "receiver": "b"}


@pytest.fixture
def lossy(tmp_path: Path) -> dict[str, Any]:
    """Return a course with losses, and one without them."""
    for name, text in (("lossy", "0,1e6,0.1\n1,2e6,0\n"), ("plain", "0,1e6\n1,2e6\n")):
        columns = "time_s,rate_bps" + ",loss" * (name == "lossy")
        (tmp_path / name).write_text(f"{columns}\n{text}")
    return {name: str(tmp_path / name) for name in ("lossy", "plain")}


def test_a_loss_beside_that_of_a_course_is_refused(lossy: dict[str, Any]) -> None:
    line = {"kind": "dumbbell", "rtt": "40 ms"}
    says = r"network\.loss: the course gives the loss; leave one of the two out"
    with pytest.raises(ScenarioError, match=says):
        planned({**line, "course": lossy["lossy"], "loss": 0.02})
    link = planned({**line, "course": lossy["plain"], "loss": 0.02})["links"][0]
    assert link["loss"] == 0.02


@pytest.mark.parametrize("loss", [0, 0.02])
def test_a_loss_of_the_other_direction_beside_its_course_is_refused(
    loss: float, lossy: dict[str, Any]
) -> None:
    with pytest.raises(ScenarioError, match=r"network\.reverse\.loss: the course gives the loss"):
        planned({**DUMBBELL, "reverse": {"course": lossy["lossy"], "loss": loss}})
    both = {"kind": "dumbbell", "rtt": "40 ms", "course": lossy["lossy"]}
    with pytest.raises(ScenarioError, match=r"network\.reverse\.loss: the course gives the loss"):
        planned({**both, "reverse": {"loss": loss}})
    alone = planned({**both, "reverse": {"rate": "1 Mbit/s", "loss": loss}})["links"]
    assert [link["loss"] for link in alone] == [0.1, loss]


def test_a_loss_of_a_link_of_a_graph_beside_its_course_is_refused(lossy: dict[str, Any]) -> None:
    link = {"ends": ["a", "b"], "delay": "1 ms", "course": lossy["lossy"], "loss": 0.5}
    with pytest.raises(ScenarioError, match=r"network\.links\[0\]\.loss: the course gives"):
        planned({**GRAPH, "links": [link]}, ENDS)


def test_changes_after_the_end_of_the_run_are_refused() -> None:
    says = r"changes\[0\]\.at: 60 s is after the end of the run, which lasts 60 s"
    with pytest.raises(ScenarioError, match=rf"network\.{says}"):
        planned({**DUMBBELL, **CHANGES})
    with pytest.raises(ScenarioError, match=rf"network\.reverse\.{says}"):
        planned({**DUMBBELL, "reverse": CHANGES})
    link = {"ends": ["a", "b"], "delay": "1 ms", **CHANGES}
    with pytest.raises(ScenarioError, match=rf"network\.links\[0\]\.{says}"):
        planned({**GRAPH, "links": [link]}, ENDS)
    # a list for a longer run remains valid if the run is shortened
    assert len(planned({**DUMBBELL, **CHANGES}, duration="61 s")["links"][0]["changes"]) == 2
