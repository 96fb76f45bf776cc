"""The list of flows of a capture: a flow for each direction of a connection that carried data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.data.tables import Table, Words
from headgate.engine.captures.read import Capture
from headgate.engine.captures.rtts import keep_plausible

#: Significant digits of a round trip, and fewer where that leaves more different ones than this.
DIGITS, FEWER_DIGITS, MOST_DIFFERENT = 3, 2, 4000


@dataclass(frozen=True)
class Ends:
    """Routers at which the servers and the clients of a capture are put."""

    servers: str = "left"
    clients: str = "right"


#: Of a dumbbell.
SIDES = Ends()


def list_flows(capture: Capture, ends: Ends, *, with_rtt: bool = True) -> Table:
    """Return the flows in the order of their starts, as a scenario's `replay` reads them.

    A flow begins a round trip before its first data, as its own handshake takes that long, but not
    before its connection. Its size is the bytes that its sequence numbers span.
    """
    found = capture.connections
    sizes = np.concatenate([found["server_bytes"], found["client_bytes"]])
    starts = np.concatenate([found["server_start_s"], found["client_start_s"]])
    firsts = np.concatenate([found["first_s"], found["first_s"]])
    starts = np.where(np.isnan(starts), firsts, starts)  # only its FIN says that there were data
    is_client = np.repeat([False, True], len(found))
    rows = np.flatnonzero(sizes > 0)
    rows = rows[np.lexsort((is_client[rows], starts[rows]))]
    names = (ends.servers, ends.clients)
    columns: dict[str, NDArray[Any] | Words] = {
        "start_s": starts[rows],
        "size_bytes": sizes[rows],
        "source": Words(is_client[rows], names),
        "receiver": Words(~is_client[rows], names),
    }
    if with_rtt:
        columns["rtt_s"] = round_rtts(np.concatenate([found["rtt_s"]] * 2)[rows])
    return Table("flow list", columns)


def round_rtts(rtt_s: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round to so few digits that there are few different ones: each is a host of its own."""
    known = keep_plausible(rtt_s)
    rounded = _round_to(known, DIGITS)
    few = len(np.unique(rounded[np.isfinite(rounded)])) <= MOST_DIFFERENT
    return rounded if few else _round_to(known, FEWER_DIGITS)


def _round_to(numbers: NDArray[np.float64], digits: int) -> NDArray[np.float64]:
    few, of = np.unique(numbers, return_inverse=True)
    return np.array([float(f"{number:.{digits - 1}e}") for number in few.tolist()])[of]
