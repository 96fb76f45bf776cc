"""Round trips of handshakes, as far as their time stamps are plausible."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: What is longer is no round trip of any network, but a mistake of a clock.
LONGEST_RTT_S = 1000.0


def keep_plausible(rtt_s: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return round trips with NaN for what a clock that was set, or is too coarse, has made."""
    return np.where((rtt_s > 0) & (rtt_s <= LONGEST_RTT_S), rtt_s, np.nan)
