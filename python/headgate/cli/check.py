"""`headgate check`: check a scenario, an algorithm or a discipline, without a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headgate.base.messages import count_others
from headgate.base.terminal import echo
from headgate.cli.options import Json, Seed, Settings, Trust, Unset, warn

if TYPE_CHECKING:
    from headgate.plugin.user_code import Interface
    from headgate.scenario.group import Arrays


Checked = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="A scenario in TOML, or your algorithm or queue discipline: ./my_cca.py:MyCca, or a C"
        " or Rust file.",
        show_default=False,
    ),
]


def check(  # noqa: PLR0913, PLR0917 - one for each option
    file: Checked,
    settings: Settings = None,
    unset: Unset = None,
    seed: Seed = None,
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Check a scenario without running it, or try your own code with random events.

    For a scenario, it prints routers, links, buffers in packets and traffic; with --json, it prints
    the scenario with all defaults. Code that only the scenario names runs with --trust only. An
    algorithm receives ACKs, losses, time-outs, marks and silence; a discipline receives packets
    that arrive, wait and leave. Errors are reported with their line: NaN, a window below one
    segment, an invalid verdict, a changed record, different answers to equal events, or an
    exception. The code runs in a separate process.
    """
    from headgate.plugin.user_code import is_code

    if is_code(file):
        _check_code(file, as_json)
        return
    from headgate.cli.options import load
    from headgate.engine.run.prepare import check_plan
    from headgate.scenario.networks.routes import Routes
    from headgate.scenario.offered import describe_matrices
    from headgate.scenario.plan_warnings import scenario_warnings

    scenario = Path(file)
    read = load(scenario, settings, seed, unset=unset, trust=trust)
    plan, arrays = read.plan()
    check_plan(plan, arrays, read)
    warn(scenario_warnings(read, plan, arrays))
    if as_json:
        echo(json.dumps(read.to_dict(resolved=True)))
        return
    ways = [(link["from"], link["to"], link["delay_ps"]) for link in plan["links"]]
    matrices = describe_matrices(plan, Routes(len(plan["nodes"]), ways))
    own = [describe_code(*code) for code in read.own_code()]
    echo(f"{scenario} is valid: {describe_plan(plan, arrays)}")
    for link in plan["links"][: 2 * len(plan["nodes"])][:4]:
        echo(f"  {describe_link(link)}")
    if len(plan["links"]) > 4:
        echo(f"  ... and {count_others(len(plan['links']) - 4, 'link')}")
    for line in dict.fromkeys([*matrices, *own]):
        echo(f"  {line}")


def describe_code(source: str, interface: Interface, namer: str = "the scenario") -> str:
    """Load user-defined code if it may run, and describe it. Raises CcaError."""
    from headgate.plugin import user_code

    name, sha256 = user_code.identify(source, interface)
    which = f"{interface.noun} {name} (SHA-256 {sha256[:16]}...)"
    if not user_code.is_trusted(source, interface):
        return f"{which}: {_describe_untrusted(namer)}"
    return f"{which}: {user_code.load(source, interface).label} can be loaded"


def describe_function(source: str) -> str:
    """Describe a function that is a response, and whether it may run. Raises CcaError."""
    from headgate.experiment.responses import trusted
    from headgate.plugin.code_files import read, sha256, shorten_path
    from headgate.plugin.user_code import split

    file, name = split(source)
    which = f"function {name} (SHA-256 {sha256(read(file))[:16]}...)"
    loaded = f"{shorten_path(file)}:{name} can be loaded"
    return f"{which}: {loaded if trusted(source) else _describe_untrusted('the experiment')}"


def _describe_untrusted(namer: str) -> str:
    return f"not checked, because only {namer} names it; --trust allows it to run"


def _check_code(source: str, as_json: bool) -> None:
    from headgate.plugin.code_files import name_by_hand
    from headgate.plugin.load import kind_of
    from headgate.plugin.proof import check
    from headgate.plugin.user_code import load

    name_by_hand(source)
    interface = kind_of(source)
    code = load(source, interface)
    passed = check(code, {})
    of, sums = f"{interface.trial.of}s", dict(passed.sums)
    if as_json:
        facts = {"ways": passed.ways, of: passed.states, "events": passed.events, **sums}
        echo(json.dumps(facts | {interface.noun: code.name, "sha256": code.sha256}))
        return
    echo(
        f"{code.label} is valid: {passed.states} {of} of {passed.events} random events, "
        f"{' and '.join(passed.ways)}; {interface.trial.describe(sums)}"
    )


def _write_count(number: int, noun: str) -> str:
    """Write a number of things: `2 streams of media`."""
    first, *rest = noun.split(" of ")
    return " of ".join([f"{number} {first}{'s' * (number > 1)}", *rest])


def describe_plan(plan: dict[str, Any], arrays: Arrays) -> str:
    """Describe a plan in one line."""
    from headgate.scenario.shares import name_ccas

    traffic = plan["traffic"]
    users = sum(pool.get("hosts", 0) for item in traffic for pool in item.get("sources", ()))
    single = sum(item.get("count", 0) for item in traffic)
    live = sum(len(item.get("hosts", ())) for item in traffic)
    streams = sum(item.get("streams", 0) for item in traffic)
    counts = {"single flow": single, "source": users, "live host": live, "stream of media": streams}
    sources = [_write_count(count, noun) for noun, count in counts.items() if count]
    ccas = ", ".join(name_ccas(plan, arrays))
    return (
        f"{len(plan['nodes'])} routers, {len(plan['links'])} links (each way counted), "
        f"{' and '.join(sources) or 'a flow list'}, {f'algorithms {ccas}, ' if ccas else ''}"
        f"{plan['duration_ps'] / 1e12:g} s"
    )


def describe_link(link: dict[str, Any]) -> str:
    """Describe a link of a plan in one line."""
    from headgate.base.units import format_figure, format_rate, format_time_ps, readable

    buffer = link["buffer"]
    size = "infinite"
    if buffer != "infinite":
        ((unit, amount),) = buffer.items()
        size = f"{amount} {unit}"
    outages = link.get("outages", ())
    down_ps = sum(outage["until_ps"] - outage["at_ps"] for outage in outages)
    times = f"{len(outages)} outage{'s' * (len(outages) > 1)}"
    down = f", down for {format_time_ps(down_ps)} in {times}" * bool(outages)
    factor, unit = readable("s", link["delay_ps"] / 1e12)
    delay = f"{format_figure(factor * link['delay_ps'] / 1e12)} {unit}"
    return f"{link['name']}: {format_rate(link['rate_bps'])}, {delay}, buffer {size}{down}"
