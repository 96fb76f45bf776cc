"""`headgate check`: is a scenario right? Says what would run, runs nothing."""

from __future__ import annotations

import json
from typing import Any

import typer

from headgate.cli.options import Json, ScenarioFile, Seed, Settings


def check(
    scenario: ScenarioFile, settings: Settings = None, seed: Seed = None, as_json: Json = False
) -> None:
    """Check a scenario without running it.

    Says what it comes to: routers, links, buffers in packets, traffic. With --json it prints the
    scenario with every default filled in.
    """
    from headgate.cli.options import load

    read = load(scenario, settings, seed)
    plan, _ = read.plan()
    if as_json:
        typer.echo(json.dumps(read.to_dict(resolved=True)))
        return
    typer.echo(f"{scenario} is right: {describe_plan(plan)}")
    for link in plan["links"][: 2 * len(plan["nodes"])][:4]:
        typer.echo(f"  {describe_link(link)}")
    if len(plan["links"]) > 4:
        typer.echo(f"  ... and {len(plan['links']) - 4} more links")


def describe_plan(plan: dict[str, Any]) -> str:
    """Say in one line what a plan comes to."""
    laws = ", ".join(law["name"] for law in plan["laws"])
    users = sum(pool["hosts"] for item in plan["traffic"] for pool in item.get("sources", ()))
    single = sum(item["kind"] == "flow" for item in plan["traffic"])
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
