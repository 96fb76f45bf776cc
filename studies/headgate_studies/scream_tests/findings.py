"""The rate of the stream beside each number of flows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate import Result
from headgate.claims import Estimate, estimate_mean
from headgate.lab import Runs

#: The program logs the bytes of RTP; on the line there are headers of UDP, IPv4 and Ethernet.
RTP_BYTES, LINE_BYTES = 1372, 1414


def rates_mbps(result: Result) -> NDArray[np.float64]:
    """Return the rate of the stream's RTP packets beside 0 to 4 flows."""
    received_bps = np.asarray(result.tables["media"]["received_bps"], float)
    return received_bps * RTP_BYTES / LINE_BYTES / 1e6


def replicate_rates(runs: Runs, *begin: str | int) -> NDArray[np.float64]:
    """Return the rates of each replicate, one row each; `begin` is the key without the seed."""
    return np.array([rates_mbps(result) for result in runs.replicates(*begin)])


def find_rate(runs: Runs, *, frames: str, rtt: int, flows: int, form: str = "today") -> Estimate:
    """Return the rate of the program's stream beside some flows."""
    found = replicate_rates(runs, "steps", frames, rtt, form)
    return estimate_mean(found[:, flows].tolist())
