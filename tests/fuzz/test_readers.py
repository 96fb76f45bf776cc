"""Files from anybody: any bytes are read, or refused in a sentence."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.capture_file import exchange, udp, write

from headgate import Result, Scenario
from headgate.base.errors import HeadgateError
from headgate.engine.captures.read import SIDES, list_flows, read_capture
from headgate.engine.captures.summary import warnings
from headgate.engine.captures.write import summarise
from headgate.scenario.networks.graph import read_graph
from headgate.scenario.traffic.replay import read_flow_list

from .draw import Draw
from .mutation import mutated

#: Mutants of each file.
COUNT = 150

TOML = b"""duration = "1 s"
[network]
kind = "dumbbell"
rate = "1 Mbit/s"
rtt = "20 ms"
queue = { name = "codel", target = "5 ms" }
[[traffic]]
kind = "web"
cca = { name = "cubic", beta = 0.7 }
users = 3
size = { kind = "pareto", mean = "20 packets", shape = 1.5 }
[measure]
periods = [["0 s", "0.5 s"], ["0.5 s", "1 s"]]
"""

CSV = b"""start_s,size_packets,source,receiver,cca
0.0,3,left,right,reno
0.5,100,right,left,cubic
"""

GRAPHML = b"""<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="k" for="node" attr.name="class" attr.type="string"/>
  <key id="r" for="edge" attr.name="rate" attr.type="string"/>
  <key id="l" for="edge" attr.name="loss" attr.type="double"/>
  <graph edgedefault="undirected">
    <node id="a"><data key="k">D</data></node><node id="b"/>
    <edge source="a" target="b"><data key="r">1 Mbit/s</data><data key="l">0.1</data></edge>
  </graph>
</graphml>
"""

NODE_LINK = json.dumps(
    {
        "directed": False,
        "multigraph": False,
        "graph": {},
        "nodes": [{"id": "a", "class": "D"}, {"id": "b"}],
        "links": [{"source": "a", "target": "b", "rate": "1 Mbit/s", "delay": "1 ms"}],
    }
).encode()


def scenario(path: Path) -> None:
    Scenario.load(path).plan()


def flow_list(path: Path) -> None:
    read_flow_list(str(path), "traffic[0].file")


def graph(path: Path) -> None:
    network = read_graph(str(path)) | {
        "kind": "graph",
        "rate": "1 Mbit/s",
        "delay": "1 ms",
        "buffer": "10 packets",
    }
    flow = {"kind": "flows", "cca": "reno", "source": "a", "receiver": "b"}
    Scenario.from_dict({"duration": "1 s", "network": network, "traffic": [flow]}).plan()


def capture(path: Path) -> None:
    read = read_capture(path)
    summarise(read)
    list(warnings(read))
    list_flows(read, SIDES)


def faults(good: bytes, path: Path, read: Callable[[Path], object]) -> list[str]:
    """Say which mutants of a good file were neither read nor refused."""
    path.write_bytes(good)
    read(path)
    found = []
    for seed in range(COUNT):
        path.write_bytes(mutated(Draw(seed), good))
        try:
            read(path)
        except HeadgateError as refusal:
            if not 0 < len(str(refusal)) < 2000:
                found.append(f"{seed}: {refusal}")
        except Exception as error:
            found.append(f"{seed}: {type(error).__name__}: {error}"[:200])
    return found


@pytest.mark.parametrize(
    ("name", "good", "read"),
    [
        ("scenario.toml", TOML, scenario),
        ("list.csv", CSV, flow_list),
        ("net.graphml", GRAPHML, graph),
        ("net.json", NODE_LINK, graph),
    ],
)
def test_a_damaged_text_is_read_or_refused(
    name: str, good: bytes, read: Callable[[Path], object], tmp_path: Path
) -> None:
    assert faults(good, tmp_path / name, read) == []


def test_a_damaged_parquet_list_is_read_or_refused(tmp_path: Path) -> None:
    import duckdb

    (tmp_path / "good.csv").write_bytes(CSV)
    good = tmp_path / "good.parquet"
    duckdb.connect().read_csv(str(tmp_path / "good.csv")).write_parquet(str(good))
    assert faults(good.read_bytes(), tmp_path / "list.parquet", flow_list) == []


def test_a_damaged_capture_is_read_or_refused(tmp_path: Path) -> None:
    packets = [*exchange(), *exchange(1.0, client=("10.0.0.2", 5)), udp(2.0, 443, 9)]
    good = write(tmp_path / "good.pcap", packets).read_bytes()
    assert faults(good, tmp_path / "some.pcap", capture) == []


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run's folder."""
    import tomllib

    folder = tmp_path_factory.mktemp("run")
    Scenario.from_dict(tomllib.loads(TOML.decode())).run().write(folder)
    return folder


@pytest.mark.parametrize("name", ["run.json", "flows.parquet", "ports.parquet"])
def test_a_damaged_run_is_read_or_refused(name: str, finished: Path) -> None:
    good = (finished / name).read_bytes()
    assert faults(good, finished / name, lambda path: Result.read(path.parent)) == []
    (finished / name).write_bytes(good)
