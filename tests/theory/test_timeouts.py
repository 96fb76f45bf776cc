"""Time-outs without loss, beside a timer that is computed from the same segments."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headgate import Scenario, Trace
from headgate.engine.traces.stored import StoredTrace

from .retransmission_timer import Event, Linux, Ns2, Rfc6298, Rule, Timer

#: The documented timer of each preset: rule, first, least and largest time-out.
PRESETS = ("default", "mesonet", "ns2")
#: Scenarios of one test, and tests of a preset.
EACH, PARTS = 20, 10
#: Packets that the line carries in a run at most.
PACKETS = 5000
COLUMNS = ("flow", "t_s", "event", "seq", "stamp")
EVENTS = {"syn_sent", "established", "sent", "retransmitted", "acknowledged", "timeout"}


def make_timer(transport: dict[str, Any]) -> Timer:
    """Give the timer of a transport, by the rule of its preset or the one that it names."""
    preset = transport["preset"]
    name = transport.get("rto_rule", "ns2" if preset == "ns2" else "rfc6298")
    rules: dict[str, Rule] = {
        "rfc6298": Rfc6298(margin_s=0.2),
        "linux": Linux(margin_s=0.2),
        "ns2": Ns2(tick_s=0.01),
    }
    return Timer(rules[name], initial_s=1.0 if preset == "default" else 3.0, min_s=0.2, max_s=60.0)


def draw(seed: int, preset: str) -> Scenario:
    """Draw a scenario without loss: long flows with receive windows, and bursts of short ones."""
    chance = random.Random(seed)
    rtt_s = 10 ** chance.uniform(-3, np.log10(2))
    duration_s = min(max(25 * rtt_s, 2.0), 30.0)
    rate_bps = min(10 ** chance.uniform(6, 7.7), PACKETS * 12000 / duration_s)
    bdp = rate_bps * rtt_s / 12000
    windows = (2, 10, 100, 600, 2 + int(bdp * chance.uniform(0.3, 3)))
    cca = chance.choice(("reno", "cubic", "vegas", "bic", "htcp"))
    bursts = [
        {
            "name": f"burst {at}",
            "kind": "flows",
            "cca": cca,
            "count": chance.randint(1, 8),
            "size": f"{int(10 ** chance.uniform(0, 2.5))} packets",
            "start": f"{chance.uniform(0, duration_s):.6f} s",
        }
        for at in range(chance.randint(2, 6))
    ]
    transport = {
        "preset": preset,
        "receive_window": f"{chance.choice(windows)} packets",
        "delayed_ack": chance.random() < 0.5,
        "delayed_ack_timeout": chance.choice(("40 ms", "100 ms", "200 ms")),
    }
    long = {"name": "long", "kind": "flows", "cca": cca, "count": chance.randint(1, 5)}
    return Scenario.from_dict(
        {
            "seed": seed,
            "duration": f"{duration_s:.6f} s",
            "network": {
                "kind": "dumbbell",
                "rate": f"{rate_bps:.0f} bit/s",
                "rtt": f"{rtt_s * 1e3:.6f} ms",
                "buffer": "infinite",
            },
            "transport": transport,
            "traffic": [{**long, "stagger": f"{duration_s / 20:.6f} s"}, *bursts],
            "measure": {"warmup": "0 s", "series": "none"},
        }
    )


def follow(scenario: Scenario, transport: dict[str, Any], folder: Path) -> dict[str, Timer]:
    """Run it once more with a trace; give each flow's timer after its last segment."""
    scenario.run(out=folder, trace=Trace(flows=["all"]))
    events: dict[str, list[Event]] = {}
    for part in StoredTrace(folder).parts():
        for flow, *facts in zip(*(part[name] for name in COLUMNS), strict=True):
            t_s, kind, seq, stamp = facts
            if kind in EVENTS:
                whole = (-1 if np.isnan(one) else int(one) for one in (seq, stamp))
                events.setdefault(str(flow), []).append(Event(float(t_s), str(kind), *whole))
    return {flow: make_timer(transport).follow(of) for flow, of in events.items()}


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("preset", PRESETS)
def test_no_timeout_without_loss_that_the_rule_would_not_have(
    preset: str, part: int, tmp_path: Path
) -> None:
    for seed in range(part * EACH, (part + 1) * EACH):
        scenario = draw(seed, preset)
        result = scenario.run()
        assert result.ports["drops"].sum() == 0
        if result.flows["timeouts"].sum():
            timers = follow(scenario, {"preset": preset}, tmp_path / str(seed))
            early = {flow: timer.early_s for flow, timer in timers.items() if timer.early_s}
            assert not early, (seed, early)
