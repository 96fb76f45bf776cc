"""A user's own queue discipline: written in each way, it gives the results of ours."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headgate import Result, Scenario, dumbbell
from headgate.base.errors import InterruptedRunError, UntrustedCcaError
from headgate.engine.api import simulate
from headgate.engine.run.options import RunOptions
from headgate.engine.run.simulate import SNAPSHOT_FILE
from headgate.lab.jobs import Job
from headgate.lab.processes import Processes
from headgate.lab.scheduler import Scheduler
from headgate.lab.store import Store
from headgate.plugin import code_files

from ..errors.command import headgate
from .test_own_ccas import interrupted_at, module

DISCIPLINES = Path(__file__).parent / "disciplines"
COPIES = DISCIPLINES / "copies.py"

RED = {
    "name": "red",
    "min": "3 packets",
    "max": "12 packets",
    "max_p": 0.1,
    "weight": 0.5,
    "mean_packet": "1500 B",
}
#: The reference of each copy: the built-in discipline, and the algorithm of the flows.
OURS: dict[str, tuple[dict[str, Any], str]] = {
    "Threshold": ({"name": "threshold", "mark": "20 packets"}, "dctcp"),
    "Red": (RED, "reno"),
    "Codel": ({"name": "codel", "root": "exact", "ecn": "on"}, "reno"),
    "Pi": ({"name": "pi", "reference": "10 packets"}, "reno"),
}
WAYS = {
    "Threshold": ["copies.py:Threshold", "copies.py:CompiledThreshold", "threshold.c"],
    "Red": ["copies.py:Red", "copies.py:CompiledRed", "red.c:red", "red.rs:red"],
    "Codel": ["copies.py:Codel", "copies.py:CompiledCodel", "codel.c"],
    "Pi": ["copies.py:Pi", "copies.py:CompiledPi"],
}


def scenario(queue: object, cca: str = "reno") -> Scenario:
    """Four flows through a bottleneck, and traffic the other way."""
    flows: list[dict[str, Any]] = [
        {"cca": cca, "count": 4, "stagger": "37 ms"},
        {"cca": cca, "reverse": True},
    ]
    network = dumbbell(rate="20 Mbit/s", rtt="40 ms", buffer="2 BDP", flows=flows)
    return network.replaced({"duration": "5 s", "network.queue": queue})


def needs(way: str) -> None:
    if "Compiled" in way:
        pytest.importorskip("numba")


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        yield


def ours(name: str) -> Result:
    queue, cca = OURS[name]
    return scenario(queue, cca).run()


def decided(result: Result) -> int:
    ports = result.ports
    return int(ports["drops"].sum() + ports["marks"].sum())


@pytest.mark.parametrize(("name", "way"), [(name, way) for name in WAYS for way in WAYS[name]])
def test_a_copy_in_every_way_gives_the_digest_of_ours(name: str, way: str) -> None:
    needs(way)
    yardstick = ours(name)
    assert decided(yardstick) > 20
    result = scenario(str(DISCIPLINES / way), OURS[name][1]).run()
    assert result.digest == yardstick.digest
    assert result.meta["packet_hops"] == yardstick.meta["packet_hops"]


# Places in a scenario that name a discipline ------------------------------------------------------

DIAMOND = {
    "kind": "graph",
    "rate": "20 Mbit/s",
    "delay": "5 ms",
    "routers": [{"name": name} for name in "abc"],
    "links": [{"ends": ["a", "b"]}, {"ends": ["b", "c"], "rate": "10 Mbit/s"}],
}
ABILENE = {"kind": "abilene", "rate": "40 Mbit/s", "buffer": "50 packets"}
WEB = {
    "kind": "web",
    "cca": "reno",
    "users": 300,
    "think": "0.5 s",
    "size": {"kind": "exponential", "mean": "100 packets"},
}


def networks(queue: object) -> dict[str, Scenario]:
    """The same discipline in each kind of network, at some or all ports."""
    graph = DIAMOND | {"links": [DIAMOND["links"][0], DIAMOND["links"][1] | {"queue": queue}]}  # type: ignore[index,operator]
    flow = {"kind": "flows", "cca": "reno", "count": 3, "stagger": "29 ms"}
    ends = {"source": "a", "receiver": "c"}
    parking = {"kind": "parking_lot", "hops": 2, "rate": "10 Mbit/s", "rtt": "40 ms"}
    made = {
        "graph": {"network": graph, "traffic": [flow | ends]},
        "parking_lot": {"network": parking | {"queue": queue}, "traffic": [flow]},
        "abilene": {"network": ABILENE | {"queue": queue}, "traffic": [WEB]},
    }
    return {name: Scenario.from_dict({"duration": "3 s"} | data) for name, data in made.items()}


@pytest.mark.parametrize("kind", ["graph", "parking_lot", "abilene"])
def test_every_network_takes_it(kind: str) -> None:
    yardstick = networks(RED)[kind].run()
    assert decided(yardstick) > 0
    for threads in (1, 2):
        run = simulate(
            networks(f"{DISCIPLINES / 'red.c'}:red")[kind], options=RunOptions(threads=threads)
        )
        assert run.digest == yardstick.digest
    assert networks(f"{COPIES}:Red")[kind].run().digest == yardstick.digest


def test_a_graph_file_names_it_beside_itself(tmp_path: Path) -> None:
    import networkx

    (tmp_path / "net").mkdir()
    (tmp_path / "net" / "mine.py").write_text(COPIES.read_text())
    graph = networkx.DiGraph()
    graph.add_edge("a", "b", rate="10 Mbit/s", delay="5 ms", queue="./mine.py:Red")
    graph.add_edge("b", "a", rate="10 Mbit/s", delay="5 ms")
    networkx.write_graphml(graph, tmp_path / "net" / "net.graphml")
    (tmp_path / "s.toml").write_text(
        'duration = "2 s"\nnetwork = {kind = "graph", file = "net/net.graphml"}\n'
        'traffic = [{kind = "flows", cca = "reno", source = "a", receiver = "b", count = 2}]\n'
    )
    refused = headgate("run", tmp_path / "s.toml")
    assert "net.graphml names this discipline, which is code" in refused.sentence
    meta = Scenario.load(tmp_path / "s.toml", trust=True).run().meta
    (queue,) = meta["disciplines"]
    assert (queue["name"], len(queue["own"])) == ("Red", 64)


def test_the_class_itself_is_a_discipline() -> None:
    copies = module("copies", DISCIPLINES)
    assert scenario(copies.Red).run().digest == ours("Red").digest


def test_arguments_are_quantities_by_the_ends_of_their_names() -> None:
    name = f"{COPIES}:Threshold"
    some = [scenario({"name": name, "mark_packets": mark}, "dctcp") for mark in (20, "0.3 BDP")]
    plans = [made.plan()[0]["links"][0]["queue"]["params"] for made in some]
    assert plans == [{"mark_packets": 20.0}, {"mark_packets": 20.0}]
    assert some[0].run().digest == some[1].run().digest == ours("Threshold").digest
    codel = scenario({"name": f"{COPIES}:Codel", "target_s": "5 ms"}).plan()[0]
    assert codel["links"][0]["queue"]["params"] == {"target_s": 0.005}


def test_the_command_line_sets_it_and_its_arguments(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    scenario("drop_tail", "dctcp").save(path)
    said = ("--set", f"network.queue={COPIES}:Threshold", "--set", "network.queue.mark_packets=20")
    assert (
        f'"digest": "{ours("Threshold").digest}"' in headgate("run", path, "--json", *said).output
    )


def test_a_scenario_names_it_beside_its_file_and_asks(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"{COPIES.read_text()}\n# never allowed before\n")
    path = tmp_path / "s.toml"
    path.write_text("""
duration = "2 s"
network = {kind = "dumbbell", rate = "10 Mbit/s", rtt = "40 ms", queue = "./mine.py:Red"}
traffic = [{kind = "flows", cca = "reno"}]
""")
    assert "names this discipline, which is code (SHA-256 " in headgate("run", path).sentence
    assert "discipline Red (SHA-256 " in headgate("check", path).output
    assert "not checked" in headgate("check", path).output
    assert "mine.py:Red can be loaded" in headgate("check", path, "--trust").output
    loaded = Scenario.load(path)
    before = loaded.identity()
    assert loaded.run().digest
    (tmp_path / "mine.py").write_text(COPIES.read_text() + "\n")
    assert loaded.identity() != before


def test_the_scenario_of_a_stored_run_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_files, "_by_hand", set())
    monkeypatch.setattr(code_files, "_by_file", {})
    (tmp_path / "mine.py").write_text(f"{COPIES.read_text()}\n# of a stranger\n")
    scenario(f"{tmp_path / 'mine.py'}:Red").run().write(tmp_path / "run")
    monkeypatch.setattr(code_files, "_by_hand", set())  # another process
    with pytest.raises(UntrustedCcaError, match="a stored run names this discipline"):
        Result.read(tmp_path / "run").scenario.run()


def test_a_campaign_makes_runs_with_it_in_separate_processes(tmp_path: Path) -> None:
    jobs = [
        Job(scenario(str(DISCIPLINES / way)), {"way": way}) for way in ("red.c:red", "red.rs:red")
    ]
    store = Store(tmp_path / "runs")
    Scheduler(store, executor=Processes(2)).run(jobs, lambda _: None)
    made = [store.read(job) for job in jobs]
    assert [run and run.digest for run in made] == [ours("Red").digest] * 2


# Stopped and resumed, and what is kept ------------------------------------------------------------


@pytest.mark.parametrize(
    "way", ["copies.py:Fair", "copies.py:CompiledFair", "red.rs:red", "copies.py:Pi", "codel.c"]
)
def test_a_stopped_run_goes_on_with_the_state_of_its_ports(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs(way)
    mine = scenario(str(DISCIPLINES / way))
    whole = mine.run()
    for share in (0.3, 0.6):
        with pytest.raises(InterruptedRunError, match="the same command resumes it"):
            simulate(mine, tmp_path, interrupted_at(share, monkeypatch))  # type: ignore[arg-type]
    resumed = simulate(mine, tmp_path)
    assert resumed.meta["resumed"]
    assert resumed.digest == whole.digest


def test_a_state_that_is_not_plain_data_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = interrupted_at(0.3, monkeypatch)
    with pytest.raises(InterruptedRunError, match=r"nothing is kept .*self\.lock is a lock;"):
        simulate(scenario(f"{DISCIPLINES / 'wrong.py'}:KeepsALock"), tmp_path, stop)  # type: ignore[arg-type]
    assert not (tmp_path / SNAPSHOT_FILE).exists()


def test_ranks_let_a_short_flow_pass_a_long_one() -> None:
    pytest.importorskip("numba")
    short = {"cca": "reno", "size": "20 packets", "start": "10 s"}
    network = dumbbell(
        rate="20 Mbit/s", rtt="40 ms", buffer="5 BDP", flows=[{"cca": "cubic"}, short]
    )
    took = [
        network.replaced({"network.queue": queue}).run("20 s").flows["fct_receiver_s"][1]
        for queue in ("drop_tail", f"{COPIES}:CompiledFair")
    ]
    assert took[1] < 0.5 * took[0]
