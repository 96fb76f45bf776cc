"""A scenario and its TOML are the same thing."""

from pathlib import Path

import pytest

from headgate import Scenario
from headgate.scenario.keys import parse_setting

from .scenarios import DUMBBELL, RENO, WEB, scenario

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "examples").glob("*.toml"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_survives_a_round_trip(path: Path, tmp_path: Path) -> None:
    read = Scenario.load(path)
    read.save(tmp_path / "again.toml")
    again = Scenario.load(tmp_path / "again.toml")
    assert again == read
    assert again.plan()[0] == read.plan()[0]


@pytest.mark.parametrize(
    "made",
    [
        scenario(DUMBBELL, RENO, transport={"preset": "linux", "pacing": {"gain": 1.2}}),
        scenario(DUMBBELL, WEB, {**RENO, "cca": {"name": "fast", "alpha": 7.5}, "rtt": "80 ms"}),
        scenario(DUMBBELL, measure={"periods": [["1 s", "2 s"]], "series": "none"}),
        scenario({"kind": "abilene", "rate": "1 Gbit/s", "ratios": {"backbone": 40}}, WEB),
    ],
    ids=["transport", "traffic", "measure", "abilene"],
)
def test_made_scenarios_survive_a_round_trip(made: Scenario, tmp_path: Path) -> None:
    made.save(tmp_path / "s.toml")
    assert Scenario.load(tmp_path / "s.toml") == made


def test_files_are_looked_up_beside_the_scenario(tmp_path: Path) -> None:
    (tmp_path / "flows.csv").write_text("start_s,size_packets\n0,1\n")
    (tmp_path / "s.toml").write_text(
        '[network]\nkind = "dumbbell"\nrate = "1 Mbit/s"\nrtt = "40 ms"\nbuffer = "9 packets"\n'
        '[[traffic]]\nkind = "replay"\ncca = "reno"\nfile = "flows.csv"\n'
    )
    _, arrays = Scenario.load(tmp_path / "s.toml").plan()
    assert arrays["reno.packets"].tolist() == [1]


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        ('network.rate="50 Mbit/s"', ("network.rate", "50 Mbit/s")),
        ("network.rate=50 Mbit/s", ("network.rate", "50 Mbit/s")),
        ("seed=3", ("seed", 3)),
        ("traffic.0.cca=fast", ("traffic.0.cca", "fast")),
        ("measure.periods=[]", ("measure.periods", [])),
    ],
)
def test_settings_of_the_command_line(text: str, setting: tuple[str, object]) -> None:
    assert parse_setting(text) == setting
