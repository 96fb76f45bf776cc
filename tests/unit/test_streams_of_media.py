"""Real-time media as users meet it: in experiments, in what a run prints, and in its counts."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headgate import Experiment, Scenario
from headgate.base.errors import HeadgateError
from headgate.data.measures.shown import by_stream, show_run
from headgate.experiment.templates import write_experiment
from headgate.figures.spec.flows import draw_throughput
from headgate.figures.spec.run import Run
from headgate.scenario.keys import change_keys

STREAM = {"kind": "media", "rate_controller": "gcc"}
CUBIC = {"kind": "flows", "cca": "cubic"}
NETWORK = {"kind": "dumbbell", "rate": "5 Mbit/s", "rtt": "40 ms", "buffer": "1 BDP"}


def experiment(*traffic: dict[str, Any], **keys: Any) -> Experiment:
    base = {"duration": "3 s", "network": NETWORK, "traffic": [*traffic]}
    factors = {"network.buffer": ["1 BDP", "2 BDP"]}
    return Experiment(base, factors=factors, replicates=1, **keys)


@pytest.mark.filterwarnings("ignore")
def test_responses_read_the_table_of_streams(tmp_path: Path) -> None:
    asked = {"mbps": {"sql": "SELECT avg(received_bps) / 1e6 FROM media"}}
    outcome = experiment(STREAM, responses=asked).run(tmp_path)
    base = {"duration": "3 s", "network": NETWORK, "traffic": [STREAM]}
    single = Scenario.from_dict(base | {"seed": int(outcome.runs["seed"][0])}).run()
    assert outcome.runs["mbps"][0] == single.tables["media"]["received_bps"][0] / 1e6


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        ({"responses": ["avg(media.received_bps)"]}, "responses.avg_received_bps: reads the table"),
        ({"responses": ["goodput_bps"], "tables": ["media"]}, "tables: keeps the table media"),
    ],
)
def test_a_scenario_without_streams_has_no_table_of_them(keys: dict[str, Any], place: str) -> None:
    with pytest.raises(HeadgateError, match="no traffic of the kind") as raised:
        experiment(CUBIC, **keys).check()
    assert place in str(raised.value)


def test_responses_that_leave_out_streams_are_warned_of() -> None:
    said = experiment(STREAM, CUBIC, responses=["goodput_bps"]).check()
    assert any("the table flows contains no streams of media" in text for text in said)
    both = ["goodput_bps", "avg(media.received_bps)"]
    assert not any("streams" in text for text in experiment(STREAM, responses=both).check())
    assert not any("streams" in text for text in experiment(CUBIC, responses=both[:1]).check())


@pytest.mark.parametrize("controller", ["scream", "gcc", "fixed-rate"])
def test_every_packet_of_a_stream_arrives_or_is_lost(controller: str) -> None:
    """The link is down for three seconds. Only packets whose reports it lost can be both."""
    outages = [{"start": "3 s", "duration": "3 s"}]
    stream = {**STREAM, "rate_controller": controller, "stop": "9 s"}
    base = {"duration": "10 s", "network": {**NETWORK, "outages": outages}, "traffic": [stream]}
    media = Scenario.from_dict(base).run().tables["media"]
    sent, received, lost = (
        int(media[f"packets_{name}"][0]) for name in ("sent", "received", "lost")
    )
    assert sent > received > 0
    assert 0 <= lost - (sent - received) <= 40


def test_a_result_shows_its_streams() -> None:
    base = {"duration": "3 s", "network": NETWORK, "traffic": [STREAM, CUBIC]}
    result = Scenario.from_dict(base).run()
    shown = {one.title: one for one in show_run(result.tables, result.meta)}
    (row,) = shown["Streams of media"].records()
    received_mbps = float(result.tables["media"]["received_bps"][0]) / 1e6
    assert (row["stream"], row["rate controller"]) == ("gcc", "gcc")
    assert float(row["received (Mbit/s)"]) == pytest.approx(received_mbps, rel=1e-3)
    delay_ms = 1e3 * float(result.tables["media"]["mean_packet_delay_s"][0])
    assert float(row["mean delay (ms)"]) == pytest.approx(delay_ms, rel=1e-3)
    assert [*shown][1] == "Streams of media"


def test_a_stream_that_never_starts_has_no_rate_and_no_picture() -> None:
    late = {**STREAM, "start": "5 s"}
    base = {"duration": "3 s", "network": NETWORK, "traffic": [late, CUBIC]}
    result = Scenario.from_dict(base).run()
    (row,) = by_stream(result.tables)
    assert np.isnan([row["received_bps"], row["mean_packet_delay_s"]]).all()
    without = Scenario.from_dict(base | {"measure": {"series": "none"}}).run()
    assert draw_throughput([Run("one", without.tables, without.meta)]) is None


@pytest.mark.parametrize("others", [(), (CUBIC,)])
def test_the_picture_of_throughput_contains_streams(others: tuple[dict[str, Any], ...]) -> None:
    measure = {"series": {"interval": "100 ms"}}
    base = {"duration": "3 s", "network": NETWORK, "traffic": [STREAM, *others]}
    result = Scenario.from_dict(base | {"measure": measure}).run()
    picture = draw_throughput([Run("one", result.tables, result.meta)])
    assert picture is not None
    (line,) = (line for line in picture.panels[0].lines if line.name == "gcc (media)")
    received_mbps = float(result.tables["media"]["received_bps"][0]) / 1e6
    assert float(np.mean(line.y)) == pytest.approx(received_mbps, rel=0.05)
    assert "packets that arrive, with headers" in picture.caption


@pytest.mark.parametrize(("others", "factor"), [((), "rate_controller"), ((CUBIC,), "cca")])
def test_a_new_experiment_on_streams_is_valid(
    others: tuple[dict[str, Any], ...], factor: str, tmp_path: Path
) -> None:
    given = {"duration": "3 s", "network": NETWORK, "traffic": [STREAM, *others]}
    Scenario.from_dict(given).save(tmp_path / "base.toml")
    write_experiment(tmp_path / "new.toml", tmp_path / "base.toml")
    made = Experiment.load(tmp_path / "new.toml")
    assert not any("streams of media" in text for text in made.check())
    assert {"buffer", "rtt", factor} == {*made.definition.levels}


def test_an_algorithm_is_set_beside_streams_but_not_for_them() -> None:
    base = {"duration": "3 s", "network": NETWORK, "traffic": [STREAM, CUBIC]}
    changed = Scenario.from_dict(base).replaced({"cca": "bbr3", "share.reno": 0.5})
    stream, flows = changed.to_dict()["traffic"]
    assert "cca" not in stream
    assert [part["cca"] for part in flows["cca"]] == ["reno", "bbr3"]
    change_keys(broken := {"traffic": ["reno"]}, [("cca", "bbr3")])
    with pytest.raises(HeadgateError, match="traffic"):  # an item that is no table, as before
        Scenario.from_dict(base | broken)
    alone = Scenario.from_dict(base | {"traffic": [STREAM]})
    with pytest.raises(
        HeadgateError, match="of the kind media takes no algorithm, and there is no other"
    ):
        alone.replaced({"cca": "bbr3"})
