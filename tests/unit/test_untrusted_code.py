"""Code that a stranger's file names does not run, in whatever place the file names it."""

import importlib.util
import json
import os
import py_compile
import re
from pathlib import Path
from typing import Any

import pytest

from headgate import Experiment, Scenario
from headgate.base.errors import UntrustedCcaError
from headgate.design.generate import load_design
from headgate.plugin import code_files
from headgate.scenario.toml import write_toml

from ..errors.command import headgate
from .small_experiment import lists  # noqa: F401 - a fixture

CODE = """
from pathlib import Path
Path(__file__).with_name("it-ran").touch()

class Cca:
    def on_ack(self, ack, path, window):
        window.slow_start(ack.acked)

    def on_congestion(self, event, path, window):
        window.ssthresh = max(event.in_flight / 2, 2.0)

class Queue:
    def on_arrival(self, packet, port, decision):
        pass

def measure(result):
    return 1.0
"""
CCA, QUEUE = "./evil.py:Cca", "./evil.py:Queue"
NETWORK: dict[str, Any] = {
    "kind": "dumbbell", "rate": "1 Mbit/s", "rtt": "40 ms", "buffer": "10 packets",
}  # fmt: skip
WEB = {"kind": "web", "users": 4, "size": "3 packets"}
GRAPH = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="r" for="edge" attr.name="rate" attr.type="string"/>
<key id="d" for="edge" attr.name="delay" attr.type="string"/>
<key id="q" for="edge" attr.name="queue" attr.type="string"/>
<graph edgedefault="undirected"><node id="a"/><node id="b"/><edge source="a" target="b">
<data key="r">1 Mbit/s</data><data key="d">5 ms</data><data key="q">./evil.py:Queue</data>
</edge></graph></graphml>
"""
NODE_LINK = {
    "directed": False, "multigraph": False, "graph": {}, "nodes": [{"id": "a"}, {"id": "b"}],
    "edges": [{
        "source": "a", "target": "b", "rate": "1 Mbit/s", "delay": "5 ms",
        "reverse": {"queue": QUEUE},
    }],
}  # fmt: skip


def scenario(network: dict[str, Any] | None = None, **flow: Any) -> dict[str, Any]:
    cca = {"cca": "reno"} if {"cca"}.isdisjoint(flow) else {}
    return {
        "duration": "0.3 s",
        "network": network or NETWORK,
        "traffic": [{"kind": "flows", **cca, **flow}],
    }


def on_graph(**network: Any) -> dict[str, Any]:
    return scenario({"kind": "graph", **network}, source="a", receiver="b")


LINK = {"ends": ["a", "b"], "rate": "1 Mbit/s", "delay": "5 ms"}
ROUTERS = [{"name": "a"}, {"name": "b"}]
SCENARIOS = {
    "cca": scenario(cca=CCA),
    "algorithm with parameters": scenario(cca={"name": CCA}),
    "algorithm as a table with source": scenario(cca={"source": CCA}),
    "control": scenario(cca=CCA),
    "control with parameters": scenario(cca={"source": CCA}),
    "a part of the users": scenario(
        **WEB, cca=[{"cca": CCA, "share": 0.5}, {"cca": "reno", "share": 0.5}]
    ),
    "a part of the users by control": scenario(
        **WEB, cca=[{"cca": CCA, "share": 0.5}, {"cca": "reno", "share": 0.5}]
    ),
    "queue": scenario(NETWORK | {"queue": QUEUE}),
    "queue as a table": scenario(NETWORK | {"queue": {"name": QUEUE}}),
    "queue in reverse": scenario(NETWORK | {"reverse": {"queue": QUEUE}}),
    "parking lot": scenario(
        {"kind": "parking_lot", "hops": 2, "rate": "1 Mbit/s", "rtt": "40 ms", "queue": QUEUE}
    ),
    "four tiers": scenario({"kind": "abilene", "rate": "20 Mbit/s", "queue": QUEUE}, **WEB),
    "link": on_graph(routers=ROUTERS, links=[LINK | {"queue": QUEUE}]),
    "link in reverse": on_graph(routers=ROUTERS, links=[LINK | {"reverse": {"queue": QUEUE}}]),
    "links of a graph": on_graph(routers=ROUTERS, links=[LINK], queue=QUEUE),
    "GraphML": on_graph(file="net.graphml"),
    "node-link JSON": on_graph(file="net.json"),
}
PLAIN = scenario()
RTT = {"network.rtt": ["10 ms", "20 ms"]}


def factor(setting: str, *levels: Any) -> dict[str, Any]:
    return {"factors": {"one": {"setting": setting, "levels": list(levels)}}}


def derived(**keys: str) -> dict[str, Any]:
    return {"factors": RTT, "derived": {key.replace("_", "."): sql for key, sql in keys.items()}}


RENO, MINE = {"kind": "flows", "cca": "reno"}, {"kind": "flows", "cca": CCA}
EXPERIMENTS: dict[str, dict[str, Any]] = {
    **{
        f"base: {name}": {"factors": RTT, "scenario": base}
        for name, base in SCENARIOS.items()
        if base["network"]["kind"] == "dumbbell"
    },
    "derived algorithm": derived(cca="'./evil.py:Cca'"),
    "derived in parts": derived(network_queue="'./ev' || 'il.py:Queue'"),
    "derived name": derived(network_queue_name="'./evil.py:Queue'"),
    "derived table": derived(traffic_0_cca="{'source': './evil.py:Cca'}"),
    "derived in reverse": derived(network_reverse_queue="'./evil.py:Queue'"),
    "factor algorithm": {"factors": {"cca": ["reno", CCA]}},
    "factor of one flow": factor("traffic.0.cca", "reno", CCA),
    "factor control": factor("traffic.0.cca", CCA, "./evil.py:Other"),
    "factor source": factor("traffic.0.cca.source", CCA, "./evil.py:Other"),
    "factor queue": {"factors": {"network.queue": ["red", QUEUE]}},
    "factor queue.name": factor("network.queue.name", QUEUE, "red"),
    "levels that are tables": factor("network.queue", {"name": QUEUE}, {"name": "red"}),
    "levels that are flows": factor("traffic.0", RENO, MINE),
    "levels that are lists": factor("traffic", [RENO], [MINE]),
    "levels that are reverse links": factor("network.reverse", {"queue": "red"}, {"queue": QUEUE}),
    "levels that are networks": factor("network", NETWORK, NETWORK | {"queue": QUEUE}),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stranger's folder, and the user in another one."""
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "evil.py").write_text(CODE)
    (theirs / "net.graphml").write_text(GRAPH)
    (theirs / "net.json").write_text(json.dumps(NODE_LINK))
    (tmp_path / "user").mkdir()
    monkeypatch.chdir(tmp_path / "user")
    return theirs


def ran(folder: Path) -> bool:
    return (folder / "it-ran").exists()


def refuses(folder: Path, *command: str | Path) -> None:
    done = headgate(*command)
    assert done.exit_code == 2
    sentence = r"names this (algorithm|discipline|function), which is code \(SHA-256 [0-9a-f]{64}\)"
    assert re.search(sentence, done.sentence)
    assert "evil.py" in done.sentence
    assert done.sentence.endswith("allow it with --trust")
    assert not ran(folder)


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_runs_no_code(name: str, folder: Path) -> None:
    file = folder / "s.toml"
    write_toml(SCENARIOS[name], file)
    done = headgate("check", file)
    assert done.exit_code == 0
    assert "not checked, because only the scenario names it" in done.output
    refuses(folder, "run", file, "--set", "title=mine", "--seed", "2")
    with pytest.raises(UntrustedCcaError):
        Scenario.load(file).replaced({"duration": "0.2 s"}).run()
    assert not ran(folder)
    assert headgate("run", file, "--trust").exit_code == 0
    assert ran(folder)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_runs_no_code(name: str, folder: Path) -> None:
    file = folder / "e.toml"
    given = {"responses": ["goodput_bps"], "scenario": PLAIN, **EXPERIMENTS[name]}
    (folder / "evil.py").write_text(f"{CODE}\n\nclass Other(Cca):\n    pass\n")
    write_toml(given, file)
    done = headgate("experiment", "check", file)
    assert done.exit_code == 0, done.errors
    assert "not checked, because only the experiment names it" in done.output
    assert not ran(folder)
    refuses(folder, "experiment", "run", file, "--workers", "1")


def test_an_experiment_in_python_runs_no_code_of_its_file(folder: Path) -> None:
    file = folder / "e.toml"
    given = {"responses": ["goodput_bps"], "scenario": PLAIN, **EXPERIMENTS["derived in parts"]}
    write_toml(given, file)
    with pytest.raises(UntrustedCcaError):
        Experiment.load(file).run(folder / "out", workers=1)
    refuses(folder, "experiment", "run", file, "--dry-run")
    assert "can be loaded" in headgate("experiment", "check", file, "--trust").output
    assert ran(folder)


def test_a_function_in_an_experiment_does_not_run(folder: Path) -> None:
    file = folder / "e.toml"
    responses = [{"name": "mine", "function": "./evil.py:measure"}]
    write_toml({"responses": responses, "scenario": PLAIN, "factors": RTT}, file)
    done = headgate("experiment", "check", file)
    assert "function measure (SHA-256" in done.output
    assert "not checked" in done.output
    refuses(folder, "experiment", "run", file)


def test_a_base_in_another_file_runs_no_code(folder: Path) -> None:
    write_toml(SCENARIOS["queue in reverse"], folder / "base.toml")
    file = folder / "e.toml"
    write_toml({"responses": ["goodput_bps"], "scenario": "base.toml", "factors": RTT}, file)
    refuses(folder, "experiment", "run", file)
    refuses(folder, "experiment", "run", file, "--set", 'scenario.duration="0.2 s"')


def test_a_design_runs_no_code(folder: Path) -> None:
    factor = {"setting": "network.queue.name", "low": "red", "high": QUEUE}
    write_toml({"scenario": PLAIN, "factors": {"q": factor}}, folder / "d.toml")
    for made in load_design(folder / "d.toml").scenarios():
        if made.own_code():
            with pytest.raises(UntrustedCcaError):
                made.run()
    assert headgate("design", "show", folder / "d.toml").exit_code == 0
    assert not ran(folder)


STUDY = """
name = "theirs"
title = "theirs"
question = "?"
ccas = [{ccas}]
[responses]
goodput_bps = "goodput_bps"
[sweeps.one]
factors = {{ "network.rtt" = ["10 ms", "20 ms"] }}
{more}
[sweeps.one.scenario]
duration = "0.3 s"
network = {{ kind = "dumbbell", rate = "1 Mbit/s", rtt = "40 ms"{queue} }}
traffic = [{{ kind = "flows", cca = "reno" }}]
[scales.quick]
seeds = 1
size = 1.0
[scales.full]
seeds = 1
size = 1.0
"""


@pytest.mark.parametrize(
    "places",
    [
        {"ccas": f'"{CCA}"'},
        {"queue": f', queue = "{QUEUE}"'},
        {"queue": f', reverse = {{ queue = "{QUEUE}" }}'},
        {"more": """derived = { "network.queue" = "'./evil.py:Queue'" }"""},
    ],
)
def test_a_folder_with_a_study_runs_no_code(places: dict[str, str], folder: Path) -> None:
    text = STUDY.format(**({"ccas": '"reno"', "queue": "", "more": ""} | places))
    (folder / "study.toml").write_text(text)
    (folder / "claims.toml").write_text("claim = []\n")
    refuses(folder, "study", folder, "--workers", "1")


def test_a_folder_with_a_study_runs_code_that_was_allowed(folder: Path) -> None:
    (folder / "study.toml").write_text(
        STUDY.format(ccas='"reno"', queue=f', queue = "{QUEUE}"', more="")
    )
    (folder / "claims.toml").write_text("claim = []\n")
    assert headgate("study", folder, "--trust", "--workers", "1").exit_code == 0
    assert ran(folder)


def test_only_code_that_the_user_sets_runs(folder: Path) -> None:
    file = folder / "s.toml"
    write_toml(SCENARIOS["queue in reverse"], file)
    mine = folder.parent / "user" / "mine.py"
    mine.write_text(CODE)
    refuses(folder, "run", file, "--set", f"traffic.0.cca={mine}:Cca")
    write_toml(PLAIN, file)
    assert headgate("run", file, "--set", "traffic.0.cca=./mine.py:Cca").exit_code == 0
    assert headgate("run", file, "--set", "network.reverse.queue=./mine.py:Queue").exit_code == 0
    assert ran(mine.parent)
    assert not code_files.list_file().exists()


def test_code_in_a_program_of_the_user_runs(folder: Path) -> None:
    cca, queue = f"{folder / 'evil.py'}:Cca", f"{folder / 'evil.py'}:Queue"
    made = Scenario.from_dict(scenario(cca=cca))
    assert made.run().digest
    assert Scenario.from_dict(PLAIN).replaced({"network.reverse.queue": queue}).run().digest
    levels = {"cca": ["reno", cca]}
    assert Experiment(PLAIN, levels).run(folder / "out", workers=1).runs["goodput_bps"].min() > 0


def test_a_function_is_run_from_the_text_that_was_hashed(folder: Path) -> None:
    """A stranger's `__pycache__` may hold other code than the file that the user reads."""
    honest = "def measure(result):\n    return 1.0\n"
    (folder / "evil.py").write_text(CODE)
    cached = Path(importlib.util.cache_from_source(str(folder / "evil.py")))
    py_compile.compile(
        str(folder / "evil.py"), str(cached), doraise=True,
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
    )  # fmt: skip
    (folder / "evil.py").write_text(honest)
    file = folder / "e.toml"
    responses = [{"name": "mine", "function": "./evil.py:measure"}]
    write_toml({"responses": responses, "scenario": PLAIN, "factors": RTT}, file)
    assert headgate("experiment", "check", file, "--trust").exit_code == 0
    assert not ran(folder)


def test_the_two_keys_of_an_algorithm_are_one(folder: Path) -> None:
    cca = f"{folder / 'evil.py'}:Cca"
    forms: list[dict[str, Any]] = [
        {"cca": cca}, {"cca": cca}, {"cca": {"name": cca}}, {"cca": {"source": cca}},
    ]  # fmt: skip
    assert len({Scenario.from_dict(scenario(**form)).identity() for form in forms}) == 1
    set_ = [
        Scenario.from_dict(scenario(cca="cubic")).replaced({key: cca}).identity()
        for key in ("cca", "traffic.0.cca", "traffic.0.cca")
    ]
    assert {*set_} == {Scenario.from_dict(scenario(cca=cca)).identity()}
    back = Scenario.from_dict(scenario(cca=cca)).replaced({"traffic.0.cca": "cubic"})
    assert back.identity() == Scenario.from_dict(scenario(cca="cubic")).identity()


def test_a_title_names_code_without_its_folder(folder: Path) -> None:
    from headgate_studies.mesonet import MesoNet

    cca = f"{folder / 'evil.py'}:Cca"
    made = MesoNet.from_dict({"size": 0.002, "cca": cca}).scenario()
    assert made.title.endswith(", Cca")
    assert made.own_code()[0][0] == cca


@pytest.mark.parametrize(
    "given",
    [{"traffic.*.cca": ["a", "b"]}, {"mix": {"setting": "traffic.*.cca", "low": 1, "high": 2}}],
)
def test_a_factor_with_a_star_is_refused_in_a_sentence(given: dict[str, Any], folder: Path) -> None:
    whole = {"responses": ["goodput_bps"], "scenario": PLAIN, "factors": given}
    write_toml(whole, folder / "e.toml")
    assert headgate("experiment", "check", folder / "e.toml").sentence.endswith(
        "factors: 'traffic.*.cca' is not a key; a factor sets one key, such as traffic.0.cca, or"
        " 'cca' for all traffic"
    )


def test_a_former_key_that_names_code_is_refused(folder: Path) -> None:
    write_toml(scenario(cca=CCA, control=CCA), folder / "s.toml")
    done = headgate("check", folder / "s.toml")
    assert done.sentence.endswith("traffic[0].control: this key is now 'cca'")


def test_a_link_to_allowed_code_is_that_code(folder: Path) -> None:
    """Allowed code is recognised by its content, not by the name of its file."""
    write_toml(scenario(cca=CCA), folder / "s.toml")
    assert headgate("run", folder / "s.toml", "--trust").exit_code == 0
    (folder / "it-ran").unlink()
    (folder / "other.py").write_text(CODE.replace("it-ran", "it-ran-too"))
    (folder / "evil.py").unlink()
    os.symlink(folder / "other.py", folder / "evil.py")
    assert headgate("run", folder / "s.toml").exit_code == 2
    assert not (folder / "it-ran-too").exists()


def test_a_report_names_code_without_its_folder(folder: Path) -> None:
    given = factor("traffic.0", RENO, MINE) | {"responses": ["goodput_bps"], "scenario": PLAIN}
    given["factors"]["network.queue"] = ["drop_tail", QUEUE]
    write_toml(given, folder / "e.toml")
    out = folder.parent / "user" / "out" / "e"
    assert (
        headgate("experiment", "run", folder / "e.toml", "--trust", "--workers", "1").exit_code == 0
    )
    for name in ("report.toml", "report.html"):
        text = (out / name).read_text()
        assert str(folder) not in text
        assert "Queue" in text


# Names that become folders and files --------------------------------------------------------------

OUTSIDE = [
    "../../escaped", "/escaped", "..", ".", ".hidden", "a/b", "a\\b", "-rf", "a\nb", " ",
    "ends with a dot.", "x" * 81,
]  # fmt: skip


@pytest.mark.parametrize("name", OUTSIDE)
def test_the_name_of_an_experiment_is_a_folder_in_out(name: str, folder: Path) -> None:
    given = {"name": name, "responses": ["goodput_bps"], "scenario": PLAIN, "factors": RTT}
    write_toml(given, folder / "e.toml")
    for verb in ("check", "run"):
        done = headgate("experiment", verb, folder / "e.toml")
        assert done.exit_code == 2
        assert "e.toml: name: " in done.sentence
        assert "is not allowed; it names a file or folder" in done.sentence
    assert not list((folder.parent / "user").iterdir())
    assert {path.name for path in folder.parent.iterdir()} == {"theirs", "user"}


@pytest.mark.parametrize("name", ["small", "Two algorithms, 2", "größe", "a.b_c-d+1"])
def test_other_names_of_experiments_are_taken(name: str, folder: Path) -> None:
    name = name.replace(",", "")
    given = {"name": name, "responses": ["goodput_bps"], "scenario": PLAIN, "factors": RTT}
    write_toml(given, folder / "e.toml")
    assert headgate("experiment", "run", folder / "e.toml", "--workers", "1").exit_code == 0
    assert (folder.parent / "user" / "out" / name / "experiment.toml").is_file()


def test_a_file_that_is_all_dots_makes_no_folder_outside(folder: Path) -> None:
    given = {"responses": ["goodput_bps"], "scenario": PLAIN, "factors": RTT}
    write_toml(given, folder / "...toml")
    assert Experiment.load(folder / "...toml").name not in {"", ".", ".."}


@pytest.mark.parametrize("name", OUTSIDE)
def test_names_in_a_folder_with_a_study_stay_in_out(name: str, folder: Path) -> None:
    text = STUDY.format(ccas='"reno"', queue="", more="")
    (folder / "claims.toml").write_text("claim = []\n")
    quoted = json.dumps(name)
    for changed in (
        text.replace('name = "theirs"', f"name = {quoted}"),
        text.replace("[sweeps.one", f"[sweeps.{quoted}"),
    ):
        (folder / "study.toml").write_text(changed)
        done = headgate("study", folder, "--workers", "1")
        assert done.exit_code == 2
        assert "is not allowed; it names a file or folder" in done.sentence
    assert not list((folder.parent / "user").iterdir())


def test_programs_in_real_time_run_no_code_of_a_scenario(folder: Path) -> None:
    made = scenario(cca=CCA)
    made["traffic"].insert(0, {"kind": "live"})
    write_toml(made, folder / "s.toml")
    refuses(folder, "emulate", folder / "s.toml", "--a", "true")
    headgate("emulate", folder / "s.toml", "--trust", "--a", "true")
    assert ran(folder)
