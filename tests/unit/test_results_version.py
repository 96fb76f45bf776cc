"""Whoever changes a result raises `RESULTS` in `headgate.base.version`: stored ones are stale then.

`python -m tests.unit.test_results_version` writes the digests anew.
"""

import json
from pathlib import Path

from headgate import Scenario
from headgate.base.version import RESULTS

FILE = Path(__file__).parent / "digests.json"
LAWS = ("reno", "cubic", "bbr", "bbr3", "fast", "vegas", "ctcp", "bic", "htcp", "westwood")
#: VCP as it was released, both ways: its router, the order of packets, its senders.
LOADS = {
    "feedback": {"name": "vcp", "target": "moving", "average": "sixteenth"},
    "queue": "ack-priority",
}
RELEASED = [
    {"kind": "flows", "law": {"name": "vcp", "variant": "released"}, "count": 3, "reverse": back}
    for back in (False, True)
]
QUEUES = ("drop_tail", "red", "codel", "fq-codel", "pie")


def make_scenarios() -> dict[str, Scenario]:
    """Make short runs that between them meet every law's and discipline's common ways."""
    network = {"kind": "dumbbell", "rate": "10 Mbit/s", "rtt": "40 ms", "buffer": "0.5 BDP"}
    plain = {"duration": "10 s", "transport": "linux"}
    laws = {
        law: {**plain, "network": network, "traffic": [{"kind": "flows", "law": law, "count": 3}]}
        for law in LAWS
    }
    cubic = [{"kind": "flows", "law": "cubic", "count": 3}]
    queues = {
        str(queue): {**plain, "network": {**network, "queue": queue}, "traffic": cubic}
        for queue in QUEUES
    }
    web = {
        "duration": "5 s",
        "transport": "mesonet",
        "network": {"kind": "abilene", "rate": "200 Mbit/s", "buffer": "1 BDP"},
        "traffic": [
            {"kind": "web", "law": "ctcp", "users": 200, "think": "2 s", "size": "50 packets"}
        ],
    }
    marking = {**network, "queue": {"name": "threshold", "mark_packets": 20}}
    dctcp = [{"kind": "flows", "law": "dctcp", "count": 3}]
    marked = {**plain, "network": marking, "traffic": dctcp}
    lossy = {**laws["cubic"], "network": {**network, "loss": 0.01}}
    made = laws | queues | {"web": web, "marked": marked, "lossy": lossy}
    made["vcp-released"] = {**plain, "network": {**network, **LOADS}, "traffic": RELEASED}
    return {name: Scenario.from_dict(one) for name, one in made.items()}


def run_all() -> dict[str, str]:
    return {name: scenario.run().digest for name, scenario in make_scenarios().items()}


def test_results_are_those_of_their_number() -> None:
    stored = json.loads(FILE.read_text(encoding="utf-8"))
    assert stored["results"] == RESULTS, "write the digests anew: see the head of this file"
    assert run_all() == stored["digests"], (
        "results have changed: raise headgate.base.version.RESULTS, say in CHANGELOG.md by how"
        " much, and write the digests anew"
    )


if __name__ == "__main__":
    FILE.write_text(json.dumps({"results": RESULTS, "digests": run_all()}, indent=1) + "\n")
