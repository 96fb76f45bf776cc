"""The folder of a replay: list of flows, connections, picture, and a runnable scenario."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from headgate.base.errors import HeadgateError, StoreError, explain_library, explain_os
from headgate.base.files import write_bytes, write_file
from headgate.data.parquet import quote, write_table
from headgate.data.tables import Table
from headgate.engine.api import Scenario
from headgate.engine.captures.read import CAPTURED, SIDES, Capture, Ends, keep_plausible, list_flows
from headgate.engine.captures.summary import check_clock, describe, shares, warnings
from headgate.scenario.keys import change_keys, unset_keys
from headgate.scenario.toml import toml_text

FLOWS, SCENARIO, SUMMARY, PICTURE = "flows.csv", "scenario.toml", "replay.json", "capture"
#: Simulated seconds after the last packet, in which late flows end.
REST_S = 10
#: Defaults of a network without handshakes, and the least rate and buffer.
USUAL_RTT_S, LEAST_BPS, LEAST_PACKETS = 0.05, 100_000, 20
PACKET_BITS = 1500 * 8


@dataclass(frozen=True)
class Choice:
    """The user's choices: network file, routers, and keys of the scenario to set and to remove."""

    network: Path | None = None
    ends: Ends = SIDES
    settings: Sequence[tuple[str, Any]] = ()
    unset: Sequence[str] = ()


def summarise(capture: Capture) -> dict[str, Any]:
    """Return the summary that `--json` prints. Raises HeadgateError if there are no flows."""
    flows = sum(
        int((capture.connections[f"{end}_bytes"] > 0).sum()) for end in ("client", "server")
    )
    if not flows:
        raise HeadgateError(f"{capture.path}: {_say_nothing_taken(capture)}")
    return {
        "capture": str(capture.path),
        "says": describe(capture, flows),
        "warnings": list(warnings(capture)),
        "flows": flows,
        "connections": len(capture.connections),
        "span_s": capture.span_s,
        "packets": {
            share.name: {"taken": share.is_taken, **vars(share.count)} for share in shares(capture)
        },
    }


def _say_nothing_taken(capture: Capture) -> str:
    if not capture.all.packets:
        return "has no packets"
    counted = ", ".join(
        f"{share.count.packets:,} {share.name}" for share in shares(capture) if not share.is_taken
    )
    says = f"has no TCP connection with data, which a flow is made of; its packets: {counted}"
    links = ", ".join(map(str, sorted(capture.other_links)))
    return f"{says} (link type {links} is not read)" if links else says


def write_replay(capture: Capture, folder: Path, choice: Choice) -> list[Path]:
    """Write the whole folder once its scenario is valid, or nothing. Raises HeadgateError."""
    if (folder / SCENARIO).exists():
        raise StoreError(f"{folder / SCENARIO}: already exists; choose another folder")
    summary = summarise(capture)
    check_clock(capture)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix="draft-", dir=folder) as draft:
            names = _write_draft(capture, Path(draft), folder, choice, summary)
            for name in names:
                (Path(draft) / name).replace(folder / name)
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written: {explain_os(error)}") from None
    except HeadgateError:
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
        raise
    return [folder / name for name in names]


def _write_draft(
    capture: Capture, draft: Path, folder: Path, choice: Choice, summary: dict[str, Any]
) -> list[str]:
    flows = list_flows(capture, choice.ends, with_rtt=choice.network is None)
    head = _head(capture, summary["says"])
    write_file(draft / FLOWS, lambda path: _write_csv(flows, path), durable=False)
    text = head + toml_text(_scenario(capture, draft, choice))
    write_bytes(draft / SCENARIO, text.encode(), durable=False)
    Scenario.load(draft / SCENARIO).plan()  # beside the list of flows, before the pictures
    write_table(draft / f"{CAPTURED}.parquet", capture.connections)
    write_bytes(draft / SUMMARY, json.dumps(summary, indent=2).encode(), durable=False)
    pictures = [path.name for path in _draw(capture, draft)]
    text = head + toml_text(_scenario(capture, folder, choice))
    write_bytes(draft / SCENARIO, text.encode(), durable=False)
    return [SCENARIO, FLOWS, f"{CAPTURED}.parquet", SUMMARY, *pictures]


def _write_csv(flows: Table, draft: Path) -> None:
    import duckdb

    with duckdb.connect() as database:
        database.register("flows", flows)
        try:
            database.execute(f"COPY flows TO {quote(str(draft))} (FORMAT csv, HEADER)")
        except duckdb.Error as error:
            raise StoreError(f"{draft}: cannot be written: {explain_library(error)}") from None


def _draw(capture: Capture, folder: Path) -> list[Path]:
    import matplotlib as mpl

    mpl.use("agg")
    from headgate.engine.captures.picture import draw_capture
    from headgate.figures.plots.style import save_figure

    return save_figure(draw_capture(capture), folder, PICTURE)


def _head(capture: Capture, says: str) -> str:
    name = json.dumps(capture.path.name)  # a name may hold the end of a line
    width_s = capture.rates.width_s
    return (
        f"# Flows of the capture {name}, made by `headgate replay`; {says}.\n"
        f"# A dumbbell's rate is the most that TCP took in any {width_s:g} s either way; its rtt is"
        " the median of\n# the handshakes, and each flow has its own. What servers send goes from"
        " left to right.\n"
    )


def _scenario(capture: Capture, folder: Path, choice: Choice) -> dict[str, Any]:
    network = _dumbbell(capture)
    if choice.network is not None:
        network = {"kind": "graph", "file": os.path.relpath(choice.network, folder)}
    data = {
        "title": f"flows of {capture.path.name}",
        "duration": f"{math.ceil(capture.span_s) + REST_S} s",
        "network": network,
        "traffic": [
            {
                "kind": "replay",
                "file": FLOWS,
                "cca": "cubic",
                "source": choice.ends.servers,
                "receiver": choice.ends.clients,
            }
        ],
    }
    unset_keys(data, choice.unset)
    change_keys(data, choice.settings)
    return data


def _dumbbell(capture: Capture) -> dict[str, Any]:
    rtts = keep_plausible(capture.connections["rtt_s"])
    known = rtts[np.isfinite(rtts)]
    rtt_s = float(np.median(known)) if len(known) else USUAL_RTT_S
    bps = _busiest_bps(capture)
    room = bps * rtt_s / PACKET_BITS
    return {
        "kind": "dumbbell",
        "rate": f"{bps / 1e6:.10g} Mbit/s",
        "rtt": f"{1e3 * rtt_s:.3g} ms",
        "buffer": "1 BDP" if room > LEAST_PACKETS else f"{LEAST_PACKETS} packets",
    }


def _busiest_bps(capture: Capture) -> int:
    """Return the highest TCP rate in either direction, rounded up to two digits."""
    rates = capture.rates
    most = max(int(rates.to_clients.max()), int(rates.to_servers.max()))
    bps = max(8 * most / rates.width_s, LEAST_BPS)
    unit = 10 ** (math.floor(math.log10(bps)) - 1)
    return int(math.ceil(bps / unit) * unit)
