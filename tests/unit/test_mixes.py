"""Mixes of algorithms in runs: exact shares of flows, equal traffic, and factors of experiments."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headgate import Experiment, Result, Scenario
from headgate.base.errors import HeadgateError

from ..errors.command import headgate as command

NETWORK = {"kind": "dumbbell", "rate": "20 Mbit/s", "rtt": "20 ms"}
FLOWS = {"kind": "flows", "count": 12, "size": "20 packets", "stagger": "50 ms"}
BURSTS = {"kind": "bursts", "count": 12, "size": "5 packets", "pause": "300 ms"}
ON_OFF = {"kind": "on_off", "hosts": 12, "on": "200 ms", "off": "200 ms"}
POISSON = {"kind": "poisson", "arrivals": "60 flows/s", "size": "10 packets"}


def scenario(*traffic: dict[str, Any], **keys: Any) -> Scenario:
    mixed = [{"cca": "cubic", **item} for item in traffic]
    given = {"duration": "4 s", "network": NETWORK, "traffic": mixed, **keys}
    return Scenario.from_dict({"measure": {"series": "none"}, **given})


def with_share(made: Scenario, share: float, seed: int = 1) -> Result:
    return made.replaced({"share.bbr3": share}).run(seed=seed)


@pytest.mark.parametrize("item", [FLOWS, BURSTS], ids=["flows", "bursts"])
@pytest.mark.parametrize(("share", "expected"), [(0, 0), (0.25, 3), (0.4, 5), (1, 12)])
def test_each_algorithm_gets_the_nearest_whole_number_of_flows(
    item: dict[str, Any], share: float, expected: int
) -> None:
    flows = with_share(scenario(item), share).flows
    names, first = np.unique(flows["traffic"], return_index=True)
    assert len(names) == 12
    assert int((flows["cca"][first] == "bbr3").sum()) == expected
    of_each = {str(name): set(flows["cca"][flows["traffic"] == name]) for name in names}
    assert all(len(ccas) == 1 for ccas in of_each.values())  # bursts keep the algorithm


def test_which_flows_have_it_is_drawn_by_the_seed_and_grows_with_the_share() -> None:
    def chosen(share: float, seed: int) -> set[str]:
        flows = with_share(scenario(FLOWS), share, seed).flows
        return set(flows["traffic"][flows["cca"] == "bbr3"].tolist())

    assert chosen(0.25, 1) < chosen(0.5, 1) < chosen(0.75, 1)
    assert len({frozenset(chosen(0.5, seed)) for seed in range(1, 6)}) > 1


@pytest.mark.parametrize("item", [POISSON, ON_OFF], ids=["poisson", "on_off"])
def test_a_mix_changes_no_start(item: dict[str, Any]) -> None:
    none, some = (with_share(scenario(item), share).flows for share in (0, 0.5))
    assert np.array_equal(none["start_s"], some["start_s"])
    if item is POISSON:  # the other flows send as much as they can
        assert np.array_equal(none["size_packets"], some["size_packets"])
    assert set(none["cca"]) == {"cubic"}
    assert set(some["cca"]) == {"cubic", "bbr3"}


def test_arrivals_draw_their_algorithms() -> None:
    flows = with_share(scenario(POISSON | {"arrivals": "400 flows/s"}), 0.3).flows
    count = len(flows)
    assert count > 1200
    sd = (0.3 * 0.7 / count) ** 0.5
    assert abs((flows["cca"] == "bbr3").mean() - 0.3) < 3.3 * sd


def test_on_off_sources_keep_their_algorithm() -> None:
    made = scenario({**ON_OFF, "hosts": 1, "on": "100 ms", "off": "100 ms"})
    flows = made.replaced({"cca": {"cubic": 0.5, "bbr3": 0.5}}).run().flows
    assert len(flows) > 5
    assert len(set(flows["cca"])) == 1


def test_a_list_of_flows_has_exact_shares(tmp_path: Path) -> None:
    rows = "".join(f"{n / 100},5\n" for n in range(200))
    (tmp_path / "flows.csv").write_text("start_s,size_packets\n" + rows)
    item = {"kind": "replay", "file": str(tmp_path / "flows.csv")}
    flows = with_share(scenario(item), 0.35).flows
    assert int((flows["cca"] == "bbr3").sum()) == 70


CONDITION = "where"
EXPERIMENT: dict[str, Any] = {
    "base": scenario(FLOWS, POISSON | {"arrivals": "30 flows/s"}, duration="1 s").to_dict(),
    "responses": ["afct_s"],
}


def levels(factors: dict[str, Any], **keys: Any) -> dict[str, list[Any]]:
    made = Experiment(**(EXPERIMENT | keys), factors=factors)
    return {name: list(labels) for name, labels in made.definition.levels.items()}


def test_mixes_are_levels_of_all_traffic() -> None:
    mixes = [{"cubic": 1.0}, {"cubic": 0.5, "bbr3": 0.5}]
    assert levels({"cca": mixes}) == {"cca": ["100 % cubic", "50 % cubic + 50 % bbr3"]}
    made = Experiment(**EXPERIMENT, factors={"cca": mixes})
    plan, _ = made.definition.conditions[1].scenario.plan()
    ccas = [cca["name"] for cca in plan["laws"]]
    for item in plan["traffic"]:
        parts = {ccas[part["law"]]: part["share"] for part in item["laws"]}
        assert parts == {"cubic": 0.5, "bbr3": 0.5}


def test_a_share_is_a_quantitative_factor() -> None:
    share = {"share.bbr3": [0, 0.25, 0.5, 1]}
    assert levels(share) == {"share_bbr3": [0, 0.25, 0.5, 1]}
    low_high = {"share.bbr3": {"low": 0, "high": 1}}
    sample = levels(low_high, kind="latin-hypercube", runs=4)["share_bbr3"]
    assert len(sample) == 4
    assert all(0 < level < 1 for level in sample)
    for wrong in ([0, 2], ["some", "all"]):
        with pytest.raises(HeadgateError, match="a share is a number from 0 to 1"):
            levels({"share.bbr3": wrong})


def test_a_level_removes_a_key() -> None:
    queue = {"network.queue": [{"unset": True}, "codel"]}
    assert levels(queue) == {"queue": ["unset", "codel"]}
    made = Experiment(**EXPERIMENT, factors=queue)
    plain, codel = (one.scenario for one in made.definition.conditions)
    assert plain == Scenario.from_dict(EXPERIMENT["base"])
    assert codel == plain.replaced({"network.queue": "codel"})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    scenario(FLOWS, duration="1 s", network={**NETWORK, "queue": "codel"}).save(tmp_path / "s.toml")
    path = tmp_path / "exp.toml"
    path.write_text(
        'scenario = "s.toml"\nresponses = ["afct_s"]\nwhere = "share_bbr3 < 1"\n'
        '[factors]\n"share.bbr3" = [0, 0.5, 1]\n'
    )
    return path


def test_unset_in_commands(file: Path) -> None:
    base = file.with_name("s.toml")
    assert "codel" in command("check", base, "--json").output
    assert "codel" not in command("check", base, "--json", "--unset", "network.queue").output
    both = ("--unset", "network.queue", "--set", "network.queue=red")
    assert '"red"' in command("check", base, "--json", *both).output
    wrong = command("run", base, "--unset", "network.quue")
    assert wrong.exit_code == 2
    assert "did you mean 'queue'?" in wrong.sentence
    shares = command("check", base, "--json", "--set", "share.bbr=0.25", "--set", "cca=reno").output
    assert '"share": 0.25' in shares


def test_unset_in_experiments(file: Path) -> None:
    assert len(Experiment.load(file).definition.conditions) == 2
    assert len(Experiment.load(file, unset=[CONDITION]).definition.conditions) == 3
    made = Experiment.load(file, unset=["scenario.network.queue"])
    assert "queue" not in made.definition.base.to_dict()["network"]
    for key, says in (
        (CONDITION[:-1], f"did you mean {CONDITION!r}?"),
        ("scenario.network.qeue", "'queue'?"),
    ):
        done = command("experiment", "check", file, "--unset", key)
        assert done.exit_code == 2
        assert key in done.sentence
        assert says in done.sentence


def test_the_levels_of_a_file_are_relative_to_it(tmp_path: Path) -> None:
    for name, amount in (("monday", 1), ("sunday", 2)):
        text = f"origin,destination,amount\nleft,right,{amount}\n"
        (tmp_path / f"{name}.csv").write_text(text)
    base = {"file": "monday.csv", "unit": "Mbit/s", "kind": "matrix", "size": "10 packets"}
    made = scenario({**base, "file": str(tmp_path / "monday.csv")})
    made.save(tmp_path / "s.toml")
    (tmp_path / "exp.toml").write_text(
        'scenario = "s.toml"\nresponses = ["afct_s"]\n'
        '[factors]\n"traffic.0.file" = ["monday.csv", "sunday.csv"]\n'
    )
    definition = Experiment.load(tmp_path / "exp.toml").definition
    assert definition.levels == {"file": ("monday.csv", "sunday.csv")}
    rates = [one.scenario.plan()[0]["traffic"][0]["flows_per_s"] for one in definition.conditions]
    assert rates[1] == pytest.approx(2 * rates[0])
