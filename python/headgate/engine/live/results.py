"""What a run in real time leaves behind: tables and run.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from headgate.data.columns.live import LIVE_FLOWS, LIVE_SECONDS, LIVE_SERIES
from headgate.data.measures.formula import form
from headgate.data.measures.tables import make_tables
from headgate.data.tables import Table, Words

#: Names of IP protocols; others are their numbers.
PROTOCOLS = {1: "icmp", 6: "tcp", 17: "udp", 33: "dccp", 58: "icmpv6", 132: "sctp"}

#: Programs whose packets come later than this meet another network than the scenario's.
MOST_LATENESS_S = 0.005

Plan = Mapping[str, Any]


def cut_plan(plan: Plan, ended_ps: int) -> dict[str, Any]:
    """Return the plan of a run that ended early: its periods end with it."""
    measure = plan["measure"]
    begun = [[start, min(end, ended_ps)] for start, end in measure["periods"] if start < ended_ps]
    return {**plan, "duration_ps": ended_ps, "measure": {**measure, "periods": begun}}


def live_tables(
    plan: Plan, names: Sequence[str], native: Any, facts: Mapping[str, Any]
) -> dict[str, Table]:
    """Return the tables of the simulation, and those of real packets but for their arrivals."""
    ended_ps = native.ended_ps
    return {
        **make_tables(cut_plan(plan, ended_ps), facts),
        "live_flows": _make_flows(native.flows(), names),
        "live_series": Table("live_series", form(LIVE_SERIES, native.series())),
        "live_seconds": _make_seconds(native.report()["seconds"]),
    }


def _make_flows(facts: Mapping[str, Any], names: Sequence[str]) -> Table:
    protocols = [PROTOCOLS.get(number, str(number)) for number in facts["protocol"].tolist()]
    words = {
        "from_host": Words(facts["from"], names),
        "to_host": Words(facts["to"], names),
        "protocol": Words.of(protocols),
        "source": Words.of(facts["source"]),
        "destination": Words.of(facts["destination"]),
    }
    return Table("live_flows", form(LIVE_FLOWS, {**facts, **words}))


def _make_seconds(facts: Mapping[str, Any]) -> Table:
    times = np.arange(len(facts["read_packets"]), dtype=np.float64)
    return Table("live_seconds", form(LIVE_SECONDS, {**facts, "t_s": times}))


def describe_loop(report: Mapping[str, Any], hosts: Sequence[str]) -> dict[str, Any]:
    """Return what the loop notes of itself, and the kernel of the hosts' devices, for run.json."""
    seconds = report["seconds"]["max_lateness_s"]
    late = int(np.count_nonzero(seconds > MOST_LATENESS_S))
    counts = {key: value for key, value in report.items() if not hasattr(value, "__len__")}
    return {
        **{key: None if value != value else value for key, value in counts.items()},  # noqa: PLR0124
        "seconds": len(seconds),
        "seconds_late": late,
        "dropped_unread": dict(zip(hosts, report["unread"], strict=True)),
        "dropped_untaken": dict(zip(hosts, report["untaken"], strict=True)),
        "lateness_histogram": {
            "at_most_s": report["lateness_s"].tolist(),
            "packets": report["lateness_packets"].tolist(),
        },
    }


def say_overload(loop: Mapping[str, Any]) -> list[str]:
    """Return warnings of where the emulated network differed from the scenario's."""
    says = []
    if loop["seconds_late"]:
        says.append(
            f"packets were delivered up to {loop['lateness_max_s'] * 1e3:.1f} ms late, by more than"
            f" {MOST_LATENESS_S * 1e3:g} ms in {loop['seconds_late']} of {loop['seconds']} seconds:"
            " this machine was too slow or too busy, and programs saw a slower network then"
        )
    says += [
        f"the kernel dropped {count:,} packets that host {host} had sent, since the loop was "
        "late to read them: they are counted in no flow"
        for host, count in loop["dropped_unread"].items()
        if count
    ]
    says += [
        f"the kernel of host {host} dropped {count:,} packets that had arrived"
        for host, count in loop["dropped_untaken"].items()
        if count
    ]
    if loop["not_taken"]:
        says.append(f"the kernel did not take {loop['not_taken']} packets")
    return says
