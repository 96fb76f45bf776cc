"""Traffic matrices: lists, square files, gravity models, and their mistakes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headgate import Scenario
from headgate.base.errors import ScenarioError
from headgate.engine.run.prepare import check_plan
from headgate.scenario.networks.routes import Routes
from headgate.scenario.offered import offered_loads
from headgate.scenario.plan_warnings import scenario_warnings

from ...errors.command import headgate as command
from .scenarios import scenario

LINE = {
    "kind": "graph",
    "rate": "10 Mbit/s",
    "routers": [
        {"name": "a", "class_name": "edge", "mass": 3},
        {"name": "b", "mass": 2},
        {"name": "c", "class_name": "edge", "mass": 1},
    ],
    "links": [{"ends": ["a", "b"], "delay": "1 ms"}, {"ends": ["b", "c"], "delay": "3 ms"}],
}
SIZE_BITS = 8 * 10 * 1500
"""A file of ten packets on the wire."""


def matrix(network: dict[str, Any] = LINE, **keys: Any) -> Scenario:
    item = {"kind": "matrix", "cca": "cubic", "size": "10 packets", **keys}
    return scenario(network, item)


def demands(made: Scenario) -> dict[str, float]:
    """The amounts of a plan in Mbit/s, or the users, by pair."""
    plan, arrays = made.plan()
    check_plan(plan, arrays, made)
    (item,) = plan["traffic"]
    names = [node["name"] for node in plan["nodes"]]
    rates = item.get("rates_per_s") or [pool["hosts"] for pool in item["sources"]]
    unit = SIZE_BITS / 1e6 if "rates_per_s" in item else 1
    found: dict[str, float] = {}
    for source, of, rate in zip(item["sources"], item["receivers_of"], rates, strict=True):
        pair = names[source["node"]] + names[item["receivers"][of]["node"]]
        found[pair] = found.get(pair, 0) + rate * unit
    return found


def written(folder: Path, text: str) -> str:
    file = folder / "demands.csv"
    file.write_text(text)
    return str(file)


LIST = "origin,destination,amount\na,b,3\nb,a,2\na,c,1.5\nc,a,0\n"
SQUARE = ",a,b,c\na,0,3,1.5\nb,2,,0\n"


@pytest.mark.parametrize("text", [LIST, SQUARE, SQUARE.replace(",", ";"), "origin" + SQUARE])
def test_both_forms_of_a_file(text: str, tmp_path: Path) -> None:
    made = matrix(file=written(tmp_path, text), unit="Mbit/s")
    expected = {"ab": 3, "ba": 2, "ac": 1.5}
    assert demands(made) == pytest.approx(expected)
    assert made.plan()[0]["traffic"][0]["name"] == "matrix"
    doubled = demands(made.replaced({"traffic.0.scale": 2}))
    assert doubled == pytest.approx({pair: 2 * amount for pair, amount in expected.items()})
    kbit = demands(made.replaced({"traffic.0.unit": "kbit/s"}))
    assert kbit["ab"] == pytest.approx(0.003)


def test_the_rate_of_arrivals_follows_the_mean_of_whole_packets(tmp_path: Path) -> None:
    size = {"kind": "exponential", "mean": "2 packets"}
    made = matrix(file=written(tmp_path, LIST), unit="Mbit/s", size=size)
    # a rounded exponential size of at least 1: 1 + P(X >= 1.5) + P(X >= 2.5) + ...
    mean = 1 + sum(np.exp(-(n + 0.5) / 2) for n in range(1, 200))
    rates = made.plan()[0]["traffic"][0]["rates_per_s"]
    assert rates[0] == pytest.approx(3e6 / (8 * 1500 * mean))


def test_users_of_a_file(tmp_path: Path) -> None:
    text = "origin,destination,amount\na,b,3\nb,a,2\nc,b,1\n"
    made = matrix(file=written(tmp_path, text), unit="users")
    assert demands(made) == {"ab": 3, "ba": 2, "cb": 1}
    item = made.plan()[0]["traffic"][0]
    assert (item["kind"], item["think_s"], made.traffic[0].most_flows) == ("web", 3.5, 6)
    assert [pool["hosts"] for pool in item["receivers"]] == [4, 2]  # b serves 3 + 1, a serves 2
    assert demands(made.replaced({"traffic.0.scale": 2.5})) == {"ab": 8, "ba": 5, "cb": 2}


def test_gravity_is_the_product_of_masses() -> None:
    mass = np.array([3.0, 2.0, 1.0])
    weight = np.outer(mass, mass)
    np.fill_diagonal(weight, 0)
    expected = 6 * weight / weight.sum()
    found = demands(matrix(gravity={"total": "6 Mbit/s"}))
    for (i, j), amount in np.ndenumerate(expected):
        assert found.get("abc"[i] + "abc"[j], 0) == pytest.approx(amount)


def test_gravity_with_distance() -> None:
    # delays: a-b 1 ms, b-c 3 ms, a-c 4 ms; products 6, 2, 3, each both ways
    weights = {"ab": 6 / 1**2, "bc": 2 / 3**2, "ac": 3 / 4**2}
    total = 2 * sum(weights.values())
    found = demands(matrix(gravity={"total": "10 Mbit/s", "exponent": 2}))
    for pair, weight in weights.items():
        assert found[pair] == found[pair[::-1]] == pytest.approx(10 * weight / total)


def test_masses_from_a_table_a_class_or_a_file(tmp_path: Path) -> None:
    table = matrix(gravity={"total": "6 Mbit/s", "masses": {"a": 1, "b": 1}})
    assert demands(table) == pytest.approx({"ab": 3, "ba": 3})
    of_class = matrix(gravity={"users": 10, "masses": {"edge": 5}})
    assert demands(of_class) == {"ac": 5, "ca": 5}
    file = tmp_path / "cities.csv"
    file.write_text("router,mass\nb,7\nc,7\na,0\n")
    read = matrix(gravity={"users": 4, "masses": str(file)})
    assert demands(read) == {"bc": 2, "cb": 2}
    scenario_file = tmp_path / "s.toml"
    read.replaced({"traffic.0.gravity.masses": "cities.csv"}).save(scenario_file)
    assert demands(Scenario.load(scenario_file)) == {"bc": 2, "cb": 2}


def test_an_amount_of_a_class_is_split_over_its_routers(tmp_path: Path) -> None:
    text = "origin,destination,amount\nedge,b,4\nedge,edge,2\n"
    found = demands(matrix(file=written(tmp_path, text), unit="Mbit/s"))
    assert found == pytest.approx({"ab": 2, "cb": 2, "ac": 1, "ca": 1})


@pytest.mark.parametrize(
    ("network", "pair"),
    [
        ({"kind": "dumbbell", "rate": "10 Mbit/s", "rtt": "20 ms"}, ("left", "right")),
        ({"kind": "dumbbell", "rate": "10 Mbit/s", "rtt": "20 ms"}, ("right", "left")),
        ({"kind": "abilene", "rate": "1 Gbit/s"}, ("D", "N")),
    ],
)
def test_any_network_has_matrices(
    network: dict[str, Any], pair: tuple[str, str], tmp_path: Path
) -> None:
    text = f"origin,destination,amount\n{pair[0]},{pair[1]},2\n"
    made = matrix(network, file=written(tmp_path, text), unit="Mbit/s")
    assert sum(demands(made).values()) == pytest.approx(2)


def test_a_mix_and_a_single_algorithm_have_the_same_arrivals(tmp_path: Path) -> None:
    made = matrix(file=written(tmp_path, LIST), unit="Mbit/s").replaced(
        {"duration": "4 s", "measure.series": "none"}
    )
    plain, mixed = made.run().flows, made.replaced({"share.bbr": 0.5}).run().flows
    for column in ("start_s", "size_packets"):
        assert np.array_equal(plain[column], mixed[column])
    assert set(mixed["cca"]) == {"cubic", "bbr"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("origin,destination,amount\na,b,1\na,Q,3\n", "line 3 names 'Q': 'Q' is not a router here"),
        ("origin,destination,amount\na,b,-3\n", "line 2 has amount = -3; it must be a number of"),
        ("origin,destination,amount\na,b,x\n", "line 2 has amount = 'x'; it must be a number of"),
        ("origin,destination,amount\na,b,\n", "no amount; it must be"),
        ("origin,destination,amount\na,a,2\n", "2 from a to a, which starts and ends"),
        (
            "origin,destination,amount\na,b,1\na,b,2\n",
            "line 3 lists a to b again, after line 2",
        ),
        ("origin,destination,amount\na,b,0\n", "there is no demand above 0"),
        ("origin,destination\na,b\n", "lacks the column 'amount'; a list of demands needs"),
        ("from,to,mbps\na,b,1\n", "consists of from, to, mbps; a list of demands needs"),
        (",a,b\na,1,2\n", "1 from a to a, which starts"),
        (",a,Q\na,0,2\n", "line 2 names 'Q': 'Q' is not a router here"),
        (",a,b\na,0,2\na,0,3\n", "line 3 is of 'a' again, after line 2"),
        (",a,b\na,0,-2\n", "line 2 has b = -2; it must be"),
        ("", "is empty"),
    ],
)
def test_wrong_files(text: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(ScenarioError) as error:
        matrix(file=written(tmp_path, text), unit="Mbit/s").plan()
    assert error.value.place == "traffic[0].file"
    assert says in error.value.sentence


def test_users_are_whole(tmp_path: Path) -> None:
    text = "origin,destination,amount\na,b,1.5\n"
    with pytest.raises(ScenarioError, match=r"line 2 has amount = 1.5; it must be a whole number"):
        matrix(file=written(tmp_path, text), unit="users").plan()


GRAVITY = {"total": "6 Mbit/s"}


@pytest.mark.parametrize(
    ("keys", "place", "says"),
    [
        ({}, "file", "write either file"),
        ({"file": "x.csv", "gravity": GRAVITY}, "file", "write either file"),
        ({"file": "x.csv"}, "unit", "this key is required"),
        ({"file": "x.csv", "unit": "Mbit"}, "unit", "did you mean 'Mbit/s'"),
        ({"file": "none.csv", "unit": "users"}, "file", "there is no file"),
        ({"gravity": GRAVITY, "unit": "users"}, "unit", "leave this key out"),
        ({"gravity": GRAVITY, "think": "1 s"}, "think", "for amounts that are users"),
        ({"gravity": {"users": 3}, "hosts": 4}, "hosts", "for amounts that are rates"),
        ({"gravity": {"users": 3}, "start": "1 s"}, "start", "for amounts that are rates"),
        ({"gravity": GRAVITY, "source": "a"}, "source", "names its origins and destinations"),
        ({"gravity": GRAVITY, "reverse": True}, "reverse", "names its origins and destinations"),
        ({"gravity": GRAVITY, "start": "2 s", "stop": "1 s"}, "stop", "stop must be after start"),
        ({"gravity": GRAVITY, "scale": 0}, "scale", "greater than 0"),
        ({"gravity": {}}, "gravity.total", "write either total"),
        ({"gravity": {"users": 3, "total": "1 Mbit/s"}}, "gravity.total", "write either total"),
        ({"gravity": GRAVITY | {"masses": {"Q": 1}}}, "gravity.masses", "'Q' is not a router"),
        (
            {"gravity": GRAVITY | {"masses": {"a": -1}}},
            "gravity.masses",
            "a weighs -1; a mass must be",
        ),
        ({"gravity": GRAVITY | {"masses": {"a": 1}}}, "gravity.masses", "at least two routers"),
        ({"gravity": {"total": "9 bit/s"}}, "size", "one file in"),
        ({"gravity": {"users": 1}, "scale": 0.1}, "scale", "leaves no user"),
    ],
)
def test_wrong_keys(keys: dict[str, Any], place: str, says: str) -> None:
    with pytest.raises(ScenarioError) as error:
        matrix(**keys).plan()
    assert error.value.place == f"traffic[0].{place}"
    assert says in error.value.sentence


def test_routers_without_masses_routes_or_distance() -> None:
    plain = {**LINE, "routers": [{"name": name} for name in "abc"]}
    with pytest.raises(ScenarioError, match="the routers of this network lack a mass"):
        matrix(plain, gravity=GRAVITY).plan()
    apart = {**LINE, "links": LINE["links"][:1]}
    with pytest.raises(ScenarioError, match="no route leads from 'a' to 'c' and back"):
        matrix(apart, gravity=GRAVITY).plan()
    near = {**LINE, "links": [{"ends": ends, "delay": "0 ms"} for ends in (["a", "b"], ["b", "c"])]}
    with pytest.raises(ScenarioError, match="the route between 'a' and 'b' takes 0 s"):
        matrix(near, gravity=GRAVITY | {"exponent": 1}).plan()


def test_check_lists_the_largest_amount_and_the_busiest_links(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    matrix(file=written(tmp_path, LIST), unit="Mbit/s").save(file)
    done = command("check", file)
    assert done.exit_code == 0, done
    assert "matrix: 3 pairs, 6.5 Mbit/s; the largest is a to b with 3 Mbit/s" in done.output
    assert "offered load of the busiest links: a-b 45 %, b-a 20 %, b-c 15 %" in done.output


def test_offered_loads_follow_the_routes(tmp_path: Path) -> None:
    made = matrix(file=written(tmp_path, LIST), unit="Mbit/s")
    plan, arrays = made.plan()
    links = plan["links"]
    routes = Routes(3, [(link["from"], link["to"], link["delay_ps"]) for link in links])
    loads = dict(zip([link["name"] for link in links], offered_loads(plan, routes), strict=True))
    assert loads == pytest.approx({"a-b": 0.45, "b-a": 0.2, "b-c": 0.15, "c-b": 0})
    assert scenario_warnings(made, plan, arrays) == []
    over = made.replaced({"traffic.0.scale": 3})
    (says,) = scenario_warnings(over, *over.plan())
    assert "flows accumulate: a-b 135 % of the rate" in says
    short = made.replaced({"duration": "0.7 s"})  # 25, 17 and 12.5 flows/s
    (says,) = scenario_warnings(short, *short.plan())
    assert "1 of the 3 pairs of 'matrix' expect fewer than 10 flows" in says
