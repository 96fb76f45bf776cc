"""`headgate emulate`: real programs in a simulated network, in real time."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headgate.base.errors import HeadgateError
from headgate.base.terminal import echo
from headgate.cli.options import (
    Json,
    Out,
    ScenarioFile,
    Seed,
    Settings,
    Trust,
    Unset,
    command_line,
    load,
    make_table,
    say_result,
    warn,
)

if TYPE_CHECKING:
    from headgate.engine.live.emulation import Emulation

At = Annotated[
    list[str] | None,
    typer.Option(
        "--at",
        metavar="HOST=CMD",
        help="Run a command in a live host, by the shell; repeatable. --HOST CMD is the same.",
    ),
]
Mtu = Annotated[int, typer.Option(metavar="BYTES", help="MTU of the hosts' devices.")]
Capture = Annotated[
    bool,
    typer.Option("--capture", help="Write the packets of each host's device into DIR, as pcapng."),
]
Kernel = Annotated[
    list[str] | None,
    typer.Option(
        "--kernel",
        metavar="[HOST=]host|uml",
        help="Run programs in another kernel: uml is a user-mode Linux. For the hosts at the"
        " source, or for HOST; repeatable.",
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Print whether this machine is fast enough; run nothing.")
]


def emulate(  # noqa: PLR0913, PLR0917 - one for each option
    ctx: typer.Context,
    scenario: ScenarioFile,
    at: At = None,
    settings: Settings = None,
    unset: Unset = None,
    seed: Seed = None,
    out: Out = None,
    mtu: Mtu = 1500,
    capture: Capture = False,
    kernel: Kernel = None,
    dry_run: DryRun = False,
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Run real programs in the live hosts of a scenario, in real time.

    headgate emulate FILE --b "iperf3 -s -1" --a "iperf3 -c b" runs until all commands have ended,
    or the scenario's duration. Hosts know each other by name. The command needs Linux, and root if
    the kernel forbids user namespaces. Only the simulated part can be repeated: headgate run FILE
    --arrivals DIR/arrivals.parquet.
    """
    from headgate.engine.live.emulation import Emulation
    from headgate.engine.live.estimate import estimate
    from headgate.engine.live.hosts import parse_kernels

    chosen = load(scenario, settings, seed, unset=unset, trust=trust)
    if dry_run:
        found = estimate(chosen)
        echo(json.dumps({"load": found.load, "says": found.says()}) if as_json else found.says())
        return
    kernels = parse_kernels(kernel or [])
    net = Emulation(chosen, out, mtu, capture=capture, kernel=kernels)
    commands = _commands(net.hosts, at or [], ctx.args)
    net.command = command_line()
    failed = _run(net, commands)
    _print(net, out, as_json=as_json)
    if failed:
        echo(f"headgate: {'; '.join(failed)}", error=True)
        raise typer.Exit(1)


def _commands(hosts: list[str], at: list[str], others: list[str]) -> list[tuple[str, str]]:
    """Return the hosts and commands of `--at HOST=CMD`, then those of `--HOST CMD`."""
    from headgate.engine.live.hosts import find_host, refuse_bad_command

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
    for host, command in commands:
        find_host(hosts, host)
        refuse_bad_command(host, command)
    if not commands:
        example = f'--{hosts[0]} "CMD"'
        raise HeadgateError(f"there is no command; give one to a host: {example}")
    return commands


def _run(net: Emulation, commands: list[tuple[str, str]]) -> list[str]:
    """Run commands until all have ended; describe those that failed."""
    from headgate.engine.live.emulation import OverloadWarning

    warnings.simplefilter("ignore", OverloadWarning)  # the result's warnings include it
    with net:
        programs = [net.start(host, command) for host, command in commands]
        try:
            net.wait(programs)
        except KeyboardInterrupt:
            echo("headgate: stopped; the result covers the time until now", error=True)
        ended = [program.poll() for program in programs]
    failed = []
    for (host, command), code in zip(commands, ended, strict=True):
        if code:
            end = f"ended with exit code {code}" if code > 0 else f"was killed by signal {-code}"
            failed.append(f"host {host}: {command!r} {end}")
    return failed


def _print(net: Emulation, out: Path | None, *, as_json: bool) -> None:
    from headgate.base.console import PlainConsole
    from headgate.data.measures.shown import (
        HEADS,
        by_cca,
        list_flows,
        say_loop,
        show_flow,
        show_simulated,
    )

    flows, live = list_flows(net.result.tables), net.result.meta["live"]
    warn(net.result.meta["warnings"])
    if as_json:
        loop = {key: value for key, value in live["loop"].items() if key != "lateness_histogram"}
        simulated = by_cca(net.result.tables)
        said = {"flows": flows, "simulated": simulated, "loop": loop, "ended_s": live["ended_s"]}
        echo(json.dumps(said))
        return
    PlainConsole().print(make_table("Flows of real packets", HEADS, map(show_flow, flows)))
    for shown in show_simulated(net.result.tables, net.result.meta):
        echo(*str(shown).split("\n"), "")
    echo(say_loop(live))
    say_result(out)
