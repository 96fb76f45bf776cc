"""A trace as qlog 0.3, which qvis reads: one file for each connection, at its sender.

Main schema draft-ietf-quic-qlog-main-schema-02, events draft-ietf-quic-qlog-quic-events-02, records
of RFC 7464. qlog describes QUIC, which uses no packet number twice. So the packets of a sender are
numbered from 0, and the bytes of a segment are in a stream frame; an ACK names the packets that it
is the first to acknowledge. Of QUIC, the numbers and ranges are those of the trace.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from headgate.base.errors import report_unwritable
from headgate.base.terminal import safe_file_name
from headgate.data.tables import Table
from headgate.engine.traces.stored import Connections, StoredTrace

RECORD_SEPARATOR = "\x1e"
QLOG_FOLDER = "qlog"
PACKET_TYPE = "1RTT"

Row = Mapping[str, Any]
Event = tuple[str, dict[str, Any]]

COLUMNS = (
    *("t_s", "event", "seq", "stamp", "size_bytes", "rtt_s", "cwnd_packets", "ssthresh_packets"),
    *("pace_packets_s", "srtt_s", "in_flight_packets", "state"),
    *(f"sack{number}_{end}" for number in (1, 2, 3) for end in ("from", "to")),
)


def write_qlog(trace: StoredTrace) -> list[Path]:
    """Write a file for each followed connection into the trace's folder. Raises StoreError."""
    connections, writers = Connections(trace.connections), dict[int, _Writer]()
    folder = trace.folder / QLOG_FOLDER
    with report_unwritable(folder):
        folder.mkdir(exist_ok=True)
        for part in trace.parts():
            ours = part.where((part["state"] != "") & (part["link"] == ""))
            of = connections.rows_of(ours["connection"], ours["t_s"])
            for row in np.unique(of).tolist():
                writer = writers.get(row) or writers.setdefault(
                    row, _Writer(trace, folder, connections, row)
                )
                writer.write(ours.where(of == row))
        for writer in writers.values():
            writer.end()
    return [writer.path for writer in writers.values()]


def _row(table: Table, row: int) -> dict[str, Any]:
    return {name: table[name][row].item() for name in table}


class _Writer:
    def __init__(
        self, trace: StoredTrace, folder: Path, connections: Connections, row: int
    ) -> None:
        self._meta = trace.meta
        connection, name = _row(connections.table, row), connections.identify(row)
        self.path = folder / f"{safe_file_name(connection['flow'])}-{name}.sqlog"
        self._sender = _Sender(connection, trace.profiles[connection["transport"]])
        self.path.write_text(_record(_head(trace.meta, connection, name)), encoding="utf-8")
        self._last_ms = 0.0

    def write(self, events: Table) -> None:
        columns = [events[name].tolist() for name in COLUMNS]
        with self.path.open("a", encoding="utf-8") as file:
            for values in zip(*columns, strict=True):
                row = dict(zip(COLUMNS, values, strict=True))
                self._last_ms = row["t_s"] * 1e3
                for name, data in self._sender.describe(row):
                    file.write(_record({"time": self._last_ms, "name": name, "data": data}))

    def end(self) -> None:
        """Add a warning if the trace ends before the run."""
        if self._meta["ended_s"] is not None:
            data = {"message": self._meta["says"]}
            time_ms = max(self._last_ms, self._meta["ended_s"] * 1e3)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(_record({"time": time_ms, "name": "loglevel:warning", "data": data}))


def _record(value: Mapping[str, Any]) -> str:
    return f"{RECORD_SEPARATOR}{json.dumps(value, separators=(',', ':'), allow_nan=False)}\n"


def _head(meta: Mapping[str, Any], connection: Row, name: str) -> dict[str, Any]:
    title = f"{connection['flow']} ({name})"
    common = {"time_format": "relative", "reference_time": 0, "protocol_type": ["TCP"]}
    return {
        "qlog_format": "JSON-SEQ",
        "qlog_version": "0.3",
        "title": title,
        "description": f"Headgate {meta['headgate']}, seed {meta['seed']}: {meta['says']}",
        "trace": {
            "title": title,
            "common_fields": {**common, "ODCID": f"{connection['connection']:x}"},
            "vantage_point": {"name": connection["source"], "type": "client"},
        },
    }


class _Sender:
    def __init__(self, connection: Row, profile: Mapping[str, Any]) -> None:
        self._connection, self._segment_bytes = connection, profile["segment_bytes"]
        self._is_quic = "quic" in profile
        self._heeded = (1, 2, 3) if profile["recovery"].startswith("sack") else ()
        """SACK blocks of an ACK that the sender uses."""
        self._packets = self._acks = self._acknowledged = 0
        self._flight: dict[int, int] = {}
        """Numbers of the packets that last carried unacknowledged segments."""
        self._blocks: dict[int, int] = {}
        self._state = ""
        self._min_rtt_s = math.inf
        self._makers: dict[str, Callable[[Row], dict[str, Any]]] = {
            "transport:packet_sent": self._sent,
            "transport:packet_received": self._received,
            "recovery:packet_lost": self._lost,
            "recovery:loss_timer_updated": lambda _: {"timer_type": "pto", "event_type": "expired"},
            "recovery:metrics_updated": self._metrics,
            "connectivity:connection_started": self._started,
            "connectivity:connection_closed": lambda _: {},
        }

    def describe(self, row: Row) -> Iterator[Event]:
        if name := NAMES.get(row["event"]):
            yield name, self._makers[name](row)
        yield from self._state_change(row)

    def _started(self, _row: Row) -> dict[str, Any]:
        ends = {"src": "source", "dst": "receiver"}
        values = {f"{end}_ip": self._connection[f"{of}_ip"] for end, of in ends.items()}
        values |= {f"{end}_port": self._connection[f"{of}_port"] for end, of in ends.items()}
        return {"ip_version": "v4", "protocol": "TCP", **values}

    def _header(self, number: int) -> dict[str, Any]:
        return {"packet_type": PACKET_TYPE, "packet_number": number}

    def _sent(self, row: Row) -> dict[str, Any]:
        segment, number, size = int(row["seq"]), self._packets, self._segment_bytes
        if self._is_quic:
            segment, number = int(row["stamp"]), segment
        else:
            self._flight[segment] = number
        self._packets += 1
        frame = {"frame_type": "stream", "stream_id": 0, "offset": segment * size, "length": size}
        raw = {"length": int(row["size_bytes"]), "payload_length": size}
        return {"header": self._header(number), "frames": [frame], "raw": raw}

    def _received(self, row: Row) -> dict[str, Any]:
        self._acks += 1
        ranges = _packet_ranges(row) if self._is_quic else _ranges(self._newly(row))
        frame = {"frame_type": "ack", "acked_ranges": ranges}
        raw = {"length": int(row["size_bytes"])}
        return {"header": self._header(self._acks - 1), "frames": [frame], "raw": raw}

    def _newly(self, row: Row) -> list[int]:
        """Return the numbers of the packets that an ACK is the first to acknowledge."""
        segments = [range(self._acknowledged, int(row["seq"]))]
        self._acknowledged = max(self._acknowledged, int(row["seq"]))
        for number in self._heeded:
            if not math.isnan(row[f"sack{number}_to"]):
                first, end = int(row[f"sack{number}_from"]), int(row[f"sack{number}_to"])
                segments.append(range(self._blocks.get(first, first), end))
                self._blocks[first] = end
        found = [self._flight.pop(segment, None) for of in segments for segment in of]
        return sorted(number for number in found if number is not None)

    def _lost(self, row: Row) -> dict[str, Any]:
        number = int(row["seq"]) if self._is_quic else self._flight.get(int(row["seq"]))
        return {} if number is None else {"header": self._header(number)}

    def _metrics(self, row: Row) -> dict[str, Any]:
        if not math.isnan(row["rtt_s"]):
            self._min_rtt_s = min(self._min_rtt_s, row["rtt_s"])
        size = self._segment_bytes
        values = {
            "latest_rtt": row["rtt_s"] * 1e3,
            "smoothed_rtt": row["srtt_s"] * 1e3,
            "min_rtt": self._min_rtt_s * 1e3,
            "congestion_window": row["cwnd_packets"] * size,
            "ssthresh": row["ssthresh_packets"] * size,
            "bytes_in_flight": row["in_flight_packets"] * size,
            "packets_in_flight": row["in_flight_packets"],
            "pacing_rate": row["pace_packets_s"] * size * 8,
        }
        known = {name: value for name, value in values.items() if math.isfinite(value)}
        return {name: v if name.endswith("_rtt") else round(v) for name, v in known.items()}

    def _state_change(self, row: Row) -> Iterator[Event]:
        new = _congestion_state(row)
        if new in ("", self._state):
            return
        data = {"new": new} | ({"old": self._state} if self._state else {})
        if row["state"] == "timeout":
            data["trigger"] = "persistent_congestion"
        self._state = new
        yield "recovery:congestion_state_updated", data


#: qlog names of a sender's events.
NAMES = {
    "opened": "connectivity:connection_started",
    "sent": "transport:packet_sent",
    "retransmitted": "transport:packet_sent",
    "acknowledged": "transport:packet_received",
    "lost": "recovery:packet_lost",
    "timeout": "recovery:loss_timer_updated",
    "rtt_sample": "recovery:metrics_updated",
    "window": "recovery:metrics_updated",
    "closed": "connectivity:connection_closed",
}


def _congestion_state(row: Row) -> str:
    if row["state"] in ("closed", "syn-sent"):
        return ""
    if row["state"] != "open":
        return "recovery"
    starts = row["cwnd_packets"] < row["ssthresh_packets"]
    return "slow_start" if starts else "congestion_avoidance"


def _packet_ranges(row: Row) -> list[list[int]]:
    """Return the ranges of an ACK of QUIC, in ascending order."""
    ranges = [[int(row["stamp"]), int(row["seq"]) - 1]]
    for number in (1, 2, 3):
        end, first = row[f"sack{number}_to"], row[f"sack{number}_from"]
        if not math.isnan(end):
            ranges.insert(0, [0 if math.isnan(first) else int(first), int(end) - 1])
    return ranges


def _ranges(numbers: list[int]) -> list[list[int]]:
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ranges
