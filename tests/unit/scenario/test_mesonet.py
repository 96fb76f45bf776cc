"""MesoNet's twenty parameters, and the scenarios that they make."""

from pathlib import Path
from typing import Any, get_args

import polars as pl
import pytest

from headgate import Scenario
from headgate.base.errors import ScenarioError
from headgate.base.marks import MEANINGS, Mark
from headgate.base.units import parse_rate
from headgate_studies.mesonet import MesoNet
from headgate_studies.mesonet.parameters import (
    BY_KEY,
    EXPERIMENTS,
    LARGER_FILES,
    PARAMETERS,
)

PS = 10**12
ROUTERS = 139


def web(mesonet: MesoNet) -> dict[str, Any]:
    group = mesonet.scenario().to_dict()["traffic"][0]
    assert isinstance(group, dict)
    return group


def test_there_are_twenty_in_the_order_and_groups_of_the_source() -> None:
    assert [parameter.label for parameter in PARAMETERS] == [f"X{n}" for n in range(1, 21)]
    groups = [parameter.group for parameter in PARAMETERS]
    assert [groups.count(group) for group in dict.fromkeys(groups)] == [4, 6, 4, 3, 3]
    assert set(BY_KEY) <= set(MesoNet.model_fields)
    assert set(MesoNet.model_fields) - set(BY_KEY) == {
        "experiment", "size", "seed", "standard_share",
    }  # fmt: skip


def test_each_level_has_a_mark_and_a_reason_and_makes_another_plan() -> None:
    for parameter in PARAMETERS:
        assert parameter.mark in get_args(Mark)
        assert len(parameter.source) > 30
        both = [
            MesoNet.at_levels({parameter.label: sign}, size=0.05).scenario().identity()
            for sign in (-1, 1)
        ]
        assert both[0] != both[1], parameter.key


@pytest.mark.parametrize("sign", [-1, 1])
def test_every_level_runs(sign: int) -> None:
    """All together, and shortened: the engine refuses a level beyond its bounds at the start."""
    levels = {parameter.label: sign for parameter in PARAMETERS if parameter.key != "duration"}
    result = MesoNet.at_levels(levels, size=0.004, duration="6 s").scenario().run()
    assert result.meta["packet_hops"] > 1000


def test_every_mark_has_a_meaning() -> None:
    assert list(MEANINGS) == list(get_args(Mark))


@pytest.mark.parametrize(
    ("experiment", "gbps", "sources", "minutes"),
    [
        ("1a", 192, 278_000, 25),
        ("1b", 28.8, 27_800, 25),
        ("2a", 38.4, 26_085, 60),
        ("2b", 38.4, 26_085, 60),
        ("2c", 384, 261_792, 60),
    ],
)
def test_experiments_have_the_sizes_that_the_source_states(
    experiment: Any, gbps: float, sources: int, minutes: int
) -> None:
    mesonet = MesoNet(experiment=experiment)
    plan = mesonet.scenario().plan()[0]
    assert plan["links"][0]["rate_bps"] == gbps * 1e9
    assert sum(pool["hosts"] for pool in plan["traffic"][0]["sources"]) == sources
    assert plan["duration_ps"] == minutes * 60 * PS
    assert len(plan["measure"]["periods"]) == 3
    low = experiment in ("1b", "2b")
    assert plan["transports"][0]["initial_ssthresh"] == (100 if low else None)
    assert ("laws" in plan["traffic"][0]) == (experiment[0] == "2" and mesonet.cca.name != "reno")
    assert ("kinds" in plan["traffic"][0]) == (experiment[0] == "2")


def test_the_periods_of_experiment_one_are_five_minutes_after_ten() -> None:
    periods = MesoNet(experiment="1a").scenario().plan()[0]["measure"]["periods"]
    assert [[t / 60 / PS for t in pair] for pair in periods] == [[10, 15], [15, 20], [20, 25]]


def test_size_shrinks_speeds_and_sources_together() -> None:
    whole, tenth = (MesoNet(experiment="1a", size=size) for size in (1, 0.1))
    assert (tenth.rate_bps, tenth.users) == (whole.rate_bps / 10, whole.users / 10)
    links = [m.scenario().plan()[0]["links"] for m in (whole, tenth)]
    for one, other in zip(*links, strict=True):
        assert other["rate_bps"] == pytest.approx(one["rate_bps"] / 10)
        assert other["delay_ps"] == one["delay_ps"]
    edges = [m.scenario().plan()[0]["edges"] for m in (whole, tenth)]
    assert edges[0] == edges[1]


def test_any_value_between_the_levels_will_do() -> None:
    mesonet = MesoNet.from_dict(
        {
            "network_speed": 0.7,
            "buffer_provisioning": "0.3 BDP",
            "web_object_size": "73.5 packets",
            "source_distribution": {"D": 0.2, "F": 0.3, "N": 0.5},
            "think_time": "3.3 s",
            "initial_ssthresh": "500 packets",
            "size": 0.1,
        }
    )
    plan = mesonet.scenario().plan()[0]
    assert plan["links"][0]["rate_bps"] == round(parse_rate("28.8 Gbit/s") * 0.07)
    assert plan["traffic"][0]["size"]["mean_packets"] == 73.5
    assert plan["traffic"][0]["think_s"] == 3.3


def test_a_mix_has_the_algorithm_and_standard_tcp() -> None:
    assert web(MesoNet(experiment="2a", cca="bic", size=0.1))["cca"] == [
        {"cca": "bic", "share": 0.5},
        {"cca": "reno", "share": 0.5},
    ]
    assert web(MesoNet(experiment="2a", cca="reno", size=0.1))["cca"] == "reno"
    assert web(MesoNet(experiment="1b", cca="bic", size=0.1))["cca"] == "bic"
    shares = [part["share"] for part in web(MesoNet(cca="bic", standard_share=0.2))["cca"]]
    assert shares == pytest.approx([0.8, 0.2])


def test_jumbo_files_come_in_the_second_period() -> None:
    mesonet = MesoNet(spatiotemporal_congestion=0.2)
    surge = mesonet.scenario().plan()[0]["traffic"][0]["surge"]
    period = mesonet.scenario().plan()[0]["measure"]["periods"][1]
    assert [surge["from_ps"], surge["until_ps"]] == period
    assert (surge["class"], surge["share"]) == ("D", 0.2)
    assert "surge" not in web(MesoNet(spatiotemporal_congestion=0))


def test_larger_files_have_their_probabilities() -> None:
    kinds = web(MesoNet(experiment="2a", larger_files=2))["kinds"]
    assert {kind["name"]: kind["share"] for kind in kinds} == {
        name: pytest.approx(2 * share) for name, (_, share) in LARGER_FILES.items()
    }
    assert kinds[2]["size"]["mean"] == "500000 packets"


def test_a_scenario_of_it_is_read_and_saved_and_changed(tmp_path: Path) -> None:
    made = MesoNet(experiment="2b", cca="scalable", patience=0.5, size=0.02).scenario()
    made.save(tmp_path / "made.toml")
    assert Scenario.load(tmp_path / "made.toml") == made
    changed = made.replaced({"traffic.0.think": "9 s"})
    assert changed.plan()[0]["traffic"][0]["think_s"] == 9


@pytest.mark.parametrize(
    ("given", "place", "says"),
    [
        ({"experiment": "3"}, "experiment", "'1a'"),
        ({"size": 0}, "size", "greater than 0"),
        ({"size": 1e-6}, "size", "leaves no source"),
        ({"web_object_size": "9 kB"}, "web_object_size", "number of packets"),
        ({"think": "2 s"}, "think", "did you mean 'think_time'?"),
        ({"source_distribution": "here"}, "source_distribution", "web-centric"),
        ({"cca": "nonesuch"}, "cca", "nonesuch"),
    ],
)
def test_a_mistake_is_one_sentence(given: dict[str, Any], place: str, says: str) -> None:
    with pytest.raises(ScenarioError) as raised:
        MesoNet.from_dict(given)
    assert str(raised.value).startswith(place)
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_levels_are_minus_and_plus_one_of_x1_to_x20() -> None:
    with pytest.raises(ScenarioError, match="X1 to X20"):
        MesoNet.at_levels({"X21": 1})
    with pytest.raises(ScenarioError, match="0 is not a level"):
        MesoNet.at_levels({"X2": 0})
    assert MesoNet.at_levels({"think_time": 1}) == MesoNet.at_levels({"X7": 1})


def test_a_small_one_runs_and_distinguishes_all_classes() -> None:
    mesonet = MesoNet.from_dict(
        {"experiment": "2b", "cca": "ctcp", "size": 0.01, "duration": "20 s", "patience": 0.5}
    )
    result = mesonet.scenario().run()
    classes = pl.DataFrame(result.tables["classes"])
    assert set(classes["cca"]) == {"ctcp", "reno"}
    assert {"web object", "document", "jumbo", "long-lived"} <= set(classes["file"])
    assert {"fast", "normal"} == set(classes["interface"])
    assert {"DD", "DF", "DN", "FF", "FN", "NN"} >= set(classes["class"])
    assert pl.DataFrame(result.tables["checks"])["relative_error"].to_list()[:2] == [0, 0]


def test_experiments_at_the_top_have_whole_numbers_at_each_access_router() -> None:
    per_router = [EXPERIMENTS[name].sources / ROUTERS for name in ("1a", "1b")]
    assert per_router == [2000, 200]
