"""Predictions of FAST's equation: queues, shares, convergence, against Reno, random loss."""

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.optimize import brentq

#: Utilisation of one flow under random loss: rate -> whether it doubles while the queue is empty
#: -> loss -> utilisation. Round by round: 1500 B, 100 ms, a buffer of 1 BDP, one reduction for one
#: round with losses, one round trip of recovery, no time-outs; alpha 100 and 200.
RANDOM_LOSS = {
    "100 Mbit/s": {
        "no-doubling": {
            1e-5: 0.97, 3e-5: 0.90, 1e-4: 0.70, 3e-4: 0.43, 1e-3: 0.22, 3e-3: 0.12, 1e-2: 0.049,
        },
        "doubling": {
            1e-5: 0.99, 3e-5: 0.98, 1e-4: 0.93, 3e-4: 0.82, 1e-3: 0.59, 3e-3: 0.30, 1e-2: 0.093,
        },
    },
    "1 Gbit/s": {
        "no-doubling": {1e-6: 0.84, 1e-5: 0.35, 1e-4: 0.105, 1e-3: 0.030, 1e-2: 0.005},
        "doubling": {1e-6: 0.99, 1e-5: 0.93, 1e-4: 0.59, 1e-3: 0.093, 1e-2: 0.009},
    },
}  # fmt: skip

#: FAST beside one Reno: buffer and alpha in BDP.
AGAINST_RENO = (
    (0.25, 0.02), (0.25, 0.05), (0.25, 0.1),
    (0.5, 0.05), (0.5, 0.1), (0.5, 0.2),
    (1.0, 0.05), (1.0, 0.1), (1.0, 0.2), (1.0, 0.4),
    (2.0, 0.1), (2.0, 0.4),
)  # fmt: skip
#: Of these alpha is 0.4 of the buffer; the last is in no other list.
EVEN = ((0.25, 0.1), (0.5, 0.2), (1.0, 0.4), (2.0, 0.8))


def tolerance(loss: float) -> float:
    """Relative tolerance of the table of random loss: time-outs matter from 3e-3 on."""
    return 0.30 if loss >= 3e-3 else 0.15


def queues_of_latecomers(flows: int) -> list[float]:
    """Queueing delay in units of alpha/C that each late-comer finds; last: with all of them.

    Solves sum 1/(q - e_i) = 1 for one flow more each time, e_i being what flow i found.
    """
    found = [0.0]
    for _ in range(flows):
        joined = np.array(found)
        bracket = joined[-1] + 1e-9, joined[-1] + len(joined) + 1
        found.append(float(brentq(_surplus, *bracket, args=(joined,))))
    return found


def _surplus(queue: float, joined: NDArray[np.float64]) -> float:
    return float((1 / (queue - joined)).sum()) - 1


def latecomer_shares(flows: int) -> NDArray[np.float64]:
    """Shares of flows that came one after the other, oldest first."""
    *joined, queue = queues_of_latecomers(flows)
    return 1 / (queue - np.array(joined))


def latecomer_queue(flows: int) -> float:
    """Queue of late-comers in units of N alpha."""
    return queues_of_latecomers(flows)[-1] / flows


def against_reno(buffer: float, alpha: float) -> tuple[float, float]:
    """Return FAST's share and the mean queue beside one Reno; everything in units of the BDP.

    Quasi-static: at a queue q FAST has rate alpha/q and Reno the rest, so Reno's window is
    (1 - alpha/q)(1 + q). It grows by one packet a round trip of 1 + q from half its largest, which
    fills the buffer. FAST loses nothing. If Reno gets nothing, the queue is alpha.
    """
    largest = _reno_window(buffer, alpha)
    least = float(brentq(lambda q: _reno_window(q, alpha) - largest / 2, alpha, buffer))
    time, fast, queue = (
        quad(lambda q, power=power: q**power * (1 + q) * _slope(q, alpha), least, buffer)[0]
        for power in (0, -1, 1)
    )
    return float(alpha * fast / time), float(queue / time)


def _reno_window(q: float, alpha: float) -> float:
    return (1 - alpha / q) * (1 + q)


def _slope(q: float, alpha: float) -> float:
    return 1 + alpha / q**2
