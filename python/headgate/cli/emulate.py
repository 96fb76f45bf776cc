"""`headgate emulate`: real programs in a simulated network, in real time."""

from __future__ import annotations

import json
import shlex
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headgate.cli.options import Json, ScenarioFile, Seed, Settings, load
from headgate.errors import HeadgateError
from headgate.visible import say

if TYPE_CHECKING:
    from headgate.live.emulation import Emulation

At = Annotated[
    list[str] | None,
    typer.Option(
        "--at",
        metavar="HOST=CMD",
        help="Run a command in a live host, by the shell; repeatable. --HOST CMD is the same.",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Keep the result here: Parquet tables and run.json."),
]
Mtu = Annotated[int, typer.Option(metavar="BYTES", help="MTU of the hosts' devices.")]
Capture = Annotated[
    bool,
    typer.Option("--capture", help="Write what passes each host's device into DIR, as pcapng."),
]
Kernel = Annotated[
    list[str] | None,
    typer.Option(
        "--kernel",
        metavar="[HOST=]host|uml",
        help="Run programs in another kernel: uml is a user-mode Linux. Those of the hosts at the"
        " source, or of HOST; repeatable.",
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Say whether this machine is fast enough; run nothing.")
]
_MOST_FLOWS = 12


def emulate(  # noqa: PLR0913, PLR0917 - one for each option
    ctx: typer.Context,
    scenario: ScenarioFile,
    at: At = None,
    settings: Settings = None,
    seed: Seed = None,
    out: Out = None,
    mtu: Mtu = 1500,
    capture: Capture = False,
    kernel: Kernel = None,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Run real programs in the live hosts of a scenario, in real time.

    headgate emulate FILE --b "iperf3 -s -1" --a "iperf3 -c b" runs until all commands have ended,
    or the scenario's duration. Hosts know each other by name. Needs Linux; root only where the
    kernel allows users no namespaces. What repeats is the simulated part: headgate run FILE
    --arrivals DIR/arrivals.parquet.
    """
    from headgate.live.emulation import Emulation
    from headgate.live.estimate import estimate
    from headgate.live.uml.choice import parse_kernels

    chosen = load(scenario, settings, seed)
    if dry_run:
        found = estimate(chosen)
        say(json.dumps({"load": found.load, "says": found.says()}) if as_json else found.says())
        return
    kernels = parse_kernels(kernel or [])
    net = Emulation(chosen, out, mtu, capture=capture, kernel=kernels)
    commands = _commands(net.hosts, at or [], ctx.args)
    net.command = shlex.join(["headgate", *sys.argv[1:]])
    failed = _run(net, commands)
    _print(net, out, as_json=as_json)
    if failed:
        raise typer.Exit(1)


def _commands(hosts: list[str], at: list[str], others: list[str]) -> list[tuple[str, str]]:
    """Give hosts and commands, of `--at HOST=CMD` and of `--HOST CMD`, in this order."""
    from headgate.live.hosts import find_host

    pairs = [one.partition("=") for one in at]
    wrong = next((one for one, sign, _ in pairs if not sign), None)
    if wrong is not None:
        raise HeadgateError(f"--at {wrong}: write HOST=CMD")
    commands = [(host, command) for host, _, command in pairs]
    left = list(others)
    while left:
        option, sign, command = left.pop(0).partition("=")
        name = option.removeprefix("--")
        if not option.startswith("--") or name not in hosts:
            known = ", ".join(f"--{host}" for host in hosts)
            raise HeadgateError(f"{option}: there is no such option; hosts: {known}")
        if not sign and not left:
            raise HeadgateError(f"{option}: a command is missing")
        commands.append((name, command if sign else left.pop(0)))
    for host, _ in commands:
        find_host(hosts, host)
    if not commands:
        example = f'--{hosts[0]} "CMD"'
        raise HeadgateError(f"there is no command; give some host one: {example}")
    return commands


def _run(net: Emulation, commands: list[tuple[str, str]]) -> list[str]:
    """Run commands until all have ended; give the hosts of those that failed."""
    from headgate.live.emulation import OverloadWarning

    warnings.simplefilter("ignore", OverloadWarning)  # it is among the result's warnings
    with net:
        programs = [net.start(host, command) for host, command in commands]
        try:
            net.wait(programs)
        except KeyboardInterrupt:
            say("headgate: stopped; the result is that of the time until now", error=True)
        ended = [program.poll() for program in programs]
    return [host for (host, _), code in zip(commands, ended, strict=True) if code]


def _print(net: Emulation, out: Path | None, *, as_json: bool) -> None:
    flows, live = _flows(net), net.result.meta["live"]
    for doubt in net.result.meta["warnings"]:
        say(f"warning: {doubt}", error=True)
    if as_json:
        loop = {key: value for key, value in live["loop"].items() if key != "lateness_histogram"}
        say(json.dumps({"flows": flows, "loop": loop, "ended_s": live["ended_s"]}))
        return
    _show(flows, live)
    if out is not None:
        say(f"Result: {out} (headgate plot {out} draws it)")


def _flows(net: Emulation) -> list[dict[str, Any]]:
    """Give the flows that delivered most."""
    table = net.result.tables["live_flows"]
    order = sorted(range(len(table)), key=lambda row: -int(table["delivered_payload_bytes"][row]))
    return [
        {name: None if (value := table[name][row].item()) != value else value for name in table}
        for row in order[:_MOST_FLOWS]
    ]


def _show(flows: list[dict[str, Any]], live: dict[str, Any]) -> None:
    from rich import box
    from rich.table import Table

    from headgate.console import PlainConsole

    table = Table(title="Flows of real packets", box=box.SIMPLE_HEAD, title_justify="left")
    for head in ("flow", "packets", "lost", "marked", "goodput\nMbit/s", "mean delay\nms"):
        table.add_column(head, justify="left" if head == "flow" else "right")
    for flow in flows:
        source = f"{flow['from_host']}:{flow['source_port']}"
        destination = f"{flow['to_host']}:{flow['destination_port']}"
        table.add_row(
            f"{flow['protocol']} {source} > {destination}",
            f"{flow['sent_packets']:,}",
            f"{flow['lost_packets']:,}",
            f"{flow['marked_packets']:,}",
            _scaled(flow["goodput_bps"], 1e-6),
            _scaled(flow["mean_delay_s"], 1e3),
        )
    console = PlainConsole()
    console.print(table)
    console.print(_say_lateness(live), soft_wrap=True)


def _scaled(value: float | None, scale: float) -> str:
    return "" if value is None else f"{value * scale:.4g}"


def _say_lateness(live: dict[str, Any]) -> str:
    loop = live["loop"]
    late = ", ".join(
        f"{name} {_scaled(loop[f'lateness_{key}_s'], 1e3) or '-'} ms"
        for name, key in (("p50", "p50"), ("p99", "p99"), ("p99.9", "p99_9"), ("max", "max"))
    )
    odd = loop["malformed"] + loop["unreachable"]
    others = f"; {odd:,} for no host or no IP" if odd else ""
    dropped = sum(loop["dropped_unread"].values()) + sum(loop["dropped_untaken"].values())
    others += f"; {dropped:,} dropped at the hosts' own devices" if dropped else ""
    return (
        f"{live['ended_s']:.1f} s: {loop['read']:,} packets read, {loop['written']:,} written,"
        f" {loop['lost']:,} lost{others}. Written late by: {late}"
    )
