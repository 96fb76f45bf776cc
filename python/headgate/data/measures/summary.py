"""A run in a few rows: its flows by law, and its busiest ports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.data.tables import Table


def by_law(tables: Mapping[str, Table]) -> list[dict[str, Any]]:
    """Return one row for each law, of the flows that were active after the warm-up."""
    flows = tables["flows"].where(tables["flows"]["active_s"] > 0)
    rows = []
    for law in np.unique(flows["law"]):
        own = flows.where(flows["law"] == law)
        done = own["status"] == "finished"
        rows.append(
            {
                "law": str(law),
                "flows": len(own),
                "finished": int(done.sum()),
                "mean_goodput_bps": _mean(own["goodput_bps"]),
                "mean_fct_receiver_s": _mean(own["fct_receiver_s"]),
                "retransmissions": int(own["retransmissions"].sum()),
                "timeouts": int(own["timeouts"].sum()),
            }
        )
    return rows


def busiest(tables: Mapping[str, Table], most: int) -> list[dict[str, Any]]:
    """Return the ports with the highest utilisation.

    `loss_rate` counts what the port dropped, `link_loss_rate` what its link lost afterwards.
    """
    order = np.argsort(-tables["ports"]["utilisation"], kind="stable")[:most]
    ports = tables["ports"].where(order)
    columns = {
        "link": ports["link"],
        "utilisation": ports["utilisation"],
        "loss_rate": ports["loss_rate"],
        "link_loss_rate": _share(ports["lost"], ports["departures"]),
        "mean_queue_packets": ports["mean_queue_packets"],
        "max_queue_packets": ports["max_queue_packets"],
    }
    return [
        {name: column[row].item() for name, column in columns.items()} for row in range(len(ports))
    ]


def _share(part: NDArray[Any], whole: NDArray[Any]) -> NDArray[np.float64]:
    """Return the ratio of two columns, NaN if the whole is nothing."""
    wholes = np.asarray(whole, np.float64)
    return np.asarray(part, np.float64) / np.where(wholes > 0, wholes, np.nan)


def _mean(column: Any) -> float:
    known = column[np.isfinite(column)]
    return float(known.mean()) if len(known) else float("nan")
