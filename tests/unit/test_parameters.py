"""Parameters carry their unit, in the value or in the name; a bare number means nothing else."""

from collections.abc import Iterator

import pytest

from headgate import Scenario
from headgate.base import catalog
from headgate.base.errors import CatalogError, ScenarioError
from headgate.base.parameters import (
    ParameterError,
    check_together,
    count_packets,
    find_parameter,
    read_parameters,
    write_number,
)
from headgate.engine.fluid import solve, sweep
from headgate.scenario.cca import CcaChoice

#: How the name of a parameter may end, by its unit: written here again, for the whole catalogue.
ENDINGS = {
    "s": "_s",
    "min": "_minutes",
    "bytes": "_bytes",
    "bytes/s": "_bytes_s",
    "Mbit/s": "_mbps",
    "packets/s": "_packets_s",
    "segments/s": "_segments_s",
    "1/s": "_hz",
    "packets": "_packets",
}
#: Quantities that users write in several units.
SEVERAL = {"s", "min", "bytes", "bytes/s", "Mbit/s", "packets/s", "segments/s"}


def numbers() -> Iterator[tuple[catalog.Cca, catalog.Param]]:
    for card in catalog.list_everything():
        yield from ((card, param) for param in card.params if not param.choices)


def take(card: catalog.Cca, key: str, value: object) -> dict[str, float | str]:
    """Read one parameter, beside those that the card requires."""
    own = find_parameter(card, key)
    needed = {one.name: one.low for one in card.params if one.is_required and one is not own}
    read = read_parameters(card, {**needed, key: value}, count_packets)
    return {name: number for name, number in read.items() if name not in needed}


def usual(param: catalog.Param) -> float | str:
    return param.low if param.is_required else param.default


def test_a_bare_number_is_refused_under_every_name_without_a_unit() -> None:
    refused = 0
    for card, param in numbers():
        ending = ENDINGS.get(param.unit, "")
        names = {param.name.removesuffix(ending), param.name} if ending else {param.name}
        for key in names:
            carries = bool(ending) and key.endswith(ending)
            if carries or (key == param.name and param.unit not in SEVERAL):
                assert take(card, key, usual(param)) == {param.name: usual(param)}
                continue
            refused += 1
            with pytest.raises(ParameterError, match="has no unit") as error:
                take(card, key, usual(param))
            assert error.value.key == key
    assert refused > 40


def test_every_number_can_be_written_under_its_full_name() -> None:
    for card, param in numbers():
        for number in (param.low, param.high, usual(param)):
            assert take(card, param.name, write_number(param, float(number))) == {
                param.name: number
            }


@pytest.mark.parametrize(
    ("kind", "name", "key", "text", "number"),
    [
        ("queue", "codel", "target", "5 ms", {"target_s": 0.005}),
        ("queue", "codel", "target_s", "5 ms", {"target_s": 0.005}),
        ("queue", "fq-codel", "quantum", "300 B", {"quantum_bytes": 300.0}),
        ("queue", "fq-codel", "drop_batch", "8 packets", {"drop_batch": 8.0}),
        ("queue", "red", "min", "5 packets", {"min_packets": 5.0}),
        ("queue", "pi", "frequency", "170 Hz", {"frequency_hz": 170.0}),
        ("impairment", "policer", "rate", "8 Mbit/s", {"rate_bytes_s": 1e6}),
        ("impairment", "jitter", "mean", "2 ms", {"mean_s": 0.002}),
        ("feedback", "rcp", "period", "10 ms", {"period_s": 0.01}),
        ("cca", "htcp", "delta_l", "1500 ms", {"delta_l": 1.5}),
        ("cca", "ledbat", "target", "25 ms", {"target_s": 0.025}),
        ("cca", "ledbat", "base", "120 s", {"base_minutes": 2.0}),
        ("cca", "constant", "rate", "80 kbit/s", {"rate_mbps": 0.08}),
        ("cca", "fast-at", "up_mid", "1500 packets/s", {"up_mid": 1500.0}),
        ("cca", "fast", "alpha", "20 packets", {"alpha": 20.0}),
        ("cca", "fast", "alpha", "20 segments", {"alpha": 20.0}),
        ("fluid", "tcp-red", "rtt", "200 ms", {"rtt_s": 0.2}),
        ("fluid", "tcp-red", "rate", "30 packets/s", {"rate_packets_s": 30.0}),
        ("fluid", "tcp-red", "min", "20 packets", {"min_packets": 20.0}),
    ],
)
def test_a_quantity_becomes_a_number_of_the_card(
    kind: str, name: str, key: str, text: str, number: dict[str, float]
) -> None:
    (card,) = (card for card in catalog.cards(name) if card.kind == kind)
    assert take(card, key, text) == number


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"target": 5}, "target: 5 has no unit; write one, such as '5 ms', or target_s = 5 (in s)"),
        ({"target": 0}, "target: 0 has no unit"),
        ({"target": "5"}, "target: '5' has no unit"),
        ({"target_s": True}, "target_s: true is not allowed; it must be a number from 0 to 100 s"),
        ({"ecn": True}, "ecn: true is not allowed; it must be 'off' or 'on'"),
        ({"target": "5 ms", "target_s": 0.1}, "target_s: 'target_s' is given twice"),
        ({"aim": "5 ms"}, "aim: 'codel' has no parameter 'aim'"),
    ],
)
def test_wrong_parameters_are_refused(given: dict[str, object], says: str) -> None:
    with pytest.raises(CatalogError) as error:
        read_parameters(catalog.device("queue", "codel"), given, count_packets)
    assert str(error.value).startswith(says)


NETWORK = {"kind": "dumbbell", "rate": "10 Mbit/s", "rtt": "40 ms"}
FLOW = {"kind": "flows", "cca": "cubic"}


@pytest.mark.parametrize(
    ("network", "traffic", "place"),
    [
        ({"queue": {"name": "codel", "target": 5}}, {}, "network.queue.target"),
        ({"queue": {"name": "red", "min": 5}}, {}, "network.queue.min"),
        ({"ingress": [{"name": "policer", "rate": 10}]}, {}, "network.ingress[0].rate"),
        ({"impairments": [{"name": "jitter", "mean": 5}]}, {}, "network.impairments[0].mean"),
        ({"feedback": {"name": "xcp", "start_rtt": 5}}, {}, "network.feedback.start_rtt"),
        ({"reverse": {"queue": {"name": "pie", "target": 9}}}, {}, "network.reverse.queue.target"),
        ({}, {"cca": {"name": "htcp", "delta_l": 1}}, "traffic[0].cca.delta_l"),
        ({}, {"cca": {"name": "constant", "rate": 1}}, "traffic[0].cca.rate"),
    ],
)
def test_a_scenario_names_the_key(
    network: dict[str, object], traffic: dict[str, object], place: str
) -> None:
    scenario = {"network": NETWORK | network, "traffic": [FLOW | traffic]}
    with pytest.raises(ScenarioError, match="has no unit") as error:
        Scenario.from_dict(scenario)
    assert error.value.place == place


def test_an_algorithm_takes_quantities_into_the_plan() -> None:
    cca = CcaChoice.model_validate({"name": "ledbat", "target": "60 ms", "gain": 0.5})
    assert cca.plan() == {"name": "ledbat", "params": {"target_s": 0.06, "gain": 0.5}}
    assert cca.model_dump() == {"name": "ledbat", "target": "60 ms", "gain": 0.5}


def test_fluid_models_take_the_same() -> None:
    with_names = solve("tcp-red", {"rtt_s": 0.3}, duration="5 s")
    with_units = solve("tcp-red", {"rtt": "300 ms"}, duration="5 s")
    assert with_names.meta["digest"] == with_units.meta["digest"]
    with pytest.raises(CatalogError, match="rtt: 300 has no unit"):
        solve("tcp-red", {"rtt": 300}, duration="5 s")
    columns = sweep("tcp-red", {"rtt": ["200 ms", "300 ms"]}, duration="1 s")
    assert columns["rtt_s"].tolist() == [0.2, 0.3]
    with pytest.raises(CatalogError, match="rtt: 200 has no unit"):
        sweep("tcp-red", {"rtt": [200, 300]}, duration="1 s")


#: Parameters that exclude one another: the card, the given ones, the key of the error, the other.
APART = [
    (
        "queue",
        "red",
        {"min": "50 packets", "max": "10 packets"},
        "max",
        "'min_packets', which is 50",
    ),
    ("queue", "red", {"min_packets": 50, "max_packets": 10}, "max_packets", "'min_packets'"),
    ("queue", "ared", {"min": "50 packets", "max": "10 packets"}, "max", "'min_packets'"),
    ("queue", "ared", {"bottom": 0.4, "top": 0.3}, "top", "'bottom', which is 0.4"),
    ("queue", "ared", {"bottom": 0.6}, "bottom", "'top' is 0.5 and may not be below 'bottom'"),
    ("queue", "pi", {"b": 2e-5}, "b", "'a' is 1.822e-05 and may not be below 'b'"),
    ("feedback", "vcp", {"period": "5 ms"}, "period", "'sample_s', which is 0.01 by default"),
    ("feedback", "xcp", {"start_rtt": "0.5 s", "most_rtt": "0.1 s"}, "most_rtt", "'start_rtt_s'"),
    ("cca", "htcp", {"beta_min": 0.9}, "beta_min", "'beta_max' is 0.8 and may not be below"),
    ("cca", "illinois", {"eta2": 0.001}, "eta2", "'eta1', which is 0.01 by default"),
    ("cca", "fast-at", {"alpha_low": 300}, "alpha_low", "'alpha_mid' is 20 and may not be below"),
    ("cca", "fast-at", {"up_high": "9 packets/s"}, "up_high", "'up_mid', which is 1500 by default"),
    ("cca", "vegas", {"alpha": 4, "beta": 2}, "beta", "'alpha', which is 4"),
    ("cca", "hstcp", {"low_window": 5000, "high_window": 2000}, "high_window", "'low_window'"),
    ("cca", "yeah", {"delta": 0.5, "epsilon": 0.1}, "epsilon", "'delta', which is 0.5"),
    ("cca", "bic", {"max_increment": 0.001}, "max_increment", "'min_increment', which is 0.01"),
    ("fluid", "vegas", {"alpha": 4, "beta": 2}, "beta", "'alpha', which is 4"),
    ("fluid", "tcp-red", {"min": "70 packets"}, "min", "'max_packets' is 60 and may not be below"),
    (
        "fluid",
        "misra-gong-towsley",
        {"min_packets": 9, "max_packets": 3},
        "max_packets",
        "which is 9",
    ),
]


@pytest.mark.parametrize(("kind", "name", "given", "key", "says"), APART)
def test_parameters_are_checked_together(
    kind: str, name: str, given: dict[str, object], key: str, says: str
) -> None:
    (card,) = (card for card in catalog.cards(name) if card.kind == kind)
    read = read_parameters(card, given, count_packets)
    with pytest.raises(ParameterError) as error:
        check_together(card, given, read)
    assert error.value.key == key
    assert says in error.value.sentence
    assert "may not be below" in error.value.sentence


def test_every_declared_condition_can_be_broken_and_holds_for_the_defaults() -> None:
    count = 0
    for card, param in numbers():
        check_together(card, {}, {})
        for other in (card.param(name) for name in param.at_least if name != catalog.PACKET):
            count += 1
            least = param.low or 1e-6 * param.high
            given = {param.name: least, other.name: other.high}
            with pytest.raises(ParameterError, match="may not be below"):
                check_together(card, given, given)
    assert count > 20


def test_what_is_automatic_is_below_nothing() -> None:
    red = catalog.device("queue", "red")
    for given in ({"max": "1 packet"}, {"min_packets": 1000}):
        check_together(red, given, read_parameters(red, given, count_packets))


def test_shares_of_the_bdp_are_compared_when_they_are_known() -> None:
    red = {"name": "red", "min": "10 packets", "max": "1 BDP"}
    scenario = Scenario.from_dict({"network": NETWORK | {"queue": red}, "traffic": [FLOW]})
    assert scenario.plan()[0]["links"][0]["queue"]["params"]["max_packets"] == 33


@pytest.mark.parametrize(
    ("network", "place", "says"),
    [
        (
            {"queue": {"name": "red", "min": "1 BDP", "max": "10 packets"}},
            "network.queue.max",
            "'max_packets' is 10 and may not be below 'min_packets', which is 33",
        ),
        (
            {"ingress": [{"name": "policer", "rate": "1 Mbit/s", "burst": "100 B"}]},
            "network.ingress[0].burst",
            "100 bytes hold no packet of 1500 B, so all are dropped",
        ),
        (
            {"impairments": ["duplicate", {"name": "policer", "burst": "1499 B"}]},
            "network.impairments[1].burst",
            "1499 bytes hold no packet of 1500 B",
        ),
    ],
)
def test_a_plan_checks_parameters_that_depend_on_the_network(
    network: dict[str, object], place: str, says: str
) -> None:
    scenario = Scenario.from_dict({"network": NETWORK | network, "traffic": [FLOW]})
    with pytest.raises(ScenarioError) as error:
        scenario.plan()
    assert error.value.place == place
    assert says in error.value.sentence


def test_a_burst_of_one_packet_passes() -> None:
    policer = {"name": "policer", "rate": "1 Mbit/s", "burst": "1500 B"}
    Scenario.from_dict({"network": NETWORK | {"ingress": [policer]}, "traffic": [FLOW]}).plan()


def test_a_valid_choice_composes_no_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """A scenario of 145 flows took 72 ms, 65 of them for hints that nobody read."""

    def fail(*_: object) -> str:
        raise AssertionError("a hint was composed")

    monkeypatch.setattr(catalog, "hint", fail)
    given = {"name": "CUBIC", "beta": 0.8, "fast_convergence": "off"}
    assert CcaChoice.model_validate(given).params == {"beta": 0.8, "fast_convergence": "off"}
