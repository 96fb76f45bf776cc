"""Random loss: utilisation of each algorithm by a round-by-round model, and response functions.

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


#: At these losses windows are far below the path's at either rate, and so the same at both.
_SMALL = (1e-3, 1e-2)
_RENO = _table(_P100, 0.50, 0.28, 0.158, 0.090, 0.050, 0.028, 0.015)
_SLOW = {
    "reno": _RENO,
    "hstcp": _table(_P100, 0.99, 0.79, 0.31, 0.127, 0.054, 0.028, 0.015),
    "scalable": _table(_P100, 1.00, 1.00, 0.83, 0.29, 0.089, 0.031, 0.017),
    # Linux divides BIC's step by two segments an ACK, and counts segments: 31/16 of the growth, in
    # steps that are rounded down to whole segments.
    "bic": _table(_P100, 1.00, 0.99, 0.70, 0.315, 0.120, 0.054, 0.023),
    # RFC 9438, 4.3: Reno's mean if that is the larger window, which holds from 5.5e-4 on.
    "cubic": _table(_P100, 0.94, 0.60, 0.26, 0.116, *(_RENO[p] for p in (1e-3, 3e-3, 1e-2))),
    "htcp": _table(_P100, 0.93, 0.80, 0.47, 0.23, 0.096, 0.042, 0.018),
    "ctcp": _table(_P100, 0.94, 0.80, 0.47, 0.20, 0.078, 0.033, 0.015),
}


def _tenfold(cca: str, losses: tuple[float, ...], *used: float) -> Table:
    """Give what a CCA uses of a path of ten times the rate: small windows are a tenth of it."""
    return _table(losses, *used) | {loss: _SLOW[cca][loss] / 10 for loss in _SMALL}


#: Utilisation by rate, algorithm and loss.
RANDOM_LOSS: dict[str, dict[str, Table]] = {
    "100 Mbit/s": {
        **_SLOW,
        "westwood": _table(_P100, 1.00, 1.00, 1.00, 1.00, 0.97, 0.57, 0.26),
        "fast": _table(_P100, 0.99, 0.98, 0.93, 0.82, 0.59, 0.30, 0.093),
        "bbr": _table(_P100, *[0.98] * 7),
        "bbr3": _table(_P100, *[0.925] * 7),
    },
    "1 Gbit/s": {
        "reno": _tenfold("reno", _P1G[:3], 0.154, 0.050, 0.016),
        "hstcp": _tenfold("hstcp", _P1G[:3], 0.98, 0.22, 0.031),
        "scalable": _tenfold("scalable", _P1G[:3], 1.00, 0.83, 0.087),
        "bic": _tenfold("bic", _P1G[1:3], 0.35, 0.073),
        "cubic": _tenfold("cubic", _P1G[:3], 0.73, 0.146, 0.025),
        "htcp": _tenfold("htcp", _P1G[:3], 0.83, 0.26, 0.050),
        "ctcp": _tenfold("ctcp", _P1G[:3], 0.88, 0.31, 0.048),
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
