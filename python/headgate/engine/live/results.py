"""Results of a run in real time: tables, captures, and the settings of the kernel."""

from __future__ import annotations

import platform
import struct
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from headgate.base.errors import report_unwritable
from headgate.base.terminal import safe_file_name
from headgate.data.columns.live import LIVE_FLOWS, LIVE_SECONDS, LIVE_SERIES
from headgate.data.measures.formula import form
from headgate.data.measures.tables import RunTables
from headgate.data.tables import Table, Words
from headgate.engine.traces.frames import ENHANCED_PACKET, INBOUND, OUTBOUND, PACKET_FLAGS
from headgate.engine.traces.pcapng import (
    NAME,
    interface_block,
    make_block,
    pack_options,
    pad,
    section_header,
)

#: Names of IP protocols; others keep their numbers.
PROTOCOLS = {1: "icmp", 6: "tcp", 17: "udp", 33: "dccp", 58: "icmpv6", 132: "sctp"}

#: Programs whose packets arrive later than this see a different network.
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
    """Return the tables of the simulation and of real packets, except arrivals."""
    seconds = native.report()["seconds"]
    times = np.arange(len(seconds["read_packets"]), dtype=np.float64)
    return {
        **RunTables(cut_plan(plan, native.ended_ps), facts),
        "live_flows": _make_flows(native.flows(), names),
        "live_series": Table("live_series", form(LIVE_SERIES, native.series())),
        "live_seconds": Table("live_seconds", form(LIVE_SECONDS, {**seconds, "t_s": times})),
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


def describe_loop(report: Mapping[str, Any], hosts: Sequence[str]) -> dict[str, Any]:
    """Return the loop's counters and the kernel's drops at the hosts' devices, for run.json."""
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
    """Return warnings of differences between the emulated network and the scenario's."""
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


#: Settings of a network namespace that determine the behaviour of its TCP.
SETTINGS = (
    "tcp_congestion_control",
    "tcp_ecn",
    "tcp_sack",
    "tcp_timestamps",
    "tcp_recovery",
    "tcp_early_retrans",
    "tcp_rmem",
    "tcp_wmem",
    "tcp_slow_start_after_idle",
    "tcp_no_metrics_save",
    "tcp_min_tso_segs",
    "tcp_pacing_ss_ratio",
    "tcp_pacing_ca_ratio",
)

Start = Callable[..., "subprocess.Popen[Any]"]


def read_kernel() -> dict[str, str]:
    """Return the name of the kernel."""
    return {
        "system": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
    }


def read_settings(start: Start, host: str) -> dict[str, str]:
    """Read the current TCP settings of a host; settings that its kernel lacks are omitted."""
    paths = [f"/proc/sys/net/ipv4/{name}" for name in SETTINGS]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    reader = start(host, ["grep", "", *paths], options)
    said, _ = reader.communicate()
    lines = (line.partition(":") for line in said.splitlines())
    return {path.rpartition("/")[2]: " ".join(value.split()) for path, _, value in lines}


#: LINKTYPE_RAW: packets begin with their IP header.
RAW_IP = 101

#: Header of each packet in the loop's file: time in ns, length, direction, padding.
_HEAD = struct.Struct("<QIB3x")


def raw_files(folder: Path, hosts: Sequence[str]) -> list[Path]:
    """Return the files that the loop writes."""
    return [folder / f"{host}.raw" for host in hosts]


def write_captures(folder: Path, hosts: Sequence[str], out: Path, begun_s: float) -> list[Path]:
    """Convert the loop's files into `capture-HOST.pcapng` in a run's folder. Raises StoreError.

    `begun_s` is the start in seconds since 1970.
    """
    made = [out / f"capture-{safe_file_name(host)}.pcapng" for host in hosts]
    with report_unwritable(out):
        for host, raw, path in zip(hosts, raw_files(folder, hosts), made, strict=True):
            with raw.open("rb") as packets, path.open("wb") as file:
                file.write(section_header() + interface_block(RAW_IP, (NAME, host.encode())))
                file.writelines(_blocks(packets, round(begun_s * 1e9)))
    return made


def _blocks(packets: BinaryIO, begun_ns: int) -> Iterator[bytes]:
    while len(head := packets.read(_HEAD.size)) == _HEAD.size:
        time_ns, length, inwards = _HEAD.unpack(head)
        at = begun_ns + time_ns
        body = struct.pack("<IIIII", 0, at >> 32, at & 0xFFFFFFFF, length, length)
        body += pad(packets.read(length))
        flags = struct.pack("<I", INBOUND if inwards else OUTBOUND)
        yield make_block(ENHANCED_PACKET, body + pack_options((PACKET_FLAGS, flags)))
