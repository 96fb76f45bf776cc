"""Random loss: what a round-by-round model gives each law, and response functions.

The model: one flow, packets of 1500 B, 100 ms, a buffer of 1 BDP; a round trip with a loss reduces
once and one more is spent on recovery; no time-outs.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Table = dict[float, float]
Losses = NDArray[np.float64]

_P100 = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2)
_P1G = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)


def _table(losses: tuple[float, ...], *used: float) -> Table:
    return dict(zip(losses, used, strict=True))


#: Utilisation by rate, law and loss.
RANDOM_LOSS: dict[str, dict[str, Table]] = {
    "100 Mbit/s": {
        "reno": _table(_P100, 0.50, 0.28, 0.158, 0.090, 0.050, 0.028, 0.015),
        "hstcp": _table(_P100, 0.99, 0.79, 0.31, 0.127, 0.054, 0.028, 0.015),
        "scalable": _table(_P100, 1.00, 1.00, 0.83, 0.29, 0.089, 0.031, 0.017),
        "bic": _table(_P100, 1.00, 0.93, 0.47, 0.21, 0.078, 0.034, 0.018),
        "cubic": _table(_P100, 0.94, 0.60, 0.26, 0.116, 0.057, 0.032, 0.016),
        "htcp": _table(_P100, 0.93, 0.80, 0.47, 0.23, 0.096, 0.042, 0.018),
        "ctcp": _table(_P100, 0.94, 0.80, 0.47, 0.20, 0.078, 0.033, 0.015),
        "westwood": _table(_P100, 1.00, 1.00, 1.00, 1.00, 0.97, 0.57, 0.26),
        "fast": _table(_P100, 0.99, 0.98, 0.93, 0.82, 0.59, 0.30, 0.093),
        "bbr": _table(_P100, *[0.98] * 7),
        "bbr3": _table(_P100, *[0.925] * 7),
    },
    "1 Gbit/s": {
        "reno": _table(_P1G, 0.154, 0.050, 0.016, 0.005, 0.001),
        "hstcp": _table(_P1G, 0.98, 0.22, 0.031, 0.005, 0.001),
        "scalable": _table(_P1G, 1.00, 0.83, 0.087, 0.009, 0.002),
        "bic": _table(_P1G, 0.88, 0.24, 0.047, 0.008, 0.002),
        "cubic": _table(_P1G, 0.73, 0.146, 0.025, 0.006, 0.002),
        "htcp": _table(_P1G, 0.83, 0.26, 0.050, 0.010, 0.002),
        "ctcp": _table(_P1G, 0.88, 0.31, 0.048, 0.008, 0.002),
        "westwood": _table(_P1G, 1.00, 1.00, 0.76, 0.125, 0.026),
        "bbr": _table(_P1G, *[0.98] * 5),
        "bbr3": _table(_P1G, *[0.925] * 5),
    },
}

#: Mean window in packets at a loss, 100 ms: RFC 3649, Kelly 2003, RFC 9438, and derived for ctcp.
RESPONSES: dict[str, Callable[[Losses], Losses]] = {
    "reno": lambda p: 1.2247 / p**0.5,
    "hstcp": lambda p: np.where(p < 1.5e-3, 0.12 / p**0.835, 1.2247 / p**0.5),
    "scalable": lambda p: 0.075 / p,
    "ctcp": lambda p: np.maximum(0.255 / p**0.8, 1.2247 / p**0.5),
    "cubic": lambda p: np.maximum(1.054 * (0.1 / p) ** 0.75, 1.2247 / p**0.5),
}


def tolerance(loss: float) -> float:
    """Relative tolerance of the tables: time-outs matter from 3e-3 on."""
    return 0.30 if loss >= 3e-3 else 0.15
