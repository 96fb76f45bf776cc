"""`headgate check`: is a scenario, or a law of one's own, right? Runs no scenario."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headgate.cli.options import Json, Seed, Settings, Trust
from headgate.visible import say

if TYPE_CHECKING:
    from headgate.scenario.control import Control


Checked = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="A scenario in TOML, or a law of your own: ./mylaw.py:MyLaw, or a C or Rust file.",
        show_default=False,
    ),
]


def check(
    file: Checked,
    settings: Settings = None,
    seed: Seed = None,
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Check a scenario without running it, or a law of your own with random events.

    Of a scenario it says what it comes to: routers, links, buffers in packets, traffic; with --json
    it prints the scenario with every default filled in. Laws that only the scenario names are not
    run without --trust. A law meets ACKs, losses, time-outs, marks
    and silence; NaN, a window below one segment, a record it changed or an exception is reported
    with the line. It meets them in a process of its own.
    """
    from headgate.plugin import split
    from headgate.plugin.source import KINDS

    if Path(split(file)[0]).suffix in KINDS:
        _check_law(file, as_json)
        return
    scenario = Path(file)
    from headgate.cli.options import load
    from headgate.run.refusals import check_plan
    from headgate.scenario.doubts import doubts_of

    read = load(scenario, settings, seed, trust=trust)
    plan, arrays = read.plan()
    check_plan(plan, arrays, read)
    for doubt in doubts_of(plan, arrays):
        say(f"warning: {doubt}", error=True)
    if as_json:
        say(json.dumps(read.to_dict(resolved=True)))
        return
    laws = [describe_law(control) for control in read.own_laws()]
    say(f"{scenario} is right: {describe_plan(plan)}")
    for link in plan["links"][: 2 * len(plan["nodes"])][:4]:
        say(f"  {describe_link(link)}")
    if len(plan["links"]) > 4:
        say(f"  ... and {len(plan['links']) - 4} more links")
    for law in dict.fromkeys(laws):
        say(f"  {law}")


def describe_law(control: Control) -> str:
    """Look at a law of the user's own if it may run, and say what it is; raise LawError."""
    from headgate import plugin

    name, sha256 = plugin.identify(control.source)
    which = f"law {name} (SHA-256 {sha256[:16]}...)"
    if not plugin.is_trusted(control.source):
        return f"{which}: not looked at, since only the scenario names it; --trust allows it to run"
    return f"{which}: {control.law().label} can be taken"


def _check_law(source: str, as_json: bool) -> None:
    from headgate.plugin import load, split
    from headgate.plugin.check import check
    from headgate.plugin.trust import name_by_hand

    name_by_hand(split(source)[0])
    law = load(source)
    passed = check(law, {})
    if as_json:
        say(json.dumps(asdict(passed) | {"law": law.name, "sha256": law.sha256}))
        return
    say(
        f"{law.label} is right: {passed.flows} flows of {passed.events} random events, "
        f"{' and '.join(passed.ways)}; cwnd from {passed.smallest_cwnd:.4g} to "
        f"{passed.largest_cwnd:.4g} segments"
    )


def describe_plan(plan: dict[str, Any]) -> str:
    """Say in one line what a plan comes to."""
    laws = ", ".join(law["name"] for law in plan["laws"])
    traffic = plan["traffic"]
    users = sum(pool.get("hosts", 0) for item in traffic for pool in item.get("sources", ()))
    single = sum(item.get("count", 0) for item in traffic)
    who = [f"{single} single flows"] * bool(single) + [f"{users} sources"] * bool(users)
    return (
        f"{len(plan['nodes'])} routers, {len(plan['links'])} links (each way counted), "
        f"{' and '.join(who) or 'a flow list'}, laws {laws}, {plan['duration_ps'] / 1e12:g} s"
    )


def describe_link(link: dict[str, Any]) -> str:
    """Say in one line what a link of a plan is."""
    from headgate.units import format_rate, format_time

    buffer = link["buffer"]
    size = "infinite"
    if buffer != "infinite":
        ((unit, amount),) = buffer.items()
        size = f"{amount} {unit}"
    return (
        f"{link['name']}: {format_rate(link['rate_bps'])}, {format_time(link['delay_ps'])}, "
        f"buffer {size}"
    )
