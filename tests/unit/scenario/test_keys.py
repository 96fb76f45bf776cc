"""Keys by path: mixes of algorithms, shares in all traffic, and keys that are removed."""

import re
from pathlib import Path
from typing import Any

import pytest

from headgate import Scenario
from headgate.base.errors import ScenarioError

from .scenarios import DUMBBELL, RENO, WEB, scenario

MIX = {"kind": "flows", "count": 10, "cca": {"reno": 0.5, "bbr": 0.5}}
LIVE = {"kind": "live", "hosts": ["a"], "peers": ["b"]}


def shares(made: Scenario, place: int = 0) -> dict[str, float]:
    cca = made.to_dict()["traffic"][place]["cca"]
    return {part["cca"]: part["share"] for part in cca}


def test_a_share_is_set_in_a_stored_mix() -> None:
    made = scenario(DUMBBELL, MIX)
    both = {"traffic.0.cca.reno": 0.7, "traffic.0.cca.bbr": 0.3}
    assert shares(made.replaced(both)) == {"reno": 0.7, "bbr": 0.3}
    new = {"traffic.0.cca.reno": 0.25, "traffic.0.cca.bbr": 0.25, "traffic.0.cca.cubic": 0.5}
    assert shares(made.replaced(new)) == {"reno": 0.25, "bbr": 0.25, "cubic": 0.5}
    with pytest.raises(ScenarioError, match=r"must add up to 1; these add up to 1.2"):
        made.replaced({"traffic.0.cca.reno": 0.7})


def test_two_parts_of_one_algorithm_are_told_apart_by_their_places() -> None:
    parts = [
        {"cca": "reno", "share": 1.0},
        {"cca": "reno", "share": 1.0, "source": "core"},
    ]
    made = scenario(DUMBBELL, {**MIX, "cca": parts})
    with pytest.raises(ScenarioError, match=r"by its place: traffic\.0\.cca\.0\.share"):
        made.replaced({"traffic.0.cca.reno": 0.5})
    changed = made.replaced({"traffic.0.cca.1.cca": "cubic"})
    assert changed.to_dict()["traffic"][0]["cca"][1]["cca"] == "cubic"


@pytest.mark.parametrize("key", ["traffic.0.cca.alpha", "traffic.0.cca"])
def test_a_table_that_is_neither_one_algorithm_nor_a_mix_offers_both(key: str) -> None:
    value: Any = 20 if key.endswith("alpha") else {"alpha": 20}
    with pytest.raises(ScenarioError) as error:
        scenario(DUMBBELL, MIX).replaced({key: value})
    for part in ("'alpha' is not a congestion control algorithm, but a parameter of", "fast"):
        assert part in str(error.value)
    for reading in ("{ name = ", "alpha = 20 }; for a mix", "{ cubic = 0.5, bbr3 = 0.5 }"):
        assert reading in str(error.value)


def test_a_misspelt_algorithm_of_a_mix_is_suggested() -> None:
    with pytest.raises(ScenarioError, match=r"'cubci' is not .* did you mean 'cubic'"):
        scenario(DUMBBELL, {**MIX, "cca": {"cubci": 0.5, "reno": 0.5}})


def test_an_algorithm_that_is_no_parameter_of_another_one() -> None:
    with pytest.raises(ScenarioError, match=r"a mix, .* such as \{ reno = 0.5, bbr3 = 0.5 \}"):
        scenario(DUMBBELL, RENO).replaced({"traffic.0.cca.bbr3": 0.5})


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        (0, {"bbr3": 0, "reno": 1.0}),
        (0.25, {"bbr3": 0.25, "reno": 0.75}),
        (1, {"bbr3": 1, "reno": 0.0}),
    ],
)
def test_a_share_of_all_traffic_leaves_the_rest_to_the_others(
    share: float, expected: dict[str, float]
) -> None:
    made = scenario(DUMBBELL, RENO, {**WEB, "users": 4}, LIVE).replaced({"share.bbr3": share})
    assert shares(made, 0) == shares(made, 1) == expected
    assert "cca" not in made.to_dict()["traffic"][2]


def test_others_keep_their_proportions_in_every_class() -> None:
    parts = [
        {"cca": "reno", "share": 0.2},
        {"cca": "cubic", "share": 0.8},
        {"cca": "bbr", "share": 1.0, "source": "core"},
    ]
    made = scenario(DUMBBELL, {**MIX, "cca": parts}).replaced({"share.bbr3": 0.5})
    assert made.to_dict()["traffic"][0]["cca"] == [
        {"cca": "bbr3", "share": 0.5},
        {"cca": "reno", "share": 0.1},
        {"cca": "cubic", "share": 0.4},
        {"cca": "bbr3", "share": 0.5, "source": "core"},
        {"cca": "bbr", "share": 0.5, "source": "core"},
    ]


def test_shares_are_set_together_and_after_the_algorithm() -> None:
    changes = {"share.bbr": 0.25, "share.bbr3": 0.25, "cca": {"reno": 0.5, "cubic": 0.5}}
    made = scenario(DUMBBELL, RENO).replaced(changes)
    assert shares(made) == {"bbr": 0.25, "bbr3": 0.25, "reno": 0.25, "cubic": 0.25}
    assert shares(scenario(DUMBBELL, MIX, MIX).replaced({"traffic.1.share.bbr": 1}), 0) == {
        "reno": 0.5,
        "bbr": 0.5,
    }


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"share.bbr3": 1.5}, "share.bbr3: 1.5 is not allowed; a share is a number from 0 to 1"),
        ({"share.bbr3": "half"}, "share.bbr3: 'half' is not allowed"),
        ({"share.bbr3": True}, "share.bbr3: true is not allowed"),
        ({"share.bbr9": 0.5}, "share.bbr9: 'bbr9' is not a congestion control algorithm"),
        ({"share.bbr3": 0.6, "share.bbr": 0.6}, "share: the shares add up to 1.2"),
        ({"share.reno": 0.5}, "share: the shares leave 0.5 for other algorithms"),
        ({"traffic.3.share.reno": 0.5}, "traffic.3.share: '3' is not a place in a list of 1"),
    ],
)
def test_wrong_shares(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(ScenarioError) as error:
        scenario(DUMBBELL, RENO).replaced(changes)
    assert str(error.value).startswith(says)


@pytest.mark.parametrize(
    ("key", "says"),
    [
        ("traffic.late.cca", "'late' is not a place in a list of 2; write traffic.1.cca for the"),
        ("traffic.late.size.mean", "write traffic.1.size.mean for the one of that name"),
        ("traffic.other.cca", "write traffic.0.cca for the first one, or cca for all traffic"),
        ("traffic[1].cca", "the number of an item follows a point; write traffic.1.cca"),
        ("traffic[1].share.bbr", "write traffic.1.share.bbr"),
    ],
)
def test_an_item_of_a_list_is_named_by_its_number(key: str, says: str) -> None:
    made = scenario(DUMBBELL, RENO, {**RENO, "name": "late"})
    with pytest.raises(ScenarioError, match=re.escape(says)):
        made.replaced({key: "cubic"})


def test_a_user_defined_algorithm_has_a_share(tmp_path: Path) -> None:
    code = Path(__file__).parents[3] / "examples/ccas/gentle.py"
    source = f"{code}:Gentle"
    made = scenario(DUMBBELL, RENO).replaced({f"share.{source}": 0.25})
    assert shares(made) == {source: 0.25, "reno": 0.75}
    assert shares(made.replaced({f"traffic.0.cca.{source}": 0.0, "cca.reno": 1})) == {
        source: 0.0,
        "reno": 1.0,
    }
    copy = tmp_path / "mine.py"
    copy.write_text(code.read_text())
    file = tmp_path / "s.toml"
    file.write_text(
        '[network]\nkind="dumbbell"\nrate="1 Mbit/s"\nrtt="9 ms"\n'
        '[[traffic]]\nkind="flows"\ncca={"./mine.py:Gentle"=0.5, reno=0.5}\n'
    )
    assert list(shares(Scenario.load(file))) == [f"{copy}:Gentle", "reno"]


def test_keys_are_removed() -> None:
    made = scenario({**DUMBBELL, "queue": "codel", "buffer": "2 BDP"}, MIX, RENO)
    less = made.without("network.queue", "traffic.1", "traffic.0.count")
    assert less == scenario({**DUMBBELL, "buffer": "2 BDP"}, {**MIX, "count": 1})
    assert made.replaced({"network.queue": {"unset": True}}) == made.without("network.queue")
    default = scenario({**DUMBBELL, "buffer": "1 BDP"}, RENO)
    assert default.without("network.buffer", "traffic.0.count") == default
    plain = scenario(DUMBBELL, RENO)
    assert plain.replaced({"network.queue": {"unset": True}}) == plain  # it was not set


def test_numbers_are_those_before_anything_is_removed() -> None:
    names = [{**RENO, "name": name} for name in "abcd"]
    made = scenario(DUMBBELL, *names).without("traffic.0", "traffic.2", "traffic.2")
    assert [item.name for item in made.traffic] == ["b", "d"]


@pytest.mark.parametrize(
    ("key", "says"),
    [
        ("network.que", "network.que: 'que' is not set; the keys of network that are set are"),
        ("network.rat", "did you mean 'rate'?"),
        ("netwrok", "netwrok: 'netwrok' is not set; the keys that are set are network, traffic"),
        ("network.feedback", "network.feedback: 'feedback' is not set"),  # without a default
        ("traffic.2", "traffic.2: '2' is not a place in the list of 1 at traffic"),
        ("traffic.count", "write traffic.0.count for the first one"),
        ("traffic.0.cca.cubic", "'cubic' is not in the mix traffic.0.cca"),
        ("network.rate.bits", "there is nothing below 'network.rate', which is a value"),
        ("network.rtt", "network.rtt: this key is required"),
        ("traffic.0", "traffic: there is no traffic"),
        ("traffic.0.law", "this key is now 'cca'; write traffic.0.cca"),
    ],
)
def test_keys_that_cannot_be_removed(key: str, says: str) -> None:
    with pytest.raises(ScenarioError) as error:
        scenario(DUMBBELL, MIX).without(key)
    assert says in str(error.value)
