"""A change of results must raise a number in `headgate.base.version`: stored ones become stale.

`RESULTS` is for all, `RESULTS_OF` for the runs with one algorithm or device.

`python -m tests.unit.test_results_version` rewrites the digests.
"""

import json
import time
from pathlib import Path

from headgate import Scenario
from headgate.base.version import RESULTS, RESULTS_OF, number_results

FILE = Path(__file__).parent / "digests.json"
CCAS = ("reno", "cubic", "bbr", "bbr3", "fast", "vegas", "ctcp", "bic", "htcp", "westwood")
#: VCP as it was released, both ways: its router, the order of packets, its senders.
LOADS = {
    "feedback": {"name": "vcp", "target": "moving", "average": "sixteenth"},
    "queue": "ack-priority",
}
RELEASED = [
    {"kind": "flows", "cca": {"name": "vcp", "variant": "released"}, "count": 3, "reverse": back}
    for back in (False, True)
]
QUEUES = ("red", "codel", "fq-codel", "fq-pie", "pie", "dualpi2", "cake", "cnq-codel-af")


def make_scenarios() -> dict[str, Scenario]:
    """Make short runs that between them meet every algorithm's and discipline's common ways."""
    network = {"kind": "dumbbell", "rate": "10 Mbit/s", "rtt": "40 ms", "buffer": "0.5 BDP"}
    deep = {**network, "buffer": "2 BDP"}  # 67 packets: PIE drops early, and a threshold marks
    plain = {"duration": "10 s", "transport": "linux"}
    ccas = {
        cca: {**plain, "network": network, "traffic": [{"kind": "flows", "cca": cca, "count": 3}]}
        for cca in CCAS
    }
    cubic = [{"kind": "flows", "cca": "cubic", "count": 3}]
    queues = {
        queue: {
            **plain,
            "network": {**(deep if queue == "pie" else network), "queue": queue},
            "traffic": cubic,
        }
        for queue in QUEUES
    }
    web = {
        "duration": "5 s",
        "transport": "mesonet",
        "network": {"kind": "abilene", "rate": "200 Mbit/s", "buffer": "1 BDP"},
        "traffic": [
            {"kind": "web", "cca": "ctcp", "users": 200, "think": "2 s", "size": "50 packets"}
        ],
    }
    marking = {**deep, "queue": {"name": "threshold", "mark_packets": 20}}
    dctcp = [{"kind": "flows", "cca": "dctcp", "count": 3}]
    marked = {**plain, "network": marking, "traffic": dctcp}
    coupled = {**network, "queue": {"name": "dualpi2", "variant": "linux"}}
    prague = [{"kind": "flows", "cca": cca, "count": 2} for cca in ("prague", "cubic")]
    l4s = {**plain, "network": coupled, "traffic": prague}
    lossy = {**ccas["cubic"], "network": {**network, "loss": 0.01}}
    made = ccas | queues | {"web": web, "marked": marked, "l4s": l4s, "lossy": lossy}
    made["vcp-released"] = {**plain, "network": {**network, **LOADS}, "traffic": RELEASED}
    return {name: Scenario.from_dict(one) for name, one in made.items()}


def run_all() -> dict[str, str]:
    return {name: scenario.run().digest for name, scenario in make_scenarios().items()}


def test_results_are_those_of_their_number() -> None:
    stored = json.loads(FILE.read_text(encoding="utf-8"))
    numbers = {"results": RESULTS, "of": RESULTS_OF}
    given = {name: stored[name] for name in numbers}
    assert given == numbers, "rewrite the digests: see the head of this file"
    assert run_all() == stored["digests"], (
        "results have changed: raise a number in headgate.base.version, say in CHANGELOG.md by how"
        " much, and rewrite the digests"
    )


def test_a_number_of_one_algorithm_concerns_the_runs_with_it() -> None:
    made = {
        name: one.model_dump_json(exclude_defaults=True) for name, one in make_scenarios().items()
    }
    assert number_results(made["l4s"]) == [RESULTS, {"prague": RESULTS_OF["prague"]}]
    assert number_results(made["cubic"]) == [RESULTS]


def test_a_number_of_a_key_concerns_the_runs_that_use_it() -> None:
    """A text that only mentions traces, such as a title, does not count."""
    plain = make_scenarios()["cubic"]
    traced = plain.replaced({"network.trace": "4g", "network.rate": {"unset": True}})
    named = plain.replaced({"title": "a traced path"})
    numbers = [number_results(json.dumps(one.plan()[0])) for one in (traced, named)]
    assert numbers == [[RESULTS, {'"trace"': RESULTS_OF['"trace"']}], [RESULTS]]


def test_a_number_of_options_concerns_the_runs_with_them() -> None:
    """BBRv3 with marks, undone reductions or QUIC, and CUBIC by the RFC; in scenarios and plans."""
    network = {"kind": "dumbbell", "rate": "10 Mbit/s", "rtt": "20 ms"}
    for cca, transport, names in (
        ("bbr3", {}, []),
        ("bbr3", {"ecn": "on"}, ["bbr3"]),
        ("bbr3", {"undo": True}, ["bbr3"]),
        ("bbr3", {"preset": "linux"}, ["bbr3"]),
        ("bbr3", {"preset": "quic"}, ["bbr3"]),
        ("cubic", {"preset": "linux"}, []),
        ({"name": "cubic", "variant": "rfc"}, {}, ["cubic rfc"]),
    ):
        scenario = Scenario.from_dict(
            {"duration": "1 s", "network": network, "transport": transport,
             "traffic": [{"kind": "flows", "cca": cca}]}
        )  # fmt: skip
        for text in (
            scenario.model_dump_json(exclude_defaults=True), json.dumps(scenario.plan()[0]),
        ):  # fmt: skip
            _, *of_parts = number_results(text)
            assert [*of_parts, {}][0] == {name: RESULTS_OF[name] for name in names}, text


def test_the_numbers_of_a_large_plan_are_found_at_once() -> None:
    """A network of 278,000 users is a text of megabytes."""
    text = '{"cca": "cubic", "routers": [' + '"router", ' * 1_000_000 + "]}"
    begun_s = time.perf_counter()
    assert number_results(text) == [RESULTS]
    assert time.perf_counter() - begun_s < 2


def test_no_run_misses_what_its_name_says() -> None:
    digests = json.loads(FILE.read_text(encoding="utf-8"))["digests"].values()
    assert len({*digests}) == len(digests), "two runs are equal: one never meets its own code"


if __name__ == "__main__":
    FILE.write_text(
        json.dumps({"results": RESULTS, "of": RESULTS_OF, "digests": run_all()}, indent=1) + "\n"
    )
