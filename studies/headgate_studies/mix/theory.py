"""The share of BBR beside CUBIC by two models, and the number of flows at which switching stops."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from headgate_studies.paths import bdp_packets

Model = Callable[[float, float, float, int], float]
"""A share from a rate in bit/s, a round trip in s, a buffer in BDP, and the switched flows."""
#: BBR's window in ProbeRTT, and the length and the interval of ProbeRTT.
PROBE_PACKETS, PROBE_S, PROBE_EVERY_S = 4, 0.2, 10.0
#: Mean over maximum of CUBIC's window, (3 + beta)/4 with the beta of RFC 9438.
MEAN_WINDOW = (3 + 0.7) / 4


def ware(rate_bps: float, rtt_s: float, buffer: float, switched: int) -> float:
    """Return BBR's share by equations (9) to (11) of Ware et al. (2019)."""
    queue = buffer * bdp_packets(rate_bps, rtt_s)
    loss_based = 1 / 2 - 1 / (2 * buffer) - PROBE_PACKETS * switched / queue
    return (1 - max(0.0, loss_based)) * _send_time(rtt_s, buffer)


def derive(rate_bps: float, rtt_s: float, buffer: float, switched: int) -> float:
    """Return BBR's share by our model (see the page of the study)."""
    probing = PROBE_PACKETS * switched / bdp_packets(rate_bps, rtt_s)
    full = 1 + buffer
    peak = float(np.clip((full / 2 - probing) / (MEAN_WINDOW * full), 0, 1)) * (buffer > 1)
    return (1 - peak) / (1 - peak + MEAN_WINDOW * peak) * _send_time(rtt_s, buffer)


def _send_time(rtt_s: float, buffer: float) -> float:
    """Return the share of the time outside ProbeRTT, which begins by draining the queue."""
    return 1 - (buffer * rtt_s + PROBE_S + rtt_s) / PROBE_EVERY_S


def find_stop(
    counts: Sequence[int], switched: NDArray[np.float64], stayed: NDArray[np.float64]
) -> float:
    """Return the share of flows at which switching stops, beginning with none.

    `switched` and `stayed` are the rates of all such flows, in any unit, at the counts of switched
    flows, from 0 to all. Rates between are interpolated. A flow switches if its own rate rises.
    """
    every = np.arange(counts[-1] + 1)
    of_switched, of_stayed = (np.interp(every, counts, rates) for rates in (switched, stayed))
    gains = of_switched[1:] / every[1:] - of_stayed[:-1] / every[:0:-1]
    loses = np.flatnonzero(gains <= 0)
    return float(loses[0]) / counts[-1] if len(loses) else 1.0
