"""Random scenarios: none breaks the program, and every run keeps what its tables promise."""

import json
from collections import Counter
from pathlib import Path

import pytest

from headgate import Scenario as Read
from headgate.base import catalog
from headgate.base.errors import HeadgateError
from headgate.scenario.presets import ONLY_QUIC
from headgate.scenario.transport import Transport

from .__main__ import CASES, Ledger
from .crew import Child, answers
from .draw import Draw, Scenario
from .options import VALUES, field
from .scenarios import make
from .shrink import same, shrink

#: Cases of `make test`, number of parts, and the most CPU seconds of a case: 75 s in all.
COUNT, PARTS, CPU_S = 300, 4, 0.25


@pytest.mark.parametrize("part", range(PARTS))
def test_no_random_scenario_breaks_anything(part: int) -> None:
    orders = [{"seed": seed, "cpu_s": CPU_S} for seed in range(part, COUNT, PARTS)]
    found = [{"seed": order["seed"], **answer} for order, answer in answers(orders, workers=1)]
    assert [answer for answer in found if answer["found"]] == []
    assert Counter(answer["kind"] for answer in found)["ran"] > len(found) / 4


@pytest.mark.parametrize("file", sorted(CASES.glob("*.toml")), ids=lambda file: file.stem)
def test_what_was_found_once_stays_mended(file: Path) -> None:
    child = Child()
    answer = child.ask({"file": str(file), "seed": 1, "cpu_s": 10.0})
    child.close()
    assert answer["found"] == []


def words(tree: object) -> set[str]:
    """Every word of a tree of tables and lists, keys among them."""
    if isinstance(tree, dict):
        return set(tree) | {word for value in tree.values() for word in words(value)}
    if isinstance(tree, list):
        return {word for value in tree for word in words(value)}
    return {str(tree)}


def test_all_that_exists_is_drawn() -> None:
    drawn = set().union(*(words(make(seed).scenario) for seed in range(1500)))
    names = {card.name for card in (*catalog.ccas(), *catalog.devices())}
    networks = {"dumbbell", "parking_lot", "abilene", "isp", "graph"}
    kinds = {"bursts", "flows", "media", "on_off", "poisson", "web"}
    parts = {"surge", "patience", "changes", "lose", "loss", "feedback"}
    assert (names | networks | kinds | parts | set(Transport.model_fields)) - drawn == set()


@pytest.mark.parametrize("name", Transport.model_fields)
def test_every_field_of_a_profile_has_values(name: str) -> None:
    values = {str(field(Draw(seed), name)) for seed in range(100)}
    assert len(values) > 1
    preset = {"preset": "quic"} if name in ONLY_QUIC else {}
    fitting = [value for value in VALUES.get(name, ()) if reads(preset | {name: value})]
    assert not VALUES.get(name) or fitting


def reads(transport: Scenario) -> bool:
    try:
        Transport.model_validate(transport)
    except ValueError:
        return False
    return True


def test_most_of_what_is_not_mutated_runs() -> None:
    refused = 0
    for seed in range(300):
        scenario, mutated = make(seed)
        try:
            Read.from_dict(scenario).plan()
        except HeadgateError:
            refused += not mutated
    assert refused < 60


def test_a_seed_says_all_of_a_scenario() -> None:
    first = [json.dumps(make(seed).scenario) for seed in range(50)]
    assert first == [json.dumps(make(seed).scenario) for seed in range(50)]
    assert len(set(first)) == 50


def test_a_process_that_ends_is_a_finding_and_the_next_case_has_a_new_one() -> None:
    child = Child()
    order = {"seed": 3, "cpu_s": CPU_S}
    child.ask(order)
    assert child.process is not None
    child.process.kill()
    child.process.wait()
    assert "ended with -9" in child.ask(order)["found"][0]
    assert child.ask(order)["found"] == []
    child.close()


def test_shrinking_leaves_only_what_matters() -> None:
    whole = next(s for s in (make(seed).scenario for seed in range(50)) if len(s["traffic"]) > 2)
    whole["traffic"][1]["count"] = 50

    def holds(scenario: dict[str, object]) -> bool:
        groups = scenario.get("traffic")
        return isinstance(groups, list) and any(g.get("count") == 50 for g in groups)

    assert shrink(whole, holds) == {"traffic": [{"count": 50}]}


def test_findings_are_alike_but_for_their_numbers() -> None:
    assert same("negative: 1e-3 at 5.2 s") == same("negative: 17 at 0 s")
    assert same("negative: ports.drops") != same("negative: ports.marks")


def test_a_ledger_that_was_cut_off_goes_on_at_the_last_whole_line(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    Ledger(path).write({"seed": 1, "kind": "ran", "found": []})
    path.write_text(path.read_text() + '{"seed": 2, "ki')
    again = Ledger(path)
    again.write({"seed": 2, "kind": "cut", "found": []})
    assert [answer["seed"] for answer in Ledger(path).done] == [1, 2]
