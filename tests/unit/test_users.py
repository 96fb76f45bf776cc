"""Web users: kinds of file, mixed CCAs, patience, surges; and the tables that distinguish them."""

from typing import Any

import polars as pl
import pytest

from headgate import Result, Scenario
from headgate._native import Simulation
from headgate.scenario.plan import plan_json

SIZE = {"kind": "pareto", "mean": "40 packets", "shape": 1.5}
USERS = {
    "kind": "web", "name": "users", "cca": "reno", "users": 240, "think": "1 s", "size": SIZE,
}  # fmt: skip
MIX = [{"cca": "reno", "share": 0.3}, {"cca": "bic", "share": 0.7}]
DOCUMENTS = [{"name": "document", "share": 0.1, "size": {"kind": "fixed", "mean": "300 packets"}}]
LONG_LIVED = [
    {"kind": "flows", "cca": "reno", "source": one, "receiver": other}
    for one, other in ("DD", "DF", "FF")
]
SURGE = {
    "source": "D", "share": 0.5, "start": "4 s", "stop": "7 s",
    "size": {"kind": "fixed", "mean": "2000 packets"},
}  # fmt: skip


def scenario(users: dict[str, Any], *others: dict[str, Any], rate: str = "2 Gbit/s") -> Scenario:
    return Scenario.from_dict(
        {
            "duration": "10 s",
            "network": {"kind": "abilene", "rate": rate},
            "transport": "mesonet",
            "traffic": [users, *others],
            "measure": {"warmup": "1 s", "periods": 3, "series": "none"},
        }
    )


def mixed(users: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in users.items() if key != "cca"} | {"cca": MIX}


def everything(**changes: Any) -> dict[str, Any]:
    return mixed(USERS) | {"kinds": DOCUMENTS, "surge": SURGE, "at_once": 0.5} | changes


def frame(result: Result, table: str) -> pl.DataFrame:
    return pl.DataFrame(result.tables[table])


@pytest.fixture(scope="module")
def result() -> Result:
    return scenario(everything(), *LONG_LIVED).run()


def requests(flows: pl.DataFrame, before_s: float) -> dict[str, Any]:
    """Give when flows start, and what they ask for."""
    first = flows.filter(pl.col("start_s") < before_s).sort("start_s", "source", "receiver")
    return {name: first[name].to_list() for name in ("start_s", "source", "receiver")}


def test_the_algorithm_of_a_mix_does_not_change_other_draws() -> None:
    """With other CCAs the same users make the same requests at the same times."""
    swapped = [part | {"cca": "scalable"} for part in MIX[:1]] + MIX[1:]
    one = frame(scenario(everything()).run(), "flows")
    other = frame(scenario(everything(cca=swapped)).run(), "flows")
    assert requests(one, 1) == requests(other, 1)
    first = [flows.sort("start_s")["cca"].head(40).to_list() for flows in (one, other)]
    assert [{"reno": "scalable"}.get(cca, cca) for cca in first[0]] == first[1]
    assert len(requests(one, 1)["start_s"]) > 100


def test_the_shares_of_a_mix_are_kept_and_a_class_may_have_its_own() -> None:
    ccas = [*MIX, {"cca": "scalable", "share": 1.0, "source": "F"}]
    users = everything(cca=ccas, users=3000, think="3 s", at_once=1.0)
    flows = frame(scenario(users, rate="40 Gbit/s").run(duration="2 s"), "flows")
    plan = scenario(users).plan()[0]
    class_of = {node["name"]: node["class"] for node in plan["nodes"]}
    flows = flows.with_columns(
        pl.col("source").replace_strict(class_of).alias("of"),
    ).filter(pl.col("start_s") < 0.1)  # the first request of each user
    assert flows.height == pytest.approx(3000, abs=20)
    assert set(flows.filter(pl.col("of") == "F")["cca"]) == {"scalable"}
    others = flows.filter(pl.col("of") != "F")
    # binomial, 1200 users: four standard deviations are 0.053
    assert (others["cca"] == "reno").mean() == pytest.approx(0.3, abs=0.053)


def test_a_surge_has_its_class_and_time_and_does_not_change_other_draws(result: Result) -> None:
    calm = frame(scenario(everything(surge=None), *LONG_LIVED).run(), "flows")
    flows = frame(result, "flows").filter(pl.col("traffic") == "users")
    jumbo = flows.filter(pl.col("size_packets") == 2000)
    assert jumbo.height > 10
    assert jumbo["start_s"].min() >= 4
    assert jumbo["start_s"].max() < 7
    assert set(jumbo["class"].str.slice(0, 1)) == {"D"}
    assert requests(flows, 4) == requests(calm.filter(pl.col("traffic") == "users"), 4)
    classes = frame(result, "classes").filter(pl.col("file") == "jumbo")
    assert classes["started"].sum() == jumbo.height


def test_impatient_users_abandon_slow_transfers_and_think_again() -> None:
    """On 1 Mbit/s of access links 600 users are far too many: hardly anyone gets 200 kbit/s."""
    patience = {"check": "2 s", "floor": "200 kbit/s"}
    slow = USERS | {"users": 600, "at_once": 1.0, "patience": patience}
    impatient = scenario(slow, rate="80 Mbit/s").run()
    flows = frame(impatient, "flows")
    given_up = flows.filter(pl.col("status") == "abandoned")
    assert given_up.height > 100
    assert given_up["fct_sender_s"].is_nan().all()
    rate_bps = given_up["delivered_total_packets"] * 1460 * 8 / 2
    assert rate_bps.max() < 200e3
    # a transfer that continues after the check was fast enough, or was not yet connected
    left = flows.filter((pl.col("status") == "running") & (pl.col("start_s") < 8))
    assert (
        (left["delivered_total_packets"] * 1460 * 8 / 2 >= 200e3) | (left["established_s"] > 2)
    ).all()
    counted = frame(impatient, "responses")["flows_abandoned"].sum()
    assert counted == frame(impatient, "classes")["abandoned"].sum()
    assert 0 < counted <= given_up.height
    assert frame(impatient, "checks")["relative_error"].to_list()[:2] == [0, 0]
    patient = scenario(slow | {"patience": None}, rate="80 Mbit/s").run()
    assert frame(patient, "flows").height < flows.height  # nobody thinks again


def test_a_user_whose_connection_fails_thinks_again() -> None:
    """If nine packets of ten are lost, three SYNs (3, 6 and 12 s) often go unanswered."""
    lossy = Scenario.from_dict(
        {
            "duration": "120 s",
            "network": {"kind": "dumbbell", "rate": "10 Mbit/s", "rtt": "40 ms", "loss": 0.9},
            "transport": "mesonet",
            "traffic": [USERS | {"users": 20}],
            "measure": {"series": "none"},
        }
    ).run()
    failed = frame(lossy, "flows").filter(pl.col("status") == "failed")
    # of some 20 users each 60 s or so: (1 - 0.1)^3 = 73 % of the first connections fail
    assert failed.height > 20
    assert frame(lossy, "flows").height > failed.height
    assert frame(lossy, "classes")["failed"].sum() == failed.height
    assert frame(lossy, "responses")["connection_failures"].sum() == failed.height
    assert frame(lossy, "ccas")["connecting"][0] > 5


def test_classes_add_up_to_the_responses(result: Result) -> None:
    of_period = frame(result, "classes").group_by("period").agg(pl.exclude(pl.String).sum())
    of_period = of_period.sort("period")
    responses = frame(result, "responses")
    for ours, theirs in {
        "completed": "flows_completed",
        "failed": "connection_failures",
        "retransmissions": "retransmissions",
        "timeouts": "timeouts",
        "rtt_count": "rtt_count",
    }.items():
        assert of_period[ours].to_list() == responses[theirs].to_list(), ours


def test_classes_are_what_the_rows_of_the_flows_say(result: Result) -> None:
    """The same sums from the rows of flows, for those that finished in the second period."""
    flows = frame(result, "flows").with_columns(
        (pl.col("start_s") + pl.col("fct_sender_s")).alias("end_s"),
    )
    ended = flows.filter(pl.col("end_s").is_between(4, 7, closed="left") & (pl.col("cca") == "bic"))
    rows = frame(result, "classes").filter((pl.col("period") == 2) & (pl.col("cca") == "bic"))
    for name in ("DF", "DN", "FF"):
        mine = ended.filter(pl.col("class") == name)
        theirs = rows.filter(pl.col("class") == name)
        assert theirs["completed"].sum() == mine.height > 0
        assert theirs["timed_packets"].sum() == mine["size_packets"].sum()
        rates = mine["size_packets"] / mine["fct_receiver_s"]
        assert theirs["rate_sum"].sum() == pytest.approx(rates.sum())


def test_kinds_have_their_shares_and_interfaces_are_distinguished(result: Result) -> None:
    web = frame(result, "classes").filter(pl.col("file").is_in(["web object", "document"]))
    by_file = {
        file: web.filter(pl.col("file") == file)["started"].sum() for file in set(web["file"])
    }
    share = by_file["document"] / sum(by_file.values())
    deviation = (0.1 * 0.9 / sum(by_file.values())) ** 0.5
    assert share == pytest.approx(0.1, abs=4 * deviation)
    fast = web.filter(pl.col("interface") == "fast")["started"].sum() / web["started"].sum()
    assert fast == pytest.approx(0.25, abs=0.08)  # half of the sources, half of the receivers


def test_long_lived_flows_run_between_classes_and_count_what_they_deliver(result: Result) -> None:
    rows = frame(result, "classes").filter(pl.col("file") == "long-lived")
    assert set(rows["class"]) == {"DD", "DF", "FF"}
    assert rows["completed"].sum() == 0
    flows = frame(result, "flows").filter(pl.col("size_packets") == 0)
    assert flows.height == 3
    assert rows["delivered_packets"].sum() == flows["delivered_packets"].sum() > 0
    periods = rows["end_s"] - rows["start_s"]
    assert rows["active_s"].to_list() == pytest.approx(periods.to_list())  # begun before the first


def test_windows_of_an_algorithm_add_up(result: Result) -> None:
    ccas, windows = frame(result, "ccas"), frame(result, "windows")
    open_sum = ccas["active_sum"].sum() - ccas["connecting_sum"].sum()
    assert windows["count"].sum() == open_sum
    assert windows.group_by("period", "cca").agg(pl.col("share").sum())["share"].to_list() == (
        pytest.approx([1.0] * 6)
    )
    assert (ccas["swing_least_packets"] <= ccas["swing_mean_packets"]).all()
    assert (ccas["swing_mean_packets"] <= ccas["swing_greatest_packets"]).all()
    responses = frame(result, "responses")
    assert ccas.group_by("period").agg(pl.col("connecting").sum()).sort("period")[
        "connecting"
    ].to_list() == pytest.approx(responses["connecting"].to_list())


def test_what_is_counted_twice_is_the_same(result: Result) -> None:
    checks = frame(result, "checks")
    assert checks["relative_error"].to_list()[:2] == [0, 0]
    assert checks["left"].to_list()[0] > 100_000
    # sampling 45 instants of some dozen busy ports: a few per cent
    assert abs(checks["relative_error"].to_list()[2]) < 0.15


def test_littles_law_holds_at_every_port_that_is_busy() -> None:
    """Samples 5 ms apart, 1800 of them, against the sums of waits.

    A queue whose busy times are shorter than that gives independent samples with a deviation of
    about twice its mean: 2 / 1800^0.5 = 5 %, four times that is 20 %. All ports together: 2 %.
    """
    often = scenario(everything()).replaced({"measure.interval": "5 ms", "measure.periods": 1})
    ran = often.run()
    links = frame(ran, "links").filter(pl.col("queue_sum") > 1800)
    assert links.height > 10
    off = links["sampled_queue_packets"] / links["mean_queue_packets"] - 1
    assert off.abs().max() < 0.2
    of = links.select(pl.col("sampled_queue_packets", "mean_queue_packets").sum())
    assert of.item(0, 0) == pytest.approx(of.item(0, 1), rel=0.02)
    errors = frame(ran, "checks")["relative_error"].to_list()[2:]
    assert abs(errors[0]) < 0.02
    assert 0 < abs(errors[1]) < 0.2


def test_another_group_does_not_change_the_draws_of_the_first() -> None:
    """A second, distant group with different surges and kinds does not change the first."""
    far = everything(name="others", users=30, source="A1a", receiver="A2a", surge=None)
    alone = frame(scenario(everything(source="J1d", receiver="K1a", surge=None)).run(), "flows")
    first = everything(source="J1d", receiver="K1a", surge=None)
    both = frame(scenario(first, far).run(), "flows").filter(pl.col("traffic") == "users")
    assert alone.height > 300
    assert requests(alone, 10) == requests(both, 10)
    assert alone["cca"].to_list() == both["cca"].to_list()


def test_an_idle_source_takes_less_than_200_bytes() -> None:
    """The engine's memory for each source more, with every habit on."""
    patience = {"check": "2 s", "floor": "200 kbit/s"}

    def state_bytes(users: int) -> int:
        made = scenario(everything(users=users, at_once=0, patience=patience)).plan()
        return Simulation(plan_json(made[0]), made[1], []).bytes

    few, many = 20_000, 60_000
    assert (state_bytes(many) - state_bytes(few)) / (many - few) < 200


def test_links_of_all_periods_add_up_to_the_ports(result: Result) -> None:
    links = frame(result, "links").group_by("link").agg(pl.col("arrivals", "drops").sum())
    ports = frame(result, "ports").join(links, on="link", suffix="_of_periods")
    assert ports.height == len(result.ports)
    assert (ports["arrivals"] == ports["arrivals_of_periods"]).all()
    assert (ports["drops"] == ports["drops_of_periods"]).all()


def test_series_follow_every_link_if_asked() -> None:
    often = scenario(USERS).replaced({"measure.series": {"ports": ["*"], "interval": "1 s"}})
    series = frame(often.run(duration="3 s"), "series")
    assert set(series["name"]) == set(frame(often.run(duration="3 s"), "ports")["link"])
    assert series["drops"].is_not_nan().all()


def test_nothing_new_means_nothing_changed() -> None:
    """A plan without the new keys is the one of before."""
    plan = scenario(USERS).plan()[0]
    assert "files" not in plan
    assert set(plan["traffic"][0]) == {
        "kind", "name", "law", "transport", "sources", "receivers", "think_s", "size", "at_once",
    }  # fmt: skip
