"""A user-defined algorithm: written in each way, it gives the results of ours."""

import importlib.util
import json
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from headgate import Result, Scenario, dumbbell
from headgate.base.errors import InterruptedRunError
from headgate.engine.api import simulate
from headgate.engine.run.progress import Progress
from headgate.engine.run.simulate import SNAPSHOT_FILE
from headgate.plugin import Window, library
from headgate.plugin.code_files import name_by_hand
from headgate.plugin.numba_class import layout
from headgate.plugin.proof import make_ready
from headgate.plugin.user_code import load

from ..errors.command import headgate

CCAS = Path(__file__).parent / "ccas"
WAYS = ["reno.py:Reno", "compiled.py:Reno", "reno.c:reno", "reno.rs:reno"]


def scenario(*controls: object, cca: str = "reno") -> Scenario:
    """Two flows beside a delay-based one, with losses; user-defined algorithms replace reno."""
    chosen: list[dict[str, object]] = [{"cca": c} for c in controls] or [{"cca": cca}]
    flows = [
        {"start": f"{10 * n} ms", **choice}
        for n, choice in enumerate([*chosen * (2 // len(chosen)), {"cca": "fast"}])
    ]
    return dumbbell(rate="20 Mbit/s", rtt="40 ms", buffer="0.5 BDP", flows=flows).replaced(
        {"duration": "5 s"}
    )


def module(name: str, folder: Path = CCAS) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"own_{name}", folder / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def needs(way: str) -> None:
    if way.startswith("compiled"):
        pytest.importorskip("numba")


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        yield


@pytest.fixture(scope="module")
def reno() -> Result:
    return scenario().run()


@pytest.mark.parametrize("way", WAYS)
def test_reno_in_every_way_gives_the_digest_of_ours(way: str, reno: Result) -> None:
    needs(way)
    assert reno.flows["retransmissions"].sum() > 0
    result = scenario(str(CCAS / way)).run()
    assert result.digest == reno.digest
    assert result.meta["packet_hops"] == reno.meta["packet_hops"]


def late(control: object) -> Scenario:
    """A flow on a path that delays one packet in a hundred by 20 ms, so that others overtake it."""
    return dumbbell(
        rate="20 Mbit/s",
        rtt="40 ms",
        access="direct",
        impairments=[{"name": "reorder", "share": 0.01, "late": "20 ms"}],
        flows=[control],
        transport="linux",
    ).replaced({"duration": "5 s"})


@pytest.mark.parametrize("way", WAYS)
def test_needless_reductions_of_a_user_defined_algorithm_are_undone(way: str) -> None:
    needs(way)
    theirs = late({"cca": f"{CCAS / way}"}).run()
    assert theirs.digest == late({"cca": "reno"}).run().digest
    assert theirs.flows["undone"][0] > 0


def test_an_algorithm_hears_the_window_before_a_needless_reduction() -> None:
    base = module("reno").Reno
    heard: list[tuple[float, float]] = []

    class Hears(base):  # type: ignore[misc,valid-type]
        def on_undo(self, cwnd_before: float, path: object, window: Window) -> None:
            heard.append((cwnd_before, window.cwnd))

    result = late({"cca": Hears}).run()
    assert len(heard) == result.flows["undone"][0] > 0
    assert all(now >= before > 1 for before, now in heard)


def test_several_of_them_share_a_run(reno: Result) -> None:
    result = scenario(str(CCAS / "reno.py:Reno"), str(CCAS / "reno.c:reno")).run()
    assert result.digest == reno.digest
    assert {"Reno", "reno"} < set(result.flows["cca"])


def test_the_class_itself_is_an_algorithm(reno: Result) -> None:
    run = scenario(module("reno").Reno).run()
    assert run.digest == reno.digest
    assert list(run.flows["cca"]) == ["Reno", "Reno", "fast"]


def test_an_argument_may_be_true_or_false(reno: Result) -> None:
    class Switched(module("reno").Reno):  # type: ignore[misc,name-defined]
        def __init__(self, on: bool) -> None:
            assert on is True

    assert scenario({"source": Switched, "on": True}).run().digest == reno.digest


def test_compiled_or_not_a_class_gives_the_same_with_arguments_and_state() -> None:
    pytest.importorskip("numba")
    digests = {
        (name, step): scenario({"source": str(CCAS / f"compiled.py:{name}"), "step": step})
        .run()
        .digest
        for name in ("Counts", "CompiledCounts")
        for step in (1.0, 5.0)
    }
    for step in (1.0, 5.0):
        assert digests["Counts", step] == digests["CompiledCounts", step]
    assert digests["Counts", 1.0] != digests["Counts", 5.0]


def test_once_a_round_trip_it_is_called_less_and_grows_as_much() -> None:
    calls = {"ack": 0, "round": 0}
    for per in calls:

        class Counting(module("reno").Reno):  # type: ignore[misc,name-defined]
            def on_ack(self, ack: object, path: object, window: object, per: str = per) -> None:
                calls[per] += 1
                super().on_ack(ack, path, window)

        Counting.per = per
        result = scenario(Counting).run()
        utilisation = result.ports["utilisation"][0]
        # Reno grows by one segment a round trip either way; only the moment of the step differs.
        assert utilisation > 0.9
    # Windows are 5 to 50 segments here, so a round contains several ACKs.
    assert 3 * calls["round"] < calls["ack"]


def test_threads_may_ask_for_the_same_algorithm_at_once(tmp_path: Path) -> None:
    slow = "import time\ntime.sleep(0.2)\n" + (CCAS / "reno.py").read_text()
    (tmp_path / "slow.py").write_text(slow)
    (tmp_path / "reno.c").write_text((CCAS / "reno.c").read_text())
    sources = [f"{tmp_path}/slow.py:Reno", f"{tmp_path}/reno.c:reno"] * 4
    name_by_hand(sources)
    with ThreadPoolExecutor(8) as pool:
        assert len(list(pool.map(lambda source: make_ready(load(source), {}), sources))) == 8
    assert len({id(load(source).cls) for source in sources[::2]}) == 1


def test_control_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    scenario().save(path)
    digests = [
        json.loads(headgate("run", path, "--json", *options).output)["digest"]
        for options in ((), ("--cca", f"0={CCAS / 'reno.py'}:Reno"))
    ]
    assert digests[0] == digests[1]


def test_a_scenario_names_the_algorithm_beside_its_file(tmp_path: Path, reno: Result) -> None:
    (tmp_path / "mine.py").write_text((CCAS / "reno.py").read_text())
    text = """
duration = "2 s"
network = {kind = "dumbbell", rate = "10 Mbit/s", rtt = "40 ms"}
traffic = [{kind = "flows", cca = "./mine.py:Reno"}]
"""
    (tmp_path / "s.toml").write_text(text)
    loaded = Scenario.load(tmp_path / "s.toml", trust=True)
    before = loaded.identity()
    meta = loaded.run().meta
    (cca,) = meta["ccas"]
    assert (cca["name"], len(cca["own"])) == ("Reno", 64)
    assert Scenario.from_dict(meta["scenario"]).identity() == before
    (tmp_path / "mine.py").write_text((CCAS / "reno.py").read_text() + "\n")
    assert loaded.identity() != before


def interrupted_at(share: float, monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setattr("headgate.engine.run.simulate.SLICE_S", 0.0)

    def report(at: Progress) -> None:
        if at.share >= share:
            raise KeyboardInterrupt

    return report


@pytest.mark.parametrize(
    "way", ["compiled.py:Counts", "compiled.py:CompiledCounts", "reno.rs:reno"]
)
def test_a_stopped_run_goes_on_with_the_state_of_its_algorithms(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs(way)
    whole = scenario(str(CCAS / way)).run()
    for share in (0.3, 0.6):
        with pytest.raises(InterruptedRunError, match="the same command resumes it"):
            simulate(scenario(str(CCAS / way)), tmp_path, interrupted_at(share, monkeypatch))  # type: ignore[arg-type]
    resumed = simulate(scenario(str(CCAS / way)), tmp_path)
    assert resumed.meta["resumed"]
    assert resumed.digest == whole.digest


def test_a_state_that_is_not_plain_data_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = interrupted_at(0.3, monkeypatch)
    with pytest.raises(InterruptedRunError, match=r"nothing is kept .*self\.lock is a lock;"):
        simulate(scenario(str(CCAS / "wrong.py:KeepsALock")), tmp_path, stop)  # type: ignore[arg-type]
    assert not (tmp_path / SNAPSHOT_FILE).exists()


def test_many_short_flows_each_have_their_own_object() -> None:
    size = {"kind": "exponential", "mean": "20 packets"}
    web = {"kind": "web", "name": "users", "users": 30, "think": "0.2 s", "size": size}
    both = [
        dumbbell(rate="20 Mbit/s", rtt="20 ms", flows=[web | cca]).run("5 s")
        for cca in ({"cca": "reno"}, {"cca": str(CCAS / "reno.py:Reno")})
    ]
    assert both[0].digest == both[1].digest
    assert (both[0].flows["status"] == "finished").sum() > 100


# The header and the Rust prelude against the engine's own account ---------------------------------

RECORDS = {
    "Window": "headgate_window",
    "Path": "headgate_path",
    "Congestion": "headgate_congestion",
    "Rate": "headgate_rate",
    "Ack": "headgate_ack",
    "Backlog": "headgate_backlog",
    "Packet": "headgate_packet",
    "Decision": "headgate_decision",
}


def expected() -> list[int]:
    numbers = []
    for name in RECORDS:
        dtype: np.dtype[np.is_void] = layout()[name]
        assert dtype.fields is not None
        numbers += [dtype.itemsize, *(dtype.fields[field][1] for field in dtype.names or ())]
    return numbers


def printed(*command: str | Path, output: Path) -> list[int]:
    subprocess.run([*command, "-o", output], check=True)
    text = subprocess.run([output], check=True, capture_output=True, text=True).stdout
    return [int(word) for word in text.split()]


def test_the_header_has_the_engine_s_layout(tmp_path: Path) -> None:
    lines = []
    for name, record in RECORDS.items():
        lines.append(f'printf("%zu\\n", sizeof({record}));')
        lines += [
            f'printf("%zu\\n", offsetof({record}, {field}));'
            for field in layout()[name].names or ()
        ]
    source = tmp_path / "offsets.c"
    heads = "#include <headgate.h>\n#include <stddef.h>\n#include <stdio.h>\n"
    source.write_text(f"{heads}int main(void) {{ {' '.join(lines)} }}\n")
    command = ("cc", "-std=c11", f"-I{library.INCLUDE}", source)
    assert printed(*command, output=tmp_path / "offsets") == expected()


def test_the_prelude_has_the_engine_s_layout(tmp_path: Path) -> None:
    lines = []
    for name in RECORDS:
        lines.append(f'println!("{{}}", size_of::<headgate::{name}>());')
        lines += [
            f'println!("{{}}", std::mem::offset_of!(headgate::{name}, {field}));'
            for field in layout()[name].names or ()
        ]
    source = tmp_path / "offsets.rs"
    path = library.INCLUDE / "headgate.rs"
    source.write_text(
        f'#[allow(dead_code)]\n#[path = "{path}"]\nmod headgate;\nuse std::mem::size_of;\n'
        f"fn main() {{ {' '.join(lines)} }}\n"
    )
    command = ("rustc", "--edition=2021", source)
    assert printed(*command, output=tmp_path / "offsets") == expected()
