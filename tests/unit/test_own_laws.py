"""A user's own law: written in each way, it gives the results of ours."""

import importlib.util
import json
from pathlib import Path

import pytest

from headgate import Result, Scenario, dumbbell

from ..errors.command import headgate

LAWS = Path(__file__).parent / "laws"
WAYS = ["reno.py:Reno", "reno.c:reno", "reno.rs:reno"]


def scenario(*controls: object, law: str = "reno") -> Scenario:
    """Two flows beside a delay-based one, with losses; laws of our own in place of reno."""
    chosen: list[dict[str, object]] = [{"control": c} for c in controls] or [{"law": law}]
    flows = [
        {"start": f"{10 * n} ms", **choice}
        for n, choice in enumerate([*chosen * (2 // len(chosen)), {"law": "fast"}])
    ]
    return dumbbell(rate="20 Mbit/s", rtt="40 ms", buffer="0.5 BDP", flows=flows).replaced(
        {"duration": "5 s"}
    )


def reno_class() -> type:
    spec = importlib.util.spec_from_file_location("laws_reno", LAWS / "reno.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Reno  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def reno() -> Result:
    return scenario().run()


@pytest.mark.parametrize("way", WAYS)
def test_reno_in_every_way_gives_the_digest_of_ours(way: str, reno: Result) -> None:
    assert reno.flows["retransmissions"].sum() > 0
    result = scenario(str(LAWS / way)).run()
    assert result.digest == reno.digest
    assert result.meta["packet_hops"] == reno.meta["packet_hops"]


def test_several_of_them_share_a_run(reno: Result) -> None:
    result = scenario(*(str(LAWS / way) for way in WAYS[:2])).run()
    assert result.digest == reno.digest
    assert {"Reno", "reno"} < set(result.flows["law"])


def test_the_class_itself_is_a_law(reno: Result) -> None:
    run = scenario(reno_class()).run()
    assert run.digest == reno.digest
    assert list(run.flows["law"]) == ["Reno", "Reno", "fast"]


def test_control_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    scenario().save(path)
    digests = [
        json.loads(headgate("run", path, "--json", *options).output)["digest"]
        for options in ((), ("--control", f"0={LAWS / 'reno.py'}:Reno"))
    ]
    assert digests[0] == digests[1]
