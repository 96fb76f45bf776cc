"""Slow starts: their key in scenarios, their plans, and golden runs with bounds derived by hand."""

import math
from typing import Any

import pytest

import headgate
from headgate import Result
from headgate.base import catalog
from headgate.base.errors import ScenarioError
from headgate.experiment import measures, sql
from headgate.forms import CcaChoice, OwnCca
from headgate.scenario.plan import make_plan

LOSS_BASED = [card.name for card in catalog.ccas() if card.family in {"loss", "hybrid"}]
SLOW_STARTS = [card.name for card in catalog.devices() if card.kind == "slow-start"]
#: Packets in one round trip of 100 ms at 50 Mbit/s, 1500 B each.
BDP = 50e6 * 0.1 / 8 / 1500
RESUME = {"name": "careful-resume", "saved_cwnd": 800, "saved_rtt": "100 ms"}


def make(cca: Any, buffer: str = "1 BDP") -> headgate.Scenario:
    return headgate.dumbbell(rate="50 Mbit/s", rtt="100 ms", buffer=buffer, flows=[{"cca": cca}])


def run(slow_start: Any, buffer: str = "1 BDP", cca: str = "reno") -> Result:
    return make({"name": cca, "slow_start": slow_start}, buffer).run("4 s", seed=1)


def first(result: Result, column: str) -> float:
    return float(result.flows[column][0])


def laws(cca: Any) -> dict[str, Any]:
    return make_plan(make(cca))[0]["laws"][0]


@pytest.mark.parametrize("name", LOSS_BASED)
def test_the_classic_slow_start_leaves_the_plan_as_it_is(name: str) -> None:
    if name != "cubic":  # its own is HyStart
        assert laws({"name": name, "slow_start": "classic"}) == laws(name)


def test_a_word_of_cubic_stays_its_parameter() -> None:
    for word in ("hystart", "hystart++", "classic"):
        given = {"name": "cubic", "slow_start": word}
        assert laws(given) == {"name": "cubic", "params": {"slow_start": word}}
        assert CcaChoice.model_validate(given).model_dump() == given


def test_a_table_of_cubic_replaces_its_own_word() -> None:
    given = {"name": "cubic", "slow_start": {"name": "hystart++"}}
    assert laws(given) == {
        "name": "cubic",
        "params": {"slow_start": "classic"},
        "slow_start": {"name": "hystart++", "params": {}},
    }
    assert CcaChoice.model_validate(given).model_dump() == given


def test_another_slow_start_of_cubic_replaces_its_own() -> None:
    given = {"name": "cubic", "beta": 0.6, "slow_start": {"name": "search", "threshold": 0.3}}
    assert laws(given) == {
        "name": "cubic",
        "params": {"beta": 0.6, "slow_start": "classic"},
        "slow_start": {"name": "search", "params": {"threshold": 0.3}},
    }
    assert CcaChoice.model_validate(given).model_dump() == given


def test_quantities_of_a_slow_start_take_units() -> None:
    start = {"name": "careful-resume", "saved_cwnd": "800 packets", "saved_rtt": "600 ms"}
    plan = laws({"name": "reno", "slow_start": start})
    assert plan["slow_start"]["params"] == {"saved_cwnd": 800, "saved_rtt_s": 0.6}


def test_a_user_defined_algorithm_takes_a_slow_start() -> None:
    given = {"source": "./mine.py:Mine", "slow_start": "search", "alpha": 2}
    own = OwnCca.model_validate(given)
    assert own.slow_start is not None
    assert own.params == {"alpha": 2}
    assert own.model_dump() == given


@pytest.mark.parametrize(
    ("cca", "says"),
    [
        ({"name": "reno", "slow_start": "standard"}, "'standard' is now 'classic'"),
        ({"name": "cubic", "slow_start": "standard"}, "'standard' is now 'classic'"),
        ({"name": "reno", "slow_start": "serch"}, "did you mean 'search'"),
        ({"name": "bbr3", "slow_start": "search"}, "part of the algorithm"),
        ({"name": "ledbat", "slow_start": "search"}, "must be one of 'yes', 'no'"),
        ({"name": "reno", "slow_start": {"name": "search", "thresh": 1}}, "'threshold'"),
        ({"name": "reno", "slow_start": {"name": "careful-resume", "saved_rtt": 1}}, "unit"),
        ({"name": "reno", "slow_start": "careful-resume"}, "needs a number from 1 to 1e+07"),
        ({"name": "reno", "slow_start": {**RESUME, "saved_cwnd": 0}}, "1 to 1e+07 segments; got 0"),
        ({"name": "reno", "slow_start": 3}, "a name, such as 'search'"),
    ],
)
def test_a_wrong_slow_start_is_refused_at_its_key(cca: Any, says: str) -> None:
    with pytest.raises(ScenarioError, match=r"traffic\[0\].cca.slow_start") as raised:
        make(cca)
    assert says in str(raised.value)


@pytest.mark.filterwarnings("ignore::headgate.base.errors.SchemeWarning")  # DCTCP without marks
@pytest.mark.parametrize("slow_start", [*SLOW_STARTS[1:], RESUME], ids=str)
@pytest.mark.parametrize("cca", LOSS_BASED)
def test_every_pair_sends_more_than_a_bdp_and_repeats(cca: str, slow_start: Any) -> None:
    flow = {"cca": {"name": cca, "slow_start": slow_start}}
    scenario = headgate.dumbbell(rate="10 Mbit/s", rtt="40 ms", buffer="1 BDP", flows=[flow])
    results = [scenario.run("1 s", seed=1, threads=threads) for threads in (1, 2)]
    assert results[0].digest == results[1].digest
    # windows of 10 and 20 packets and one BDP of 33; factors near 1 then lose windows repeatedly
    assert first(results[0], "delivered_packets") > 10 + 20 + 33


@pytest.mark.parametrize("word", ["hystart", "hystart++"])
def test_the_slow_starts_inside_and_outside_cubic_agree(word: str) -> None:
    inside, outside = run(word, cca="cubic"), run({"name": word}, cca="cubic")
    assert inside.digest == outside.digest


def test_classic_slow_start_ends_at_twice_what_the_path_holds() -> None:
    result = run("classic")
    # the window doubles in the RTT in which the loss becomes known
    assert first(result, "slow_start_cwnd_packets") == pytest.approx(4 * BDP, rel=0.01)
    # at most half of the window exceeds the capacity
    assert first(result, "slow_start_resent_packets") == pytest.approx(2 * BDP, rel=0.01)


def test_hystart_ends_between_one_and_two_bdp_without_a_loss() -> None:
    result = run("hystart")
    assert BDP < first(result, "slow_start_cwnd_packets") < 2 * BDP
    assert first(result, "slow_start_resent_packets") == 0


def find_search_exit(threshold: float) -> float:
    """Return the window in BDPs at which SEARCH ends slow start (docs/reference/slow-start.md)."""
    full = 1 / math.log(2)

    def delivered(x: float) -> float:
        return full + x if x >= 0 else full * 2**x

    def difference(x: float) -> float:
        half = delivered(x) / 2
        sent_at = half - full if half >= full else math.log2(half / full)
        return 1 - (delivered(x) - delivered(x - 3.5)) / (
            delivered(x) - 2 * delivered(sent_at - 3.5)
        )

    low, high = 0.0, 12.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if difference(middle) < threshold else (low, middle)
    return delivered(low)


def test_search_ends_where_the_closed_form_says() -> None:
    expected = find_search_exit(0.26)
    assert expected == pytest.approx(5.32, abs=0.01)
    found = first(run("search", "8 BDP"), "slow_start_cwnd_packets") / BDP
    # at the end of a bin of 0.35 RTTs, in each of which the window grows by 0.35 BDP; and rounds of
    # whole packets instead of a fluid
    assert expected - 0.05 < found < expected + 0.35 + 0.1


def test_a_small_buffer_overflows_before_search_ends_slow_start() -> None:
    # the window at the exit exceeds what the path holds by 5.3 - (1 + 3) BDP at least
    assert first(run("search", "3 BDP"), "slow_start_resent_packets") > 1.3 * BDP
    # with 1 BDP the loss is known at 4 BDP, before the exit at 5.3
    assert run("search").digest == run("classic").digest


def test_the_interpolation_of_version_09_ends_slow_start_on_an_empty_path() -> None:
    forward = {"name": "search", "interpolation": "forward"}
    result = run(forward, "8 BDP")
    # The difference of 0.34 exceeds the threshold at the first comparison: SYN, first round trip,
    # 13 bins of 0.35 RTTs, and at most one RTT until the next burst of ACKs.
    assert first(result, "slow_start_s") < (1 + 1 + 13 * 0.35 + 1) * 0.101
    assert first(result, "slow_start_cwnd_packets") < BDP


def reach_bdp(slow_start: Any) -> float:
    """Return the time at which the window is one BDP, seconds."""
    scenario = make({"name": "reno", "slow_start": slow_start}, "3 BDP")
    series = scenario.replaced({"measure.series.interval": "5 ms"}).run("1 s", seed=1).series
    rows = (series["of"] == "flow") & (series["cwnd_packets"] >= BDP)
    return float(series["t_s"][rows][0])


def test_rapid_start_is_faster_by_the_logarithms_of_its_growth() -> None:
    # from 20 instead of 10 packets to the BDP by 3 instead of 2: log3(20.8) and log2(41.7) rounds
    saved_s = 0.1 * (math.log2(BDP / 10) - math.log(BDP / 20, 3))
    found = reach_bdp("classic") - reach_bdp("rapid-start")
    assert found == pytest.approx(saved_s, abs=0.1)  # windows grow in bursts, once per RTT


def test_rapid_start_keeps_half_of_what_passed() -> None:
    result = make({"name": "reno", "slow_start": "rapid-start"}).replaced(
        {"measure.series.interval": "20 ms"}
    )
    series = result.run("2 s", seed=1).series
    rows = (series["of"] == "flow") & (series["t_s"] > 1.3)
    # the BDP and as many in the queue passed; Reno's factor is 0.5
    assert series["cwnd_packets"][rows][0] == pytest.approx(0.5 * 2 * BDP, rel=0.02)


def test_careful_resume_jumps_in_the_third_round_trip() -> None:
    # SYN, initial window, and then 400 of 417 packets at once instead of 20
    assert reach_bdp(RESUME) < 0.41 < reach_bdp("classic")


def test_responses_describe_the_end_of_slow_start() -> None:
    result = (
        make({"name": "reno", "slow_start": "classic"})
        .replaced({"measure.series.interval": "100 ms"})
        .run("4 s", seed=1)
    )
    tables = {name: result.tables[name] for name in ("flows", "ports", "series")}
    lost, excess, time_s = (
        sql.number(sql.ask(measures.find(word).sql, tables))
        for word in ("slow_start_lost_packets", "slow_start_excess", "time_to_rate_s")
    )
    assert lost == first(result, "slow_start_resent_packets")
    assert excess == pytest.approx(3.0, rel=0.02)  # 4 BDP
    # 10 * 2^n packets per RTT reach 375, 90 % of the BDP, in the sixth round after the SYN's
    assert time_s == pytest.approx(0.1 * (1 + 6 + 1), abs=0.101)


def test_a_misspelt_key_of_the_slow_start_is_recognised() -> None:
    with pytest.raises(ScenarioError, match=r"slow_strat: .* did you mean 'slow_start'\?"):
        make({"name": "reno", "slow_strat": "search"})
