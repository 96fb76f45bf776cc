"""Networks of fluid models: their notation, their names in tables, and the refused ones."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from headgate.base import catalog
from headgate.base.errors import HeadgateError
from headgate.cli.main import app
from headgate.engine.fluid import solve, sweep
from headgate.engine.fluid.network import resolve

MODEL = "misra-gong-towsley"


def network(**changes: Any) -> dict[str, Any]:
    """Give two classes, one over both links, with changes to the part that is named."""
    parts = {
        "links": {
            "first": {"rate": "12 Mbit/s", "buffer": "1 BDP"},
            "second": {"rate": "24 Mbit/s", "delay": "5 ms", "params": {"max_p": 0.2}},
        },
        "classes": {
            "long": {"flows": 5, "rtt": "100 ms", "path": ["first", "second"]},
            "short": {"flows": 2.5, "rtt": "40 ms", "path": ["first"], "params": {"beta": 0.3}},
        },
    }
    return parts | changes


def with_class(**changes: Any) -> dict[str, Any]:
    return network(classes={"a": {"rtt": "40 ms", "path": ["first"]} | changes})


def with_link(**changes: Any) -> dict[str, Any]:
    links = {"first": {"rate": "12 Mbit/s"} | changes}
    return network(links=links, classes={"a": {"rtt": "40 ms", "path": ["first"]}})


def test_a_network_is_read_in_packets_and_seconds() -> None:
    """12 Mbit/s are 1000 packets of 1500 B a second; the longest RTT over it is 100 ms."""
    card = catalog.model(MODEL)
    resolved = resolve(card, network())
    first, second = resolved.parts["links"]
    assert first == {
        "rate_packets_s": 1000.0,
        "buffer_packets": 100.0,
        "delay_s": 0.0,
        "set": [],
    }
    names = [param.name for param in card.params]
    assert second["set"] == [(names.index("max_p"), 0.2)]
    assert second["buffer_packets"] is None
    assert resolved.parts["classes"][1]["path"] == [0]
    assert resolved.parts["classes"][1]["set"] == [(names.index("beta"), 0.3)]
    assert resolved.names == {"class": ["long", "short"], "link": ["first", "second"]}


def test_buffers_are_packets_bytes_or_time() -> None:
    for text, packets in (("30 packets", 30.0), ("3 kB", 2.0), ("5 ms", 5.0)):
        (link,) = resolve(catalog.model(MODEL), with_link(buffer=text)).parts["links"]
        assert link["buffer_packets"] == pytest.approx(packets, rel=1e-12)


def test_the_tables_name_classes_and_links() -> None:
    result = solve(MODEL, network=network(), duration="10 s")
    assert list(result.flows["traffic"]) == ["long", "short"]
    assert list(result.ports["link"]) == ["first", "second"]
    assert result.ports["rate_bps"] == pytest.approx([12e6, 24e6])
    assert np.all(result.tables["network"]["active_flows"] == 7.5)


def test_a_sweep_takes_a_network() -> None:
    table = sweep(MODEL, {"beta": [0.5, 0.5]}, network=network(), duration="5 s")
    run = solve(MODEL, network=network(), duration="5 s")
    windows = run.series["cwnd_packets"][run.series["name"] == "long"]
    assert table["class_0_cwnd_packets_max"][1] == windows.max()


def test_a_sweep_varies_numbers_of_the_network() -> None:
    """Each run is the one that `solve` gives for its network; a buffer in BDP follows the rate."""
    rates = ["10 Mbit/s", "20 Mbit/s"]
    varied = {
        "links.second.rate": rates,
        "classes.long.flows": [2, 3.5],
        "classes.long.rtt": "80 ms",
        "beta": [0.5, 0.4],
    }
    table = sweep(MODEL, varied, network=network(), duration="5 s")
    assert list(table["links.second.rate"]) == [10e6, 20e6]
    assert list(table["classes.long.rtt"]) == [0.08, 0.08]
    for run, (rate, flows, beta) in enumerate(zip(rates, (2, 3.5), (0.5, 0.4), strict=True)):
        own = network()
        own["links"]["second"]["rate"] = rate
        own["classes"]["long"] |= {"flows": flows, "rtt": "80 ms"}
        alone = solve(MODEL, {"beta": beta}, network=own, duration="5 s")
        windows = alone.series["cwnd_packets"][alone.series["name"] == "long"]
        assert table["class_0_cwnd_packets_max"][run] == windows.max()
        queue = alone.series["queue_packets"][alone.series["name"] == "second"]
        assert table["link_1_queue_packets_max"][run] == queue.max()


def test_a_varied_buffer_is_shown_in_packets() -> None:
    one = {"rate": "12 Mbit/s", "buffer": "1 BDP"}
    described = {"links": {"a.b": one}, "classes": {"x": {"rtt": "100 ms", "path": ["a.b"]}}}
    varied = {"links.a.b.buffer": ["1 BDP", "30 packets", "infinite"]}
    table = sweep("fast", varied, network=described, duration="1 s")
    assert list(table["links.a.b.buffer"]) == [100.0, 30.0, np.inf]
    assert set(varied) <= set(table)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"links.core.rate": ["1 Mbit/s"]}, "links.core.rate: 'core' is not one of first, second"),
        (
            {"links.first.colour": [1]},
            "must be written links.NAME.NUMBER; the numbers are rate, buffer",
        ),
        ({"classes.flows": [1]}, "must be written classes.NAME.NUMBER; the numbers are flows, rtt"),
        ({"classes.long.flows": [1, 0]}, "network.classes.long.flows: must be a number above zero"),
        ({"links.first.rate": [1]}, "network.links.first.rate: 1 has no unit"),
        ({"classes.long.flows": 3}, "params: at least one must be a list"),
        ({"classes.long.flows": [[3]]}, "classes.long.flows: must be a list of values"),
        ({"classes.long.flows": [1, 2], "beta": [0.5]}, "beta: has 1 values; another has 2"),
    ],
)
def test_a_mistake_in_a_varied_network_is_one_sentence(params: dict[str, Any], said: str) -> None:
    with pytest.raises(HeadgateError, match=re.escape(said)):
        sweep(MODEL, params, network=network(), duration="1 s")


def test_a_network_that_varies_is_given() -> None:
    with pytest.raises(
        HeadgateError, match=r"network: is missing; links\.a\.rate is one of its numbers"
    ):
        sweep(MODEL, {"links.a.rate": ["1 Mbit/s"]}, duration="1 s")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (list, "network: must be a table of classes, links, packet; got []"),
        (
            lambda: network(hosts={}),
            "network.hosts: is not a known key; known: classes, links, packet",
        ),
        (lambda: network(links={}), "network.links: must be a table of tables by name"),
        (lambda: network(packet="0 B"), "network.packet: must be a size above zero"),
        (lambda: network(packet=1500), "network.packet: 1500 has no unit"),
        (
            lambda: with_class(flows=0),
            "network.classes.a.flows: must be a number above zero; got 0",
        ),
        (lambda: with_class(flows="2"), "network.classes.a.flows: must be a number; got '2'"),
        (lambda: with_class(rtt="0 s"), "network.classes.a.rtt: must be a time above zero"),
        (lambda: with_class(path=[]), "network.classes.a.path: must be a list of links; got []"),
        (lambda: with_class(path=["x"]), "'x' is not a link; links: first, second"),
        (lambda: with_class(path=["first"] * 2), "network.classes.a.path: passes 'first' twice"),
        (lambda: with_class(delay="1 s"), "network.classes.a.delay: is not a known key"),
        (lambda: with_class(params={"gain": 1}), "a.params.gain: 'misra-gong-towsley' has no"),
        (
            lambda: with_class(params={"beta": 2}),
            "network.classes.a.params.beta: 'beta' must be a number",
        ),
        (lambda: with_class(params={"max_p": 0.2}), "max_p: is a parameter of links"),
        (lambda: with_link(params={"beta": 0.2}), "beta: is a parameter of classes"),
        (lambda: with_link(params=[]), "network.links.first.params: must be a table of parameters"),
        (lambda: with_link(rate="0 bit/s"), "network.links.first.rate: '0 bit/s' is zero"),
        (lambda: with_link(buffer="3"), "network.links.first.buffer: '3' has no unit"),
        (lambda: with_link(buffer="1 BDP/sqrt(n)"), "is not allowed here; write '1 BDP'"),
        (lambda: with_link(delay="x"), "network.links.first.delay: 'x' is not a time"),
    ],
)
def test_a_mistake_is_one_sentence(make: Callable[[], Any], said: str) -> None:
    with pytest.raises(HeadgateError) as raised:
        solve(MODEL, network=make())
    assert said in str(raised.value)


def test_a_buffer_in_bdp_needs_a_class_that_passes() -> None:
    links = {"first": {"rate": "12 Mbit/s"}, "idle": {"rate": "12 Mbit/s", "buffer": "1 BDP"}}
    with pytest.raises(HeadgateError, match="no class passes, so it has no RTT"):
        solve(MODEL, network=network(links=links, classes={"a": {"rtt": "1 s", "path": ["first"]}}))


def test_a_model_with_a_fixed_network_takes_none() -> None:
    classes = {"a": {"rtt": "1 s", "path": ["first"]}}
    with pytest.raises(HeadgateError, match="'tcp-red' has a network of its own; leave this out"):
        solve("tcp-red", network={"links": {"first": {"rate": "1 Mbit/s"}}, "classes": classes})


def test_the_command_takes_a_network_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "network.toml"
    link = '[links.core]\nrate = "12 Mbit/s"\n'
    path.write_text(f'{link}[classes.web]\nflows = 5\nrtt = "50 ms"\npath = ["core"]\n')
    done = CliRunner().invoke(app, ["fluid", MODEL, "--network", str(path)])
    assert done.exit_code == 0
    assert "web: " in done.stdout
    path.write_text("[links")
    for wrong in (path, tmp_path / "none.toml"):
        failed = CliRunner().invoke(app, ["fluid", MODEL, "--network", str(wrong)])
        assert isinstance(failed.exception, HeadgateError)
